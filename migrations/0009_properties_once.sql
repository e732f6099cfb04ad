-- A property stands once, where its value finds it, instead of in a list by owner and two indexes beside it: a new memory
-- writes four pages less. Which properties an owner has is what its own JSON says, so that its rows are found without a
-- list of them; a question about all types is asked of each.

ALTER TABLE memory_node_properties RENAME TO memory_old_node_properties;
CREATE TABLE memory_node_properties (
  type  TEXT NOT NULL,
  key   TEXT NOT NULL,
  kind  TEXT NOT NULL,
  value ANY NOT NULL,
  owner INTEGER NOT NULL,
  PRIMARY KEY (type, key, kind, value, owner),
  CHECK (CASE kind WHEN 'string'  THEN typeof(value) = 'text'
                   WHEN 'number'  THEN typeof(value) IN ('integer', 'real')
                   WHEN 'boolean' THEN typeof(value) = 'integer' AND value IN (0, 1)
                   ELSE 0 END)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_node_properties (type, key, kind, value, owner)
SELECT type, key, kind, value, owner FROM memory_old_node_properties
 ORDER BY type, key, kind, value, owner;
DROP TABLE memory_old_node_properties;

ALTER TABLE memory_connection_properties RENAME TO memory_old_connection_properties;
CREATE TABLE memory_connection_properties (
  type  TEXT NOT NULL,
  key   TEXT NOT NULL,
  kind  TEXT NOT NULL,
  value ANY NOT NULL,
  owner INTEGER NOT NULL,
  PRIMARY KEY (type, key, kind, value, owner),
  CHECK (CASE kind WHEN 'string'  THEN typeof(value) = 'text'
                   WHEN 'number'  THEN typeof(value) IN ('integer', 'real')
                   WHEN 'boolean' THEN typeof(value) = 'integer' AND value IN (0, 1)
                   ELSE 0 END)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_connection_properties (type, key, kind, value, owner)
SELECT type, key, kind, value, owner FROM memory_old_connection_properties
 ORDER BY type, key, kind, value, owner;
DROP TABLE memory_old_connection_properties;

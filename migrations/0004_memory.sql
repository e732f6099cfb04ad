-- Memory: typed nodes and connections under an ontology that only grows.

-- One row as soon as there is an ontology, also when it has no type yet.
CREATE TABLE memory_ontologies (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  created  TEXT NOT NULL,
  modified TEXT NOT NULL CHECK (modified >= created)
) STRICT;

CREATE TABLE memory_node_types (
  seq  INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

CREATE TABLE memory_connection_types (
  seq                 INTEGER PRIMARY KEY,
  name                TEXT NOT NULL UNIQUE CHECK (name <> ''),
  required_properties TEXT NOT NULL DEFAULT '[]' CHECK (json_type(required_properties) = 'array')
) STRICT;

-- Which node types a connection type may start from and lead to, in the order in which they were given.
CREATE TABLE memory_topologies (
  connection_type TEXT NOT NULL REFERENCES memory_connection_types (name),
  side            TEXT NOT NULL CHECK (side IN ('from', 'to')),
  node_type       TEXT NOT NULL REFERENCES memory_node_types (name),
  place           INTEGER NOT NULL,
  PRIMARY KEY (connection_type, side, node_type),
  UNIQUE (connection_type, side, place)
) STRICT, WITHOUT ROWID;

-- What nodes and connections rely on is never taken from under them.
CREATE TRIGGER memory_node_types_are_never_edited BEFORE UPDATE ON memory_node_types
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;
CREATE TRIGGER memory_node_types_are_never_deleted BEFORE DELETE ON memory_node_types
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;
CREATE TRIGGER memory_connection_types_are_never_edited BEFORE UPDATE ON memory_connection_types
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;
CREATE TRIGGER memory_connection_types_are_never_deleted BEFORE DELETE ON memory_connection_types
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;
CREATE TRIGGER memory_topologies_are_never_edited BEFORE UPDATE ON memory_topologies
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;
CREATE TRIGGER memory_topologies_are_never_deleted BEFORE DELETE ON memory_topologies
BEGIN SELECT RAISE(ABORT, 'the ontology only grows'); END;

CREATE TABLE memory_nodes (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE CHECK (id <> ''),
  type       TEXT NOT NULL REFERENCES memory_node_types (name),
  -- The first line of content that is text, for people and for finding doubles.
  title      TEXT NOT NULL,
  properties TEXT NOT NULL CHECK (json_type(properties) = 'object'),
  format     TEXT NOT NULL CHECK (format <> ''),
  encoding   TEXT NOT NULL CHECK (encoding IN ('utf-8', 'base64')),
  created    TEXT NOT NULL,
  modified   TEXT NOT NULL CHECK (modified >= created),
  created_by TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX memory_nodes_by_type ON memory_nodes (type, seq);
CREATE INDEX memory_nodes_by_title ON memory_nodes (type, title, seq) WHERE title <> '';

-- Apart from the node: a change of its properties must not rewrite a hundred megabytes.
CREATE TABLE memory_node_contents (
  owner INTEGER PRIMARY KEY REFERENCES memory_nodes (seq) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

-- Each property again, so that an index finds by value. As numbers 1 and 1.0 are equal to SQLite, and the kind
-- tells "1", 1 and true apart. With the type in its key, SQLite finds what goes with its owner by that key.
CREATE TABLE memory_node_properties (
  owner INTEGER NOT NULL,
  type  TEXT NOT NULL,
  key   TEXT NOT NULL,
  kind  TEXT NOT NULL,
  value ANY NOT NULL,
  PRIMARY KEY (owner, type, key),
  FOREIGN KEY (type, owner) REFERENCES memory_nodes (type, seq) ON DELETE CASCADE,
  CHECK (CASE kind WHEN 'string'  THEN typeof(value) = 'text'
                   WHEN 'number'  THEN typeof(value) IN ('integer', 'real')
                   WHEN 'boolean' THEN typeof(value) = 'integer' AND value IN (0, 1)
                   ELSE 0 END)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_node_properties_by_value ON memory_node_properties (key, kind, value, owner);
CREATE INDEX memory_node_properties_by_type ON memory_node_properties (type, key, kind, value, owner);

CREATE TABLE memory_connections (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE CHECK (id <> ''),
  type       TEXT NOT NULL REFERENCES memory_connection_types (name),
  from_node  TEXT NOT NULL REFERENCES memory_nodes (id),
  to_node    TEXT NOT NULL REFERENCES memory_nodes (id),
  properties TEXT NOT NULL CHECK (json_type(properties) = 'object'),
  created    TEXT NOT NULL,
  modified   TEXT NOT NULL CHECK (modified >= created),
  created_by TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX memory_connections_by_type ON memory_connections (type, seq);
CREATE INDEX memory_connections_by_source ON memory_connections (from_node, type, seq);
CREATE INDEX memory_connections_by_target ON memory_connections (to_node, type, seq);

-- Notes on a connection, where it has some.
CREATE TABLE memory_connection_contents (
  owner  INTEGER PRIMARY KEY REFERENCES memory_connections (seq) ON DELETE CASCADE,
  format TEXT NOT NULL CHECK (format <> ''),
  bytes  BLOB NOT NULL
) STRICT;

CREATE TABLE memory_connection_properties (
  owner INTEGER NOT NULL,
  type  TEXT NOT NULL,
  key   TEXT NOT NULL,
  kind  TEXT NOT NULL,
  value ANY NOT NULL,
  PRIMARY KEY (owner, type, key),
  FOREIGN KEY (type, owner) REFERENCES memory_connections (type, seq) ON DELETE CASCADE,
  CHECK (CASE kind WHEN 'string'  THEN typeof(value) = 'text'
                   WHEN 'number'  THEN typeof(value) IN ('integer', 'real')
                   WHEN 'boolean' THEN typeof(value) = 'integer' AND value IN (0, 1)
                   ELSE 0 END)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_connection_properties_by_value ON memory_connection_properties (key, kind, value, owner);
CREATE INDEX memory_connection_properties_by_type ON memory_connection_properties (type, key, kind, value, owner);

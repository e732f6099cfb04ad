-- A write costs what it changes, page by page: what can be kept in one place is not kept in two.

-- A node's evidence stands together, in its order, and needs no index beside it.
ALTER TABLE work_evidence RENAME TO work_old_evidence;
DROP INDEX work_evidence_by_node;
CREATE TABLE work_evidence (
  node      TEXT NOT NULL REFERENCES work_nodes (id),
  -- Which piece of the node's evidence it is, oldest first.
  place     INTEGER NOT NULL,
  type      TEXT NOT NULL,
  ref       TEXT NOT NULL,
  agent     TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  PRIMARY KEY (node, place)
) STRICT, WITHOUT ROWID;
INSERT INTO work_evidence (node, place, type, ref, agent, timestamp)
SELECT node, row_number() OVER (PARTITION BY node ORDER BY seq), type, ref, agent, timestamp FROM work_old_evidence;
DROP TABLE work_old_evidence;

-- One index says what changed last, of all nodes and of those that are resolved.
DROP INDEX work_nodes_resolved;
DROP INDEX work_nodes_by_touched;
CREATE INDEX work_nodes_by_touched ON work_nodes (project, resolved, touched);

-- Resolving only takes a node's files away.
DROP TRIGGER work_nodes_links_after_update;
CREATE TRIGGER work_nodes_links_after_resolved AFTER UPDATE OF resolved ON work_nodes
WHEN OLD.resolved = 0 AND NEW.resolved = 1
BEGIN
  DELETE FROM work_open_links WHERE node = NEW.id;
END;
CREATE TRIGGER work_nodes_links_after_update AFTER UPDATE OF resolved, context_links ON work_nodes
WHEN NEW.resolved = 0 AND (OLD.resolved = 1 OR NEW.context_links <> OLD.context_links)
BEGIN
  DELETE FROM work_open_links WHERE node = NEW.id;
  INSERT OR IGNORE INTO work_open_links (path, node) SELECT path, node FROM work_link_paths WHERE node = NEW.id;
END;

-- Texts that come one by one wait here, where a search finds them too, until there are enough for the index to take them
-- at once. One text alone would make it write eight pages, and merge what it has all the time.
CREATE TABLE search_waiting (
  id     INTEGER PRIMARY KEY REFERENCES search_entries (id) ON DELETE CASCADE,
  -- In the form in which texts are compared.
  folded TEXT NOT NULL
) STRICT;

-- The folders that were looked through for files. Things that were confirmed in the same hour share them: a pattern that
-- begins with `**` has all there are.
CREATE TABLE confirmed_areas (
  key     INTEGER PRIMARY KEY,
  digest  TEXT NOT NULL UNIQUE,
  -- Each with its time, as in confirmed_files.
  folders TEXT NOT NULL CHECK (json_type(folders) = 'array')
) STRICT;
ALTER TABLE confirmations ADD COLUMN area INTEGER REFERENCES confirmed_areas (key);
CREATE INDEX confirmations_by_area ON confirmations (area) WHERE area IS NOT NULL;

INSERT INTO confirmed_areas (key, digest, folders)
SELECT confirmation, 'of confirmation ' || confirmation, json_group_array(json_array(path, mtime) ORDER BY path)
  FROM confirmed_files WHERE kind = 'folder' GROUP BY confirmation;
UPDATE confirmations
   SET area = key, files = files - (SELECT json_array_length(folders) FROM confirmed_areas a WHERE a.key = confirmations.key)
 WHERE key IN (SELECT key FROM confirmed_areas);
DELETE FROM confirmed_files WHERE kind = 'folder';

CREATE TRIGGER confirmations_after_delete AFTER DELETE ON confirmations
WHEN OLD.area IS NOT NULL
BEGIN
  DELETE FROM confirmed_areas WHERE key = OLD.area AND NOT EXISTS (SELECT 1 FROM confirmations WHERE area = OLD.area);
END;

-- Stores outlive the names of branches, and a branch is copied in half the time.

-- Which store a changeset was applied to: a name comes and goes, and one branch's past is not another's. None where
-- the store was gone already.
ALTER TABLE kb_changesets ADD COLUMN store INTEGER;
UPDATE kb_changesets SET store = (
  SELECT b.key FROM kb_branches b WHERE b.name = kb_changesets.branch AND b.created_at <= kb_changesets.at);
DROP INDEX kb_changesets_by_branch;
CREATE INDEX kb_changesets_by_store ON kb_changesets (store, first_event);

-- The names that stores had before: the default branch is found again under its new one.
CREATE TABLE kb_former_names (
  name   TEXT PRIMARY KEY CHECK (name <> ''),
  branch INTEGER NOT NULL REFERENCES kb_branches (key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- `Must` is `must`.
DROP INDEX kb_entities_by_priority;
CREATE INDEX kb_entities_by_priority ON kb_entities (priority COLLATE NOCASE, type) WHERE priority IS NOT NULL;

-- What a link says is a row that is never edited, as with entities: a branch's list of links is two numbers each, and
-- so is a copy of it.
DROP VIEW v_edges;
ALTER TABLE kb_links RENAME TO kb_old_links;
ALTER TABLE kb_branch_links RENAME TO kb_old_branch_links;
DROP INDEX kb_links_by_name;
DROP INDEX kb_links_by_target;
DROP INDEX kb_links_by_relation;
DROP INDEX kb_branch_links_by_link;
DROP INDEX kb_branch_links_by_file;

CREATE TABLE kb_links (
  key        INTEGER PRIMARY KEY,
  -- The ends need not be there: a link to nothing is unresolved, and connects itself when its end appears.
  from_id    TEXT NOT NULL CHECK (from_id <> ''),
  relation   TEXT NOT NULL CHECK (relation <> ''),
  to_id      TEXT NOT NULL CHECK (to_id <> ''),
  kind       TEXT NOT NULL DEFAULT '',
  source     TEXT NOT NULL CHECK (source <> ''),
  confidence REAL CHECK (confidence BETWEEN 0 AND 1),
  file       TEXT CHECK (file <> ''),
  line       INTEGER CHECK (line >= 1),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  CHECK ((file IS NULL) = (line IS NULL))
) STRICT;

CREATE INDEX kb_links_by_name     ON kb_links (from_id, relation, to_id, kind);
CREATE INDEX kb_links_by_target   ON kb_links (to_id, relation, from_id, kind);
CREATE INDEX kb_links_by_relation ON kb_links (relation, from_id, to_id, kind);
CREATE INDEX kb_links_by_file     ON kb_links (file) WHERE file IS NOT NULL;

-- Which links a branch has, each name once.
CREATE TABLE kb_branch_links (
  branch INTEGER NOT NULL REFERENCES kb_branches (key),
  link   INTEGER NOT NULL REFERENCES kb_links (key),
  PRIMARY KEY (branch, link)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_branch_links_by_link ON kb_branch_links (link, branch);

INSERT INTO kb_links (from_id, relation, to_id, kind, source, confidence, file, line, created_at, created_by)
SELECT l.from_id, l.relation, l.to_id, l.kind, m.source, m.confidence, m.file, m.line, m.created_at, m.created_by
  FROM kb_old_branch_links m JOIN kb_old_links l ON l.key = m.link
 GROUP BY l.key, m.source, m.confidence, m.file, m.line, m.created_at, m.created_by
 ORDER BY l.key, min(m.branch);
INSERT INTO kb_branch_links (branch, link)
SELECT m.branch, n.key
  FROM kb_old_branch_links m
  JOIN kb_old_links l ON l.key = m.link
  JOIN kb_links n ON n.from_id = l.from_id AND n.relation = l.relation AND n.to_id = l.to_id AND n.kind = l.kind
   AND n.source = m.source AND n.confidence IS m.confidence AND n.file IS m.file AND n.line IS m.line
   AND n.created_at = m.created_at AND n.created_by = m.created_by;

DROP TABLE kb_old_branch_links;
DROP TABLE kb_old_links;

CREATE VIEW v_edges AS
SELECT 'work' AS domain, from_node AS from_id, type, to_node AS to_id FROM work_edges
UNION ALL
SELECT 'work', id, 'child_of', parent FROM work_nodes WHERE parent IS NOT NULL
UNION ALL
SELECT 'knowledge', id, 'part_of', molecule_id FROM graph_atoms WHERE molecule_id IS NOT NULL
UNION ALL
SELECT 'knowledge', a.id, 'related_to', j.value ->> 'atomId' FROM graph_atoms a, json_each(a.related_atoms) j
UNION ALL
SELECT 'knowledge', m.id, 'related_to', j.value ->> 'moleculeId' FROM graph_molecules m, json_each(m.related_molecules) j
UNION ALL
SELECT 'memory', from_node, type, to_node FROM memory_connections
UNION ALL
SELECT 'kb', l.from_id, l.relation || '@' || b.name, l.to_id
  FROM kb_links l
 CROSS JOIN kb_branch_links m ON m.link = l.key
 CROSS JOIN kb_branches b ON b.key = m.branch;

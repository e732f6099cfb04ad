-- The requirements memory: entities and links, one view of them for each git branch.
--
-- What an entity says is a row of kb_entities that is never edited: a change makes a new row. A branch is a list of
-- such rows, and so is a copy of it: the first use of a branch copies short lists and no text, and finds by the text
-- index what is there already. A row that no branch lists any more is deleted.

CREATE TABLE kb_branches (
  -- Never used again: rows of a new branch go to the end of every list, which is what makes a copy quick.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT NOT NULL UNIQUE CHECK (name <> ''),
  copied_from TEXT,
  created_at  TEXT NOT NULL
) STRICT;

CREATE TABLE kb_entities (
  key        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200 AND id NOT GLOB '*[' || char(1) || '-' || char(32) || ']*'),
  type       TEXT NOT NULL CHECK (type <> ''),
  -- Title and status are empty only where a file leaves them out.
  title      TEXT NOT NULL CHECK (title <> '' OR file IS NOT NULL),
  status     TEXT NOT NULL CHECK (status <> '' OR file IS NOT NULL),
  source     TEXT NOT NULL CHECK (source <> ''),
  owner      TEXT CHECK (owner <> ''),
  priority   TEXT CHECK (priority <> ''),
  severity   TEXT CHECK (severity <> ''),
  tags       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array'),
  links      TEXT NOT NULL DEFAULT '[]' CHECK (json_type(links) = 'array'),
  text_ref   TEXT CHECK (text_ref <> ''),
  properties TEXT NOT NULL DEFAULT '{}' CHECK (json_type(properties) = 'object'),
  -- The file that owns it, and where it stands there; none of what was written through a tool.
  file       TEXT CHECK (file <> ''),
  line       INTEGER CHECK (line >= 1),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (id, key),
  CHECK ((file IS NULL) = (line IS NULL))
) STRICT;

CREATE INDEX kb_entities_by_owner    ON kb_entities (owner)          WHERE owner IS NOT NULL;
CREATE INDEX kb_entities_by_priority ON kb_entities (priority, type) WHERE priority IS NOT NULL;
CREATE INDEX kb_entities_by_file     ON kb_entities (file)           WHERE file IS NOT NULL;

CREATE TABLE kb_tags (
  tag    TEXT NOT NULL CHECK (tag <> ''),
  entity INTEGER NOT NULL REFERENCES kb_entities (key) ON DELETE CASCADE,
  PRIMARY KEY (tag, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_tags_by_entity ON kb_tags (entity);

-- Which files of the repository an entity is about: its document, the file that owns it, the code that it stands for.
CREATE TABLE kb_paths (
  path   TEXT NOT NULL CHECK (path <> ''),
  entity INTEGER NOT NULL REFERENCES kb_entities (key) ON DELETE CASCADE,
  PRIMARY KEY (path, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_paths_by_entity ON kb_paths (entity);

-- Which entities a branch has, each in one form.
CREATE TABLE kb_branch_entities (
  branch INTEGER NOT NULL REFERENCES kb_branches (key),
  id     TEXT NOT NULL,
  type   TEXT NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (branch, id),
  FOREIGN KEY (id, entity) REFERENCES kb_entities (id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_branch_entities_by_type   ON kb_branch_entities (branch, type, id);
CREATE INDEX kb_branch_entities_by_entity ON kb_branch_entities (entity, branch);

-- Which links have ever been drawn; the ends need not be there: a link to nothing is unresolved, and connects
-- itself when its end appears.
CREATE TABLE kb_links (
  key      INTEGER PRIMARY KEY,
  from_id  TEXT NOT NULL CHECK (from_id <> ''),
  relation TEXT NOT NULL CHECK (relation <> ''),
  to_id    TEXT NOT NULL CHECK (to_id <> ''),
  kind     TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE UNIQUE INDEX kb_links_by_name ON kb_links (from_id, relation, to_id, kind);
CREATE INDEX kb_links_by_target   ON kb_links (to_id, relation, from_id, kind);
CREATE INDEX kb_links_by_relation ON kb_links (relation, from_id, to_id, kind);

-- Which links a branch has, and how each came about.
CREATE TABLE kb_branch_links (
  branch     INTEGER NOT NULL REFERENCES kb_branches (key),
  link       INTEGER NOT NULL REFERENCES kb_links (key),
  source     TEXT NOT NULL CHECK (source <> ''),
  confidence REAL CHECK (confidence BETWEEN 0 AND 1),
  file       TEXT CHECK (file <> ''),
  line       INTEGER CHECK (line >= 1),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (branch, link),
  CHECK ((file IS NULL) = (line IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_branch_links_by_link ON kb_branch_links (link, branch);
CREATE INDEX kb_branch_links_by_file ON kb_branch_links (branch, file) WHERE file IS NOT NULL;

-- What sync has read, so that it need not read it again.
CREATE TABLE kb_files (
  branch INTEGER NOT NULL REFERENCES kb_branches (key),
  path   TEXT NOT NULL CHECK (path <> ''),
  hash   TEXT NOT NULL,
  -- Both absent where the file has to be read again whatever it looks like.
  size   INTEGER,
  mtime  INTEGER,
  PRIMARY KEY (branch, path),
  CHECK ((size IS NULL) = (mtime IS NULL))
) STRICT, WITHOUT ROWID;

-- Who applied what, and which events tell it fact by fact. Kept when the branch is gone.
CREATE TABLE kb_changesets (
  id          TEXT PRIMARY KEY,
  branch      TEXT NOT NULL,
  action      TEXT NOT NULL CHECK (action IN ('upsert', 'delete', 'sync', 'rollback')),
  at          TEXT NOT NULL,
  actor       TEXT NOT NULL,
  source      TEXT NOT NULL,
  reason      TEXT,
  reverts     TEXT REFERENCES kb_changesets (id),
  first_event INTEGER NOT NULL,
  last_event  INTEGER NOT NULL,
  CHECK (first_event <= last_event),
  CHECK ((action = 'rollback') = (reverts IS NOT NULL)),
  CHECK (action <> 'delete' OR reason IS NOT NULL)
) STRICT;

CREATE INDEX kb_changesets_by_branch  ON kb_changesets (branch, first_event);
CREATE INDEX kb_changesets_by_reverts ON kb_changesets (reverts) WHERE reverts IS NOT NULL;

-- All domains' things and links as one graph. An entity of the KB is there once for each branch that has it, which
-- its kind names: `req@main`.
DROP VIEW v_nodes;
CREATE VIEW v_nodes AS
SELECT 'work' AS domain,
       CASE WHEN parent IS NULL THEN 'project' ELSE 'node' END AS kind,
       id,
       summary AS title,
       CASE WHEN resolved THEN 'resolved'
            WHEN open_deps > 0 THEN 'blocked'
            WHEN open_children > 0 THEN 'open'
            ELSE 'actionable' END AS status,
       created_at,
       updated_at
  FROM work_nodes
UNION ALL
SELECT 'knowledge', 'molecule', id, name, NULL, created_at, updated_at FROM graph_molecules
UNION ALL
SELECT 'knowledge', 'atom', id, name, NULL, created_at, updated_at FROM graph_atoms
UNION ALL
SELECT 'memory', type, id, CASE title WHEN '' THEN type ELSE title END, NULL, created, modified
  FROM memory_nodes
UNION ALL
SELECT 'kb', m.type || '@' || b.name, m.id, e.title, e.status, e.created_at, e.updated_at
  FROM kb_branches b
 CROSS JOIN kb_branch_entities m ON m.branch = b.key
 CROSS JOIN kb_entities e ON e.key = m.entity;

DROP VIEW v_edges;
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

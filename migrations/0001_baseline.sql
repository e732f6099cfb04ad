-- The whole schema: one baseline, which later migrations add to. Domain by domain: the history of the schema, the event
-- log and the text index first, which all domains use; then work, knowledge, confirmations, memory and KB; at the end
-- the two views that show the things and links of all domains as one graph.
--
-- Counters and index rows that follow from other rows are kept by triggers where SQL alone can do it, so that an edit
-- with sqlite3 keeps them true as well, and otherwise by the store that writes the row. `graph doctor` recounts both.

CREATE TABLE schema_migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  checksum   TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;

-- Every change of every domain, with its values before and after, in the order of commit.
CREATE TABLE events (
  seq     INTEGER PRIMARY KEY,
  at      TEXT NOT NULL,
  actor   TEXT NOT NULL,
  domain  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  action  TEXT NOT NULL,
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  request TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_subject ON events (subject, seq);

CREATE TRIGGER events_are_never_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- The texts in the index, one row each. The rowid of search_index is the id here.
CREATE TABLE search_entries (
  id      INTEGER PRIMARY KEY,
  domain  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  UNIQUE (domain, subject)
) STRICT;

-- Trigrams find case-insensitive substrings. The text itself stays in its own table.
CREATE VIRTUAL TABLE search_index USING fts5 (
  body,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram'
);

-- Texts that are written one at a time wait here, where a search reads them too, until there are enough to add them to
-- the index at once: adding a single text writes eight pages and merges segments each time.
CREATE TABLE search_waiting (
  id     INTEGER PRIMARY KEY REFERENCES search_entries (id) ON DELETE CASCADE,
  -- In the form in which texts are compared.
  folded TEXT NOT NULL
) STRICT;

-- Work: a tree of nodes, edges between them, evidence on them.

-- A project is a node without parent. Its counts are kept by the triggers below.
CREATE TABLE work_projects (
  id         TEXT PRIMARY KEY REFERENCES work_nodes (id) DEFERRABLE INITIALLY DEFERRED,
  name       TEXT NOT NULL UNIQUE CHECK (name <> ''),
  total      INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
  resolved   INTEGER NOT NULL DEFAULT 0 CHECK (resolved BETWEEN 0 AND total),
  blocked    INTEGER NOT NULL DEFAULT 0 CHECK (blocked BETWEEN 0 AND total),
  actionable INTEGER NOT NULL DEFAULT 0 CHECK (actionable BETWEEN 0 AND total),
  -- Nodes without an unresolved child.
  leaves     INTEGER NOT NULL DEFAULT 0 CHECK (leaves BETWEEN 0 AND total)
) STRICT;

CREATE TABLE work_nodes (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  project       TEXT NOT NULL REFERENCES work_projects (id) DEFERRABLE INITIALLY DEFERRED,
  parent        TEXT REFERENCES work_nodes (id),
  depth         INTEGER NOT NULL,
  rev           INTEGER NOT NULL DEFAULT 1 CHECK (rev >= 1),
  summary       TEXT NOT NULL CHECK (summary <> ''),
  resolved      INTEGER NOT NULL DEFAULT 0 CHECK (resolved IN (0, 1)),
  state         TEXT CHECK (state IS NULL OR json_valid(state)),
  properties    TEXT NOT NULL DEFAULT '{}' CHECK (json_type(properties) = 'object'),
  context_links TEXT NOT NULL DEFAULT '[]' CHECK (json_type(context_links) = 'array'),
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  created_by    TEXT NOT NULL,
  -- The order of last changes: as updated_at, without its ties.
  touched       INTEGER NOT NULL,
  -- Ranking reads this; it is properties.priority as a number.
  priority      REAL NOT NULL DEFAULT 0,
  -- Readiness: unresolved children and unresolved targets of depends_on, kept by the triggers below.
  children      INTEGER NOT NULL DEFAULT 0 CHECK (children >= 0),
  open_children INTEGER NOT NULL DEFAULT 0 CHECK (open_children BETWEEN 0 AND children),
  open_deps     INTEGER NOT NULL DEFAULT 0 CHECK (open_deps >= 0),
  -- Only text counts as a claim; whatever else somebody puts there is a property like any other.
  claimed_by    TEXT GENERATED ALWAYS AS (CASE json_type(properties, '$._claimed_by')
                  WHEN 'text' THEN json_extract(properties, '$._claimed_by') END) VIRTUAL,
  claimed_at    TEXT GENERATED ALWAYS AS (CASE json_type(properties, '$._claimed_at')
                  WHEN 'text' THEN json_extract(properties, '$._claimed_at') END) VIRTUAL,
  CHECK ((parent IS NULL) = (id = project)),
  CHECK ((parent IS NULL) = (depth = 0)),
  CHECK (parent <> id)
) STRICT;

-- graph_next reads this index in order and stops at the first row that it may return.
CREATE INDEX work_nodes_ready ON work_nodes (project, priority DESC, depth DESC, touched)
  WHERE resolved = 0 AND open_children = 0 AND open_deps = 0;
CREATE INDEX work_nodes_claimed ON work_nodes (project, claimed_by)
  WHERE claimed_by IS NOT NULL;
CREATE INDEX work_nodes_open_below ON work_nodes (parent, seq)
  WHERE resolved = 0;
CREATE INDEX work_nodes_by_parent ON work_nodes (parent, seq);
CREATE INDEX work_nodes_by_created ON work_nodes (project, seq);
CREATE INDEX work_nodes_by_touched ON work_nodes (project, resolved, touched);
CREATE INDEX work_nodes_by_depth ON work_nodes (project, depth DESC, seq);

CREATE TABLE work_edges (
  from_node  TEXT NOT NULL REFERENCES work_nodes (id),
  to_node    TEXT NOT NULL REFERENCES work_nodes (id),
  type       TEXT NOT NULL CHECK (type <> ''),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (from_node, type, to_node),
  CHECK (from_node <> to_node)
) STRICT, WITHOUT ROWID;

CREATE INDEX work_edges_by_target ON work_edges (to_node, type, from_node);

-- The evidence of a node is stored together and in order, so it needs no index of its own.
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

-- Readiness and counts follow from resolved, parent and the depends_on edges. Triggers keep them, so that no writer can
-- forget them and a statement in sqlite3 keeps them true as well. (The text index, the files of open work and the values by
-- which nodes are found are kept by the program: after an edit with sqlite3 they are those of before until
-- `graph doctor --fix`.)

CREATE TRIGGER work_nodes_after_insert AFTER INSERT ON work_nodes
BEGIN
  UPDATE work_projects
     SET total      = total + 1,
         resolved   = resolved + NEW.resolved,
         blocked    = blocked + (NEW.resolved = 0 AND NEW.open_deps > 0),
         actionable = actionable + (NEW.resolved = 0 AND NEW.open_children = 0 AND NEW.open_deps = 0),
         leaves     = leaves + (NEW.open_children = 0)
   WHERE id = NEW.project;
  UPDATE work_nodes SET children = children + 1, open_children = open_children + (NEW.resolved = 0)
   WHERE id = NEW.parent;
END;

CREATE TRIGGER work_nodes_after_delete AFTER DELETE ON work_nodes
BEGIN
  UPDATE work_projects
     SET leaves     = leaves - (OLD.open_children = 0),
         actionable = actionable - (OLD.resolved = 0 AND OLD.open_children = 0 AND OLD.open_deps = 0),
         blocked    = blocked - (OLD.resolved = 0 AND OLD.open_deps > 0),
         resolved   = resolved - OLD.resolved,
         total      = total - 1
   WHERE id = OLD.project;
  UPDATE work_nodes SET children = children - 1, open_children = open_children - (OLD.resolved = 0)
   WHERE id = OLD.parent;
END;

CREATE TRIGGER work_nodes_after_readiness AFTER UPDATE OF resolved, open_children, open_deps ON work_nodes
WHEN NEW.resolved <> OLD.resolved
  OR (NEW.open_children = 0) <> (OLD.open_children = 0)
  OR (NEW.open_deps = 0) <> (OLD.open_deps = 0)
BEGIN
  UPDATE work_projects
     SET resolved   = resolved + NEW.resolved - OLD.resolved,
         blocked    = blocked + (NEW.resolved = 0 AND NEW.open_deps > 0)
                              - (OLD.resolved = 0 AND OLD.open_deps > 0),
         actionable = actionable + (NEW.resolved = 0 AND NEW.open_children = 0 AND NEW.open_deps = 0)
                                 - (OLD.resolved = 0 AND OLD.open_children = 0 AND OLD.open_deps = 0),
         leaves     = leaves + (NEW.open_children = 0) - (OLD.open_children = 0)
   WHERE id = NEW.project;
END;

CREATE TRIGGER work_nodes_after_resolved AFTER UPDATE OF resolved ON work_nodes
WHEN NEW.resolved <> OLD.resolved
BEGIN
  UPDATE work_nodes SET open_children = open_children + OLD.resolved - NEW.resolved
   WHERE id = NEW.parent;
  UPDATE work_nodes SET open_deps = open_deps + OLD.resolved - NEW.resolved
   WHERE id IN (SELECT from_node FROM work_edges WHERE to_node = NEW.id AND type = 'depends_on');
END;

CREATE TRIGGER work_nodes_after_move AFTER UPDATE OF parent ON work_nodes
WHEN NEW.parent IS NOT OLD.parent
BEGIN
  UPDATE work_nodes SET children = children - 1, open_children = open_children - (NEW.resolved = 0)
   WHERE id = OLD.parent;
  UPDATE work_nodes SET children = children + 1, open_children = open_children + (NEW.resolved = 0)
   WHERE id = NEW.parent;
END;

CREATE TRIGGER work_nodes_after_rehome AFTER UPDATE OF project ON work_nodes
WHEN NEW.project <> OLD.project
BEGIN
  UPDATE work_projects
     SET leaves     = leaves - (OLD.open_children = 0),
         actionable = actionable - (OLD.resolved = 0 AND OLD.open_children = 0 AND OLD.open_deps = 0),
         blocked    = blocked - (OLD.resolved = 0 AND OLD.open_deps > 0),
         resolved   = resolved - OLD.resolved,
         total      = total - 1
   WHERE id = OLD.project;
  UPDATE work_projects
     SET total      = total + 1,
         resolved   = resolved + NEW.resolved,
         blocked    = blocked + (NEW.resolved = 0 AND NEW.open_deps > 0),
         actionable = actionable + (NEW.resolved = 0 AND NEW.open_children = 0 AND NEW.open_deps = 0),
         leaves     = leaves + (NEW.open_children = 0)
   WHERE id = NEW.project;
END;

CREATE TRIGGER work_edges_after_insert AFTER INSERT ON work_edges
WHEN NEW.type = 'depends_on'
BEGIN
  UPDATE work_nodes SET open_deps = open_deps + 1
   WHERE id = NEW.from_node
     AND (SELECT resolved FROM work_nodes WHERE id = NEW.to_node) = 0;
END;

CREATE TRIGGER work_edges_after_delete AFTER DELETE ON work_edges
WHEN OLD.type = 'depends_on'
BEGIN
  UPDATE work_nodes SET open_deps = open_deps - 1
   WHERE id = OLD.from_node
     AND (SELECT resolved FROM work_nodes WHERE id = OLD.to_node) = 0;
END;

-- The files and directories that context links of unresolved nodes name. The store writes them with the node.
CREATE TABLE work_open_links (
  path TEXT NOT NULL,
  node TEXT NOT NULL REFERENCES work_nodes (id) ON DELETE CASCADE,
  PRIMARY KEY (path, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX work_open_links_by_node ON work_open_links (node);

-- The values by which a query finds nodes: each property once more, and each type of evidence that a node has, under the
-- empty key. SQLite compares 1 and 1.0 as equal numbers, and the kind tells "1", 1 and true apart. Of a long text, an array
-- or an object only the beginning is here. Claims have an index of their own. The store writes them with the node.
CREATE TABLE work_values (
  project TEXT NOT NULL,
  key     TEXT NOT NULL,
  kind    TEXT NOT NULL CHECK (kind IN ('string', 'number', 'boolean', 'long', 'json', 'evidence')),
  value   ANY NOT NULL,
  node    INTEGER NOT NULL,
  PRIMARY KEY (project, key, kind, value, node)
) STRICT, WITHOUT ROWID;

-- Knowledge: molecules group atoms, atoms own glob patterns, the changelog records how they came about.
--
-- Columns and indexes are those of the specification. Task ids are plain text, so that knowledge outlives the task; they
-- are checked when they are written.

CREATE TABLE graph_molecules (
  id                 TEXT PRIMARY KEY,
  project_id         TEXT NOT NULL REFERENCES work_projects (id),
  name               TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  knowledge          TEXT NOT NULL DEFAULT '' CHECK (octet_length(knowledge) <= 32768),
  related_molecules  TEXT NOT NULL DEFAULT '[]'
                     CHECK (json_type(related_molecules) = 'array' AND json_array_length(related_molecules) <= 50),
  created_by_task_id TEXT NOT NULL,
  last_task_id       TEXT NOT NULL,
  version            INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
  created_at         TEXT NOT NULL,
  updated_at         TEXT NOT NULL,
  UNIQUE (id, project_id)
) STRICT;

CREATE TABLE graph_atoms (
  id                 TEXT PRIMARY KEY,
  project_id         TEXT NOT NULL REFERENCES work_projects (id),
  molecule_id        TEXT,
  name               TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  paths              TEXT NOT NULL DEFAULT '[]'
                     CHECK (json_type(paths) = 'array' AND json_array_length(paths) BETWEEN 1 AND 20),
  knowledge          TEXT NOT NULL DEFAULT '' CHECK (octet_length(knowledge) <= 32768),
  related_atoms      TEXT NOT NULL DEFAULT '[]'
                     CHECK (json_type(related_atoms) = 'array' AND json_array_length(related_atoms) <= 50),
  created_by_task_id TEXT NOT NULL,
  last_task_id       TEXT NOT NULL,
  version            INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
  created_at         TEXT NOT NULL,
  updated_at         TEXT NOT NULL,
  -- Both columns: an atom and its molecule are of the same project.
  FOREIGN KEY (molecule_id, project_id) REFERENCES graph_molecules (id, project_id)
) STRICT;

-- Newest last by rowid, which is the order of insertion.
CREATE TABLE graph_changelog (
  id          TEXT PRIMARY KEY,
  parent_type TEXT NOT NULL CHECK (parent_type IN ('atom', 'molecule')),
  parent_id   TEXT NOT NULL,
  task_id     TEXT NOT NULL,
  summary     TEXT NOT NULL CHECK (octet_length(summary) BETWEEN 1 AND 4096),
  created_at  TEXT NOT NULL
) STRICT;

CREATE INDEX idx_graph_molecules_project ON graph_molecules (project_id);
CREATE INDEX idx_graph_atoms_project ON graph_atoms (project_id);
CREATE INDEX idx_graph_atoms_molecule ON graph_atoms (molecule_id);
CREATE INDEX idx_graph_changelog_parent ON graph_changelog (parent_type, parent_id);
CREATE INDEX idx_graph_changelog_task ON graph_changelog (task_id);

-- Lists are sorted by name.
CREATE INDEX graph_molecules_by_name ON graph_molecules (project_id, name, id);
CREATE INDEX graph_atoms_by_name ON graph_atoms (project_id, name, id);

CREATE TRIGGER graph_changelog_is_never_edited BEFORE UPDATE ON graph_changelog
BEGIN SELECT RAISE(ABORT, 'changelog entries are immutable'); END;

-- The patterns of all atoms, each under a key that every matching path must contain (see base/globs.rs): the leading
-- directory, a whole path segment, or the ending. An empty key stands for none, and is looked up for every path.
CREATE TABLE graph_patterns (
  project_id TEXT NOT NULL,
  key        TEXT NOT NULL,
  atom_id    TEXT NOT NULL REFERENCES graph_atoms (id) ON DELETE CASCADE,
  pattern    TEXT NOT NULL,
  PRIMARY KEY (project_id, key, atom_id, pattern)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_patterns_by_atom ON graph_patterns (atom_id);

-- When an atom's paths are written, its patterns get the empty key; the program replaces it with a better one in the same
-- transaction. After an edit with sqlite3 the empty key stays, which is slower and just as right.
CREATE TRIGGER graph_atoms_after_insert AFTER INSERT ON graph_atoms
BEGIN
  INSERT OR IGNORE INTO graph_patterns (project_id, key, atom_id, pattern)
  SELECT NEW.project_id, '', NEW.id, value FROM json_each(NEW.paths);
END;

CREATE TRIGGER graph_atoms_after_paths AFTER UPDATE OF paths, project_id ON graph_atoms
BEGIN
  DELETE FROM graph_patterns WHERE atom_id = NEW.id;
  INSERT OR IGNORE INTO graph_patterns (project_id, key, atom_id, pattern)
  SELECT NEW.project_id, '', NEW.id, value FROM json_each(NEW.paths);
END;

-- Confirmations: what was said to be true of which files, so that a reader can tell whether these are still the same.
--
-- A confirmation is never edited: the next one replaces it. An atom has its own. For the KB, a branch's list of entities
-- names it, so that a copy of the branch shares it until each branch is confirmed by itself.

-- The directories that were searched for files, each with its time. Confirmations of the same hour share them: a pattern
-- that begins with `**` searches all there are.
CREATE TABLE confirmed_areas (
  key     INTEGER PRIMARY KEY,
  digest  TEXT NOT NULL UNIQUE,
  -- Each with its time, as in confirmed_files.
  folders TEXT NOT NULL CHECK (json_type(folders) = 'array')
) STRICT;

CREATE TABLE confirmations (
  key       INTEGER PRIMARY KEY,
  at        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  -- What was checked out; NULL before the first commit.
  commit_id TEXT CHECK (commit_id <> ''),
  -- The number of its rows in confirmed_files; NULL if there were too many files to read.
  files     INTEGER CHECK (files >= 0),
  area      INTEGER REFERENCES confirmed_areas (key)
) STRICT;

CREATE INDEX confirmations_by_area ON confirmations (area) WHERE area IS NOT NULL;

-- A file as it was, or a name that no file had.
CREATE TABLE confirmed_files (
  confirmation INTEGER NOT NULL REFERENCES confirmations (key) ON DELETE CASCADE,
  path         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('file', 'absent')),
  size         INTEGER NOT NULL,
  -- Nanoseconds since 1970; 0 where it was written so lately that it may be written again without looking different.
  mtime        INTEGER NOT NULL,
  -- SHA-256; none of a file that is too large to be read each time, or may not be read.
  hash         TEXT CHECK (hash IS NULL OR kind = 'file' AND hash <> ''),
  PRIMARY KEY (confirmation, path)
) STRICT, WITHOUT ROWID;

-- Beside graph_atoms, whose columns are those of its specification.
CREATE TABLE confirmed_atoms (
  atom         TEXT PRIMARY KEY REFERENCES graph_atoms (id) ON DELETE CASCADE,
  confirmation INTEGER NOT NULL UNIQUE REFERENCES confirmations (key)
) STRICT, WITHOUT ROWID;

-- A confirmation or area that nothing names any more is deleted.

CREATE TRIGGER confirmations_after_delete AFTER DELETE ON confirmations
WHEN OLD.area IS NOT NULL
BEGIN
  DELETE FROM confirmed_areas WHERE key = OLD.area AND NOT EXISTS (SELECT 1 FROM confirmations WHERE area = OLD.area);
END;

CREATE TRIGGER confirmed_atoms_after_delete AFTER DELETE ON confirmed_atoms
BEGIN DELETE FROM confirmations WHERE key = OLD.confirmation; END;

-- Memory: typed nodes and connections under an ontology that only grows.

-- One row as soon as there is an ontology, even if it has no type yet.
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

-- Nodes and connections rely on the ontology, so nothing of it is edited or deleted.

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

CREATE INDEX memory_nodes_by_type ON memory_nodes (type, seq);
CREATE INDEX memory_nodes_by_title ON memory_nodes (type, title, seq) WHERE title <> '';

-- Apart from the node: a change of its properties must not rewrite a hundred megabytes.
CREATE TABLE memory_node_contents (
  owner INTEGER PRIMARY KEY REFERENCES memory_nodes (seq) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

-- Each property once more, stored where its value finds it. SQLite compares 1 and 1.0 as equal numbers, and the kind tells
-- "1", 1 and true apart. Which properties an owner has is in its own JSON, so no list by owner is needed.
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

CREATE INDEX memory_connections_by_type ON memory_connections (type, seq);
CREATE INDEX memory_connections_by_source ON memory_connections (from_node, type, seq);
CREATE INDEX memory_connections_by_target ON memory_connections (to_node, type, seq);

-- Notes on a connection, where it has some.
CREATE TABLE memory_connection_contents (
  owner  INTEGER PRIMARY KEY REFERENCES memory_connections (seq) ON DELETE CASCADE,
  format TEXT NOT NULL CHECK (format <> ''),
  bytes  BLOB NOT NULL
) STRICT;

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

-- KB: entities and links, one view of them for each git branch.
--
-- The content of an entity or link is a row that is never edited: a change makes a new row. A branch is a list of such
-- rows, and so is a copy of it: the first use of a branch copies two numbers a row and no text. A row that no branch
-- lists any more is deleted.

CREATE TABLE kb_branches (
  -- Never used again: rows of a new branch go to the end of every list, which is what makes a copy quick.
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT NOT NULL UNIQUE CHECK (name <> ''),
  copied_from TEXT,
  created_at  TEXT NOT NULL
) STRICT;

-- The former names of branches: the default branch is found again after it was renamed.
CREATE TABLE kb_former_names (
  name   TEXT PRIMARY KEY CHECK (name <> ''),
  branch INTEGER NOT NULL REFERENCES kb_branches (key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

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

CREATE INDEX kb_entities_by_owner ON kb_entities (owner)          WHERE owner IS NOT NULL;
CREATE INDEX kb_entities_by_priority ON kb_entities (priority COLLATE NOCASE, type) WHERE priority IS NOT NULL;
CREATE INDEX kb_entities_by_file ON kb_entities (file)           WHERE file IS NOT NULL;

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
  branch    INTEGER NOT NULL REFERENCES kb_branches (key),
  id        TEXT NOT NULL,
  type      TEXT NOT NULL,
  entity    INTEGER NOT NULL,
  confirmed INTEGER REFERENCES confirmations (key),
  PRIMARY KEY (branch, id),
  FOREIGN KEY (id, entity) REFERENCES kb_entities (id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_branch_entities_by_type ON kb_branch_entities (branch, type, id);
CREATE INDEX kb_branch_entities_by_entity ON kb_branch_entities (entity, branch);
CREATE INDEX kb_branch_entities_by_confirmation ON kb_branch_entities (confirmed) WHERE confirmed IS NOT NULL;

CREATE TRIGGER kb_branch_entities_after_delete AFTER DELETE ON kb_branch_entities
WHEN OLD.confirmed IS NOT NULL
BEGIN
  DELETE FROM confirmations WHERE key = OLD.confirmed
     AND NOT EXISTS (SELECT 1 FROM kb_branch_entities WHERE confirmed = OLD.confirmed);
END;

CREATE TRIGGER kb_branch_entities_after_confirmed AFTER UPDATE OF confirmed ON kb_branch_entities
WHEN OLD.confirmed IS NOT NULL AND NEW.confirmed IS NOT OLD.confirmed
BEGIN
  DELETE FROM confirmations WHERE key = OLD.confirmed
     AND NOT EXISTS (SELECT 1 FROM kb_branch_entities WHERE confirmed = OLD.confirmed);
END;

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

CREATE INDEX kb_links_by_name ON kb_links (from_id, relation, to_id, kind);
CREATE INDEX kb_links_by_target ON kb_links (to_id, relation, from_id, kind);
CREATE INDEX kb_links_by_relation ON kb_links (relation, from_id, to_id, kind);
CREATE INDEX kb_links_by_file ON kb_links (file) WHERE file IS NOT NULL;

-- Which links a branch has, each name once.
CREATE TABLE kb_branch_links (
  branch INTEGER NOT NULL REFERENCES kb_branches (key),
  link   INTEGER NOT NULL REFERENCES kb_links (key),
  PRIMARY KEY (branch, link)
) STRICT, WITHOUT ROWID;

CREATE INDEX kb_branch_links_by_link ON kb_branch_links (link, branch);

-- The files that sync has read, so that it need not read them again.
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

-- Who applied what, and the first and last of its events. Kept when the branch is gone.
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
  -- The key of the branch: names can be used again, and one branch's past is not another's. NULL if it was gone already.
  store       INTEGER,
  CHECK (first_event <= last_event),
  CHECK ((action = 'rollback') = (reverts IS NOT NULL)),
  CHECK (action <> 'delete' OR reason IS NOT NULL)
) STRICT;

CREATE INDEX kb_changesets_by_store ON kb_changesets (store, first_event);
CREATE INDEX kb_changesets_by_reverts ON kb_changesets (reverts) WHERE reverts IS NOT NULL;

-- The things and links of all domains as one graph. An entity of the KB appears once for each branch that has it, which
-- its kind names: `req@main`.

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

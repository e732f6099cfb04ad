-- Knowledge: molecules group atoms, atoms own glob patterns, the changelog tells how they came about.
--
-- Columns and indexes are those of the specification. Task ids are plain text, so that what was learned outlives
-- the task: they are checked when they are written.

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
CREATE INDEX idx_graph_atoms_project     ON graph_atoms (project_id);
CREATE INDEX idx_graph_atoms_molecule    ON graph_atoms (molecule_id);
CREATE INDEX idx_graph_changelog_parent  ON graph_changelog (parent_type, parent_id);
CREATE INDEX idx_graph_changelog_task    ON graph_changelog (task_id);

-- Lists are by name.
CREATE INDEX graph_molecules_by_name ON graph_molecules (project_id, name, id);
CREATE INDEX graph_atoms_by_name     ON graph_atoms (project_id, name, id);

CREATE TRIGGER graph_changelog_is_never_edited BEFORE UPDATE ON graph_changelog
BEGIN SELECT RAISE(ABORT, 'changelog entries are immutable'); END;

-- The patterns of all atoms, found by something that every path they match must have (see base/globs.rs): the folder
-- in front, a whole path segment, or the ending. An empty key stands for none, and is looked at for every path.
CREATE TABLE graph_patterns (
  project_id TEXT NOT NULL,
  key        TEXT NOT NULL,
  atom_id    TEXT NOT NULL REFERENCES graph_atoms (id) ON DELETE CASCADE,
  pattern    TEXT NOT NULL,
  PRIMARY KEY (project_id, key, atom_id, pattern)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_patterns_by_atom ON graph_patterns (atom_id);

-- Whoever writes an atom's paths, its patterns are found: at first for every path, then by the key that the program
-- chooses right after. An edit with sqlite3 stays at the first, which is slower and just as right.
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

-- The files of open work: a context link without bullet and quotes, without its line (`src/a.rs:12`, `src/a.rs#L3`) and
-- without `./` in front. SQL alone, so that an edit with sqlite3 is followed too.
CREATE VIEW work_link_paths AS
WITH linked AS (
       SELECT n.id AS node, trim(replace(replace(j.value, '\', '/'), '//', '/'), ' `''"') AS link
         FROM work_nodes n, json_each(n.context_links) j
        WHERE j.type = 'text' AND instr(j.value, '://') = 0
     ),
     bare AS (
       SELECT node, CASE WHEN link GLOB '[-*+] *' THEN trim(substr(link, 3), ' `''"') ELSE link END AS link FROM linked
     ),
     relative AS (
       SELECT node, rtrim(CASE WHEN link LIKE './%' THEN substr(link, 3) ELSE link END, '/') AS link FROM bare
     )
SELECT node, CASE WHEN instr(link, '#') > 1 THEN substr(link, 1, instr(link, '#') - 1)
                  WHEN link GLOB '*?:[0-9]*' THEN substr(link, 1, instr(link, ':') - 1)
                  ELSE link END AS path
  FROM relative;

CREATE TABLE work_open_links (
  path TEXT NOT NULL,
  node TEXT NOT NULL REFERENCES work_nodes (id) ON DELETE CASCADE,
  PRIMARY KEY (path, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX work_open_links_by_node ON work_open_links (node);

CREATE TRIGGER work_nodes_links_after_insert AFTER INSERT ON work_nodes
WHEN NEW.resolved = 0 AND NEW.context_links <> '[]'
BEGIN
  INSERT OR IGNORE INTO work_open_links (path, node) SELECT path, node FROM work_link_paths WHERE node = NEW.id;
END;

CREATE TRIGGER work_nodes_links_after_update AFTER UPDATE OF resolved, context_links ON work_nodes
WHEN NEW.resolved <> OLD.resolved OR NEW.context_links <> OLD.context_links
BEGIN
  DELETE FROM work_open_links WHERE node = NEW.id;
  INSERT OR IGNORE INTO work_open_links (path, node)
  SELECT path, node FROM work_link_paths WHERE NEW.resolved = 0 AND node = NEW.id;
END;

INSERT OR IGNORE INTO work_open_links (path, node)
SELECT path, node FROM work_link_paths WHERE node IN (SELECT id FROM work_nodes WHERE resolved = 0);

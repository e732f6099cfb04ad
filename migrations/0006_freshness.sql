-- What was said to be true of which files, so that an answer can tell whether they are still the same.
--
-- A confirmation is never edited: the next one takes its place. An atom has one of its own. Of the KB a branch's list
-- names it, so that a copy of the branch shares it, and each branch is confirmed by itself from then on.

CREATE TABLE confirmations (
  key       INTEGER PRIMARY KEY,
  at        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  -- What was checked out; none before the first commit.
  commit_id TEXT CHECK (commit_id <> ''),
  -- How many rows of confirmed_files it has; none where there were too many files to look at.
  files     INTEGER CHECK (files >= 0)
) STRICT;

-- A file as it was, a folder that was looked through for files, or a name that nothing had.
CREATE TABLE confirmed_files (
  confirmation INTEGER NOT NULL REFERENCES confirmations (key) ON DELETE CASCADE,
  path         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('file', 'folder', 'absent')),
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

ALTER TABLE kb_branch_entities ADD COLUMN confirmed INTEGER REFERENCES confirmations (key);

CREATE INDEX kb_branch_entities_by_confirmation ON kb_branch_entities (confirmed) WHERE confirmed IS NOT NULL;

-- What nobody names any more goes, whoever takes the name away.

CREATE TRIGGER confirmed_atoms_after_delete AFTER DELETE ON confirmed_atoms
BEGIN DELETE FROM confirmations WHERE key = OLD.confirmation; END;

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

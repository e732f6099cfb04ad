-- What every domain stands on: the history of this schema, one event log, one text search.

CREATE TABLE schema_migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  checksum   TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;

-- Every mutation of every domain, with its before and after, in the order of commit.
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

-- What the text index knows, one row for each thing; the rowid of search_index is the id here.
CREATE TABLE search_entries (
  id      INTEGER PRIMARY KEY,
  domain  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  UNIQUE (domain, subject)
) STRICT;

-- Trigrams answer case-insensitive substrings; the text itself stays in its own table.
CREATE VIRTUAL TABLE search_index USING fts5 (
  body,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram'
);

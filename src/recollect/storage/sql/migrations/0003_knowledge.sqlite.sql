-- Knowledge that evolves: people, what memories claim about whom, what is forgotten for good, and what has still to
-- be learned from conversations. A memory that is put away is `archived`.

-- Only a constraint changes, so the table need not be written anew.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '(''active'', ''superseded'', ''retracted'')', '(''active'', ''superseded'', ''retracted'', ''archived'')')
WHERE type = 'table' AND name = 'memories';
PRAGMA writable_schema = RESET;

-- A digest of what a memory says, without case and punctuation: equal facts meet. NULL: not yet understood.
ALTER TABLE memories ADD COLUMN content_key BLOB;
CREATE INDEX memories_content ON memories (scope_id, content_key) WHERE content_key IS NOT NULL;
CREATE INDEX memories_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

-- Somebody that a user (or a chat) speaks of. Merged people point at the one they are; what is said of them stays theirs.
CREATE TABLE people (
    person_id   TEXT PRIMARY KEY CHECK (length(person_id) = 36),
    scope_id    INTEGER NOT NULL REFERENCES scopes (scope_id),
    name        TEXT,
    merged_into TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    CHECK (merged_into IS NULL OR merged_into <> person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_scope ON people (scope_id);
CREATE TABLE person_names (
    person_id TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    name      TEXT NOT NULL CHECK (trim(name) <> ''),
    PRIMARY KEY (person_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE person_relations (
    person_id TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    relation  TEXT NOT NULL,
    of_person TEXT NOT NULL, -- whose wife, brother or boss: a person, or '' for who speaks
    PRIMARY KEY (person_id, relation, of_person)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_people (
    memory_id TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    person_id TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_people_person ON memory_people (person_id);

-- What a memory claims: whose attribute has which value. Two that claim different values of one are in conflict.
CREATE TABLE memory_claims (
    memory_id TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL CHECK (ordinal >= 0),
    scope_id  INTEGER NOT NULL REFERENCES scopes (scope_id),
    subject   TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value     TEXT NOT NULL,
    negated   INTEGER NOT NULL CHECK (negated IN (0, 1)),
    stated_by TEXT NOT NULL,
    clause    INTEGER NOT NULL, -- which statement of its memory it belongs to
    active    INTEGER NOT NULL CHECK (active IN (0, 1)), -- as its memory is: what was replaced is not looked at again
    PRIMARY KEY (memory_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_claims_slot ON memory_claims (scope_id, subject, attribute, negated) WHERE active = 1;
CREATE INDEX memory_claims_newest ON memory_claims (scope_id, memory_id) WHERE active = 1;

-- Digests of what was forgotten for good: it is not to be learned again.
CREATE TABLE forgotten (
    scope_id     INTEGER NOT NULL REFERENCES scopes (scope_id),
    content_key  BLOB NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (scope_id, content_key)
) STRICT, WITHOUT ROWID;

-- How far each conversation has been learned from, and when to go on; NULL: there is nothing new.
CREATE TABLE extractions (
    session_id TEXT PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    position   INTEGER NOT NULL, -- the last message that was learned from
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX extractions_due ON extractions (due_at) WHERE due_at IS NOT NULL;

-- The words of what is erased leave the text index at once, not with some later merge.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_fts (memory_fts) VALUES ('optimize');

ALTER TABLE events ADD COLUMN person_id TEXT;
CREATE INDEX events_person ON events (person_id) WHERE person_id IS NOT NULL;
DROP TRIGGER events_unchanged;
CREATE TRIGGER events_unchanged BEFORE UPDATE ON events
WHEN NOT (new.detail IS NULL AND new.reason IS NULL
          AND new.sequence IS old.sequence AND new.occurred_at IS old.occurred_at AND new.kind IS old.kind
          AND new.actor IS old.actor AND new.memory_id IS old.memory_id AND new.edge_id IS old.edge_id
          AND new.person_id IS old.person_id)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

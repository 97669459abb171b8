-- The typed memory graph: scopes, memories with their sources, edges, text index, vectors, and the record of events.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A scope is a partition: every search runs inside the few scopes a caller may see.
CREATE TABLE scopes (
    scope_id      INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('personal', 'group', 'shared')),
    owner_user_id TEXT CHECK (length(owner_user_id) BETWEEN 1 AND 256),
    chat_id       TEXT CHECK (length(chat_id) BETWEEN 1 AND 256),
    CHECK ((kind = 'personal') = (owner_user_id IS NOT NULL)),
    CHECK ((kind = 'group') = (chat_id IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX scopes_personal ON scopes (owner_user_id) WHERE kind = 'personal';
CREATE UNIQUE INDEX scopes_group ON scopes (chat_id) WHERE kind = 'group';
CREATE UNIQUE INDEX scopes_shared ON scopes (kind) WHERE kind = 'shared';

CREATE TABLE memories (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that derived indexes may refer to it
    memory_id       TEXT NOT NULL UNIQUE CHECK (length(memory_id) = 36),
    orchestrator_id TEXT NOT NULL,
    scope_id        INTEGER NOT NULL REFERENCES scopes (scope_id),
    type            TEXT NOT NULL CHECK (type IN
                    ('Fact', 'Preference', 'Decision', 'Identity', 'Event', 'Observation', 'Goal', 'Todo')),
    importance      INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
    content         TEXT NOT NULL CHECK (trim(content) <> ''),
    summary         TEXT NOT NULL CHECK (trim(summary) <> ''),
    confidence      REAL NOT NULL CHECK (confidence BETWEEN 0.0 AND 1.0),
    status          TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'retracted')),
    sensitivity     TEXT NOT NULL CHECK (sensitivity IN ('public', 'personal', 'sensitive')),
    trust           TEXT NOT NULL CHECK (trust IN ('stated', 'derived', 'outside')),
    observed_at     INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    valid_from      INTEGER,
    valid_to        INTEGER,
    idempotency_key TEXT,
    digest          BLOB NOT NULL CHECK (length(digest) = 32),
    CHECK (valid_to IS NULL OR valid_from IS NULL OR valid_to >= valid_from)
) STRICT;
CREATE INDEX memories_scope ON memories (scope_id, status);
CREATE UNIQUE INDEX memories_idempotency ON memories (scope_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- A memory has one source that made it (ordinal 0) and may gain others that say the same.
CREATE TABLE memory_sources (
    memory_id       TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    ordinal         INTEGER NOT NULL CHECK (ordinal >= 0),
    source_type     TEXT NOT NULL CHECK (source_type IN
                    ('workflow_output', 'channel_transcript', 'ingest_file', 'diagnostics', 'manual')),
    captured_by     TEXT NOT NULL CHECK (captured_by IN ('extractor', 'user', 'system')),
    source_path     TEXT,
    conversation_id TEXT,
    workflow_run_id TEXT,
    step_id         TEXT,
    message_id      TEXT,
    speaker         TEXT,
    position        INTEGER CHECK (position >= 0),
    PRIMARY KEY (memory_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_conversation ON memory_sources (conversation_id, position)
    WHERE conversation_id IS NOT NULL AND position IS NOT NULL;

CREATE TABLE memory_edges (
    edge_id        TEXT PRIMARY KEY CHECK (length(edge_id) = 36),
    from_memory_id TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    to_memory_id   TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    edge_type      TEXT NOT NULL CHECK (edge_type IN ('RelatedTo', 'Updates', 'Contradicts', 'CausedBy', 'PartOf')),
    weight         REAL NOT NULL CHECK (weight BETWEEN 0.0 AND 1.0),
    reason         TEXT,
    created_at     INTEGER NOT NULL,
    UNIQUE (from_memory_id, to_memory_id, edge_type),
    CHECK (from_memory_id <> to_memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_edges_to ON memory_edges (to_memory_id);

-- Terms, not raw text (see model/terms.py); rowid is memories.seq; `scope` holds 's' and the scope's number as one term.
CREATE VIRTUAL TABLE memory_fts USING fts5 (terms, scope, tokenize = 'ascii');
-- How many memories hold a term (or are in a scope): what a query will cost, and what a term is worth.
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_fts, row);

-- Every vector knows the model that made it; vectors of different models are never compared.
CREATE TABLE embedding_models (
    model_id  INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL CHECK (dimension BETWEEN 1 AND 65536)
) STRICT;
CREATE TABLE memory_embeddings (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT, -- grows with every change: an index in memory reads on from there
    seq      INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    model_id INTEGER NOT NULL REFERENCES embedding_models (model_id),
    vector   BLOB NOT NULL,
    UNIQUE (seq, model_id)
) STRICT;
-- Memories whose vector has still to be made, and when to try again.
CREATE TABLE embedding_queue (
    seq      INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX embedding_queue_due ON embedding_queue (due_at);

-- Append-only: what happened, when, by whom and why. Details may be blanked when their memory is forgotten for good.
CREATE TABLE events (
    sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
    occurred_at INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    actor       TEXT NOT NULL,
    memory_id   TEXT,
    edge_id     TEXT,
    reason      TEXT,
    detail      TEXT CHECK (detail IS NULL OR json_valid(detail))
) STRICT;
CREATE INDEX events_memory ON events (memory_id) WHERE memory_id IS NOT NULL;
CREATE TRIGGER events_keep BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;
CREATE TRIGGER events_unchanged BEFORE UPDATE ON events
WHEN NOT (new.detail IS NULL AND new.reason IS NULL
          AND new.sequence IS old.sequence AND new.occurred_at IS old.occurred_at AND new.kind IS old.kind
          AND new.actor IS old.actor AND new.memory_id IS old.memory_id AND new.edge_id IS old.edge_id)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

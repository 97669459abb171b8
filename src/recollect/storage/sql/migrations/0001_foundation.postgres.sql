-- The typed memory graph for a fleet: the tables of the embedded engine, with the orchestrator first in every key.
-- Foreign keys, row-level security and triggers are in postgres/guards.sql: they are made anew when tables are.

CREATE SCHEMA IF NOT EXISTS recollect;
CREATE EXTENSION IF NOT EXISTS vector;

-- Numbers are never used twice, so that derived indexes may refer to them.
CREATE SEQUENCE recollect.scope_numbers;
CREATE SEQUENCE recollect.memory_numbers;
CREATE SEQUENCE recollect.model_numbers;
CREATE SEQUENCE recollect.entry_numbers;
CREATE SEQUENCE recollect.event_numbers;

CREATE TABLE recollect.meta (
    orchestrator_id text NOT NULL,
    key             text NOT NULL,
    value           text NOT NULL,
    PRIMARY KEY (orchestrator_id, key)
);

-- A scope is a partition: every search runs inside the few scopes a caller may see.
CREATE TABLE recollect.scopes (
    orchestrator_id text NOT NULL,
    scope_id        bigint NOT NULL DEFAULT nextval('recollect.scope_numbers'),
    kind            text NOT NULL CHECK (kind IN ('personal', 'group', 'shared')),
    owner_user_id   text CHECK (length(owner_user_id) BETWEEN 1 AND 256),
    chat_id         text CHECK (length(chat_id) BETWEEN 1 AND 256),
    CHECK ((kind = 'personal') = (owner_user_id IS NOT NULL)),
    CHECK ((kind = 'group') = (chat_id IS NOT NULL)),
    PRIMARY KEY (orchestrator_id, scope_id),
    UNIQUE NULLS NOT DISTINCT (orchestrator_id, kind, owner_user_id, chat_id)
);

CREATE TABLE recollect.memories (
    orchestrator_id text NOT NULL,
    seq             bigint NOT NULL DEFAULT nextval('recollect.memory_numbers'),
    memory_id       text NOT NULL CHECK (length(memory_id) = 36),
    scope_id        bigint NOT NULL,
    type            text NOT NULL CHECK (type IN
                    ('Fact', 'Preference', 'Decision', 'Identity', 'Event', 'Observation', 'Goal', 'Todo')),
    importance      integer NOT NULL CHECK (importance BETWEEN 0 AND 100),
    content         text NOT NULL CHECK (btrim(content) <> ''),
    summary         text NOT NULL CHECK (btrim(summary) <> ''),
    confidence      double precision NOT NULL CHECK (confidence BETWEEN 0.0 AND 1.0),
    status          text NOT NULL CHECK (status IN ('active', 'superseded', 'retracted')),
    sensitivity     text NOT NULL CHECK (sensitivity IN ('public', 'personal', 'sensitive')),
    trust           text NOT NULL CHECK (trust IN ('stated', 'derived', 'outside')),
    observed_at     bigint NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    expires_at      bigint,
    valid_from      bigint,
    valid_to        bigint,
    idempotency_key text,
    digest          bytea NOT NULL CHECK (length(digest) = 32),
    CHECK (valid_to IS NULL OR valid_from IS NULL OR valid_to >= valid_from),
    PRIMARY KEY (orchestrator_id, seq),
    UNIQUE (orchestrator_id, memory_id)
);
CREATE INDEX memories_scope ON recollect.memories (orchestrator_id, scope_id, status);
CREATE UNIQUE INDEX memories_idempotency ON recollect.memories (orchestrator_id, scope_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- A memory has one source that made it (ordinal 0) and may gain others that say the same.
CREATE TABLE recollect.memory_sources (
    orchestrator_id text NOT NULL,
    memory_id       text NOT NULL,
    ordinal         integer NOT NULL CHECK (ordinal >= 0),
    source_type     text NOT NULL CHECK (source_type IN
                    ('workflow_output', 'channel_transcript', 'ingest_file', 'diagnostics', 'manual')),
    captured_by     text NOT NULL CHECK (captured_by IN ('extractor', 'user', 'system')),
    source_path     text,
    conversation_id text,
    workflow_run_id text,
    step_id         text,
    message_id      text,
    speaker         text,
    position        bigint CHECK (position >= 0),
    PRIMARY KEY (orchestrator_id, memory_id, ordinal)
);
CREATE INDEX memory_sources_conversation ON recollect.memory_sources (orchestrator_id, conversation_id, position)
    WHERE conversation_id IS NOT NULL AND position IS NOT NULL;

CREATE TABLE recollect.memory_edges (
    orchestrator_id text NOT NULL,
    edge_id         text NOT NULL CHECK (length(edge_id) = 36),
    from_memory_id  text NOT NULL,
    to_memory_id    text NOT NULL,
    edge_type       text NOT NULL CHECK (edge_type IN ('RelatedTo', 'Updates', 'Contradicts', 'CausedBy', 'PartOf')),
    weight          double precision NOT NULL CHECK (weight BETWEEN 0.0 AND 1.0),
    reason          text,
    created_at      bigint NOT NULL,
    CHECK (from_memory_id <> to_memory_id),
    PRIMARY KEY (orchestrator_id, edge_id),
    UNIQUE (orchestrator_id, from_memory_id, to_memory_id, edge_type)
);
CREATE INDEX memory_edges_to ON recollect.memory_edges (orchestrator_id, to_memory_id);

-- Terms, not raw text (see model/terms.py), in the order they were said.
CREATE TABLE recollect.memory_fts (
    orchestrator_id text NOT NULL,
    seq             bigint NOT NULL,
    terms           text NOT NULL,
    PRIMARY KEY (orchestrator_id, seq)
);
-- The same, by term: an inverted index as a table. PostgreSQL's own (tsvector with GIN) cannot begin with the
-- orchestrator, and is not used at all where row-level security is forced: its operator is not leakproof.
CREATE TABLE recollect.memory_terms (
    orchestrator_id text NOT NULL,
    scope_id        bigint NOT NULL,
    term            text COLLATE "C" NOT NULL,
    seq             bigint NOT NULL,
    occurrences     integer NOT NULL,
    length          integer NOT NULL, -- of the whole memory, in terms
    PRIMARY KEY (orchestrator_id, scope_id, term, seq) INCLUDE (occurrences, length)
);

-- Every vector knows the model that made it; vectors of different models are never compared.
CREATE TABLE recollect.embedding_models (
    orchestrator_id text NOT NULL,
    model_id        bigint NOT NULL DEFAULT nextval('recollect.model_numbers'),
    name            text NOT NULL,
    dimension       integer NOT NULL CHECK (dimension BETWEEN 1 AND 16000),
    PRIMARY KEY (orchestrator_id, model_id),
    UNIQUE (orchestrator_id, name)
);
CREATE TABLE recollect.memory_embeddings (
    orchestrator_id text NOT NULL,
    entry           bigint NOT NULL DEFAULT nextval('recollect.entry_numbers'),
    seq             bigint NOT NULL,
    scope_id        bigint NOT NULL, -- the memory's own, which never changes: a search by index filters on it
    model_id        bigint NOT NULL,
    vector          vector NOT NULL,
    PRIMARY KEY (orchestrator_id, entry),
    UNIQUE (orchestrator_id, seq, model_id)
);
CREATE INDEX memory_embeddings_scope ON recollect.memory_embeddings (orchestrator_id, scope_id, model_id);
-- Memories whose vector has still to be made, and when to try again.
CREATE TABLE recollect.embedding_queue (
    orchestrator_id text NOT NULL,
    seq             bigint NOT NULL,
    attempts        integer NOT NULL DEFAULT 0,
    due_at          bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (orchestrator_id, seq)
);
CREATE INDEX embedding_queue_due ON recollect.embedding_queue (orchestrator_id, due_at);

-- Append-only: what happened, when, by whom and why. Details may be blanked when their memory is forgotten for good.
CREATE TABLE recollect.events (
    orchestrator_id text NOT NULL,
    sequence        bigint NOT NULL DEFAULT nextval('recollect.event_numbers'),
    occurred_at     bigint NOT NULL,
    kind            text NOT NULL,
    actor           text NOT NULL,
    memory_id       text,
    edge_id         text,
    reason          text,
    detail          text CHECK (detail IS NULL OR detail::jsonb IS NOT NULL),
    PRIMARY KEY (orchestrator_id, sequence)
);
CREATE INDEX events_memory ON recollect.events (orchestrator_id, memory_id, sequence) WHERE memory_id IS NOT NULL;

-- Conversations: sessions with their messages, values and usage; profiles of users. What was said is searched as
-- memories are, so a memory has a kind.

ALTER TABLE recollect.memories ADD COLUMN kind text NOT NULL DEFAULT 'memory'
    CHECK (kind IN ('memory', 'message', 'chunk'));
DROP INDEX recollect.memories_scope;
CREATE INDEX memories_scope ON recollect.memories (orchestrator_id, scope_id, kind, type);

CREATE TABLE recollect.sessions (
    orchestrator_id text NOT NULL,
    session_id      text NOT NULL CHECK (length(session_id) = 36),
    agent_id        text NOT NULL,
    provider        text NOT NULL,
    chat_id         text,
    user_id         text,
    store_types     text NOT NULL CHECK (store_types::jsonb IS NOT NULL),
    place           text, -- agent, provider, chat and user of the session that is found by them
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    expires_at      bigint,
    PRIMARY KEY (orchestrator_id, session_id),
    UNIQUE (orchestrator_id, place)
);
CREATE INDEX sessions_agent ON recollect.sessions (orchestrator_id, agent_id, updated_at);
CREATE INDEX sessions_expiry ON recollect.sessions (orchestrator_id, expires_at) WHERE expires_at IS NOT NULL;

-- What was said, as it was said; `memory_id` is what it is searched by, where there is something to search.
CREATE TABLE recollect.messages (
    orchestrator_id text NOT NULL,
    session_id      text NOT NULL,
    position        bigint NOT NULL CHECK (position >= 0),
    message_id      text NOT NULL CHECK (length(message_id) = 36),
    role            text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    content         bytea NOT NULL, -- UTF-8: a PostgreSQL text cannot hold every character
    created_at      bigint NOT NULL,
    token_count     integer NOT NULL CHECK (token_count >= 0),
    metadata        text CHECK (metadata IS NULL OR metadata::json IS NOT NULL),
    memory_id       text,
    PRIMARY KEY (orchestrator_id, session_id, position),
    UNIQUE (orchestrator_id, message_id)
);
CREATE INDEX messages_memory ON recollect.messages (orchestrator_id, memory_id) WHERE memory_id IS NOT NULL;

CREATE TABLE recollect.session_values (
    orchestrator_id text NOT NULL,
    session_id      text NOT NULL,
    key             text NOT NULL,
    value           bytea NOT NULL,
    written_at      bigint NOT NULL,
    ordinal         bigint NOT NULL, -- the order of writing: the oldest goes first
    PRIMARY KEY (orchestrator_id, session_id, key)
);

-- Of sessions of any kind, also of those that are kept in files.
CREATE TABLE recollect.session_usage (
    orchestrator_id text NOT NULL,
    session_id      text NOT NULL,
    model           text NOT NULL,
    requests        bigint NOT NULL,
    input_tokens    bigint NOT NULL,
    output_tokens   bigint NOT NULL,
    cost            double precision NOT NULL,
    PRIMARY KEY (orchestrator_id, session_id, model)
);

CREATE TABLE recollect.user_profiles (
    orchestrator_id text NOT NULL,
    user_id         text NOT NULL,
    provider        text NOT NULL,
    username        text,
    display_name    text,
    notes           text,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (orchestrator_id, user_id, provider)
);

-- Marks of writes that leave no event: when the answer to a commit is lost, they tell whether it took effect.
CREATE TABLE recollect.writes (
    orchestrator_id text NOT NULL,
    write_id        text NOT NULL,
    written_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (orchestrator_id, write_id)
);

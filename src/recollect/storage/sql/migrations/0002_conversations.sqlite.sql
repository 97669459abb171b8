-- Conversations: sessions with their messages, values and usage; profiles of users. What was said is searched as
-- memories are, so a memory has a kind.

ALTER TABLE memories ADD COLUMN kind TEXT NOT NULL DEFAULT 'memory' CHECK (kind IN ('memory', 'message', 'chunk'));
DROP INDEX memories_scope;
CREATE INDEX memories_scope ON memories (scope_id, kind, type);

CREATE TABLE sessions (
    session_id  TEXT PRIMARY KEY CHECK (length(session_id) = 36),
    agent_id    TEXT NOT NULL,
    provider    TEXT NOT NULL,
    chat_id     TEXT,
    user_id     TEXT,
    store_types TEXT NOT NULL CHECK (json_valid(store_types)),
    place       TEXT UNIQUE, -- agent, provider, chat and user of the session that is found by them
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    expires_at  INTEGER
) STRICT;
CREATE INDEX sessions_agent ON sessions (agent_id, updated_at);
CREATE INDEX sessions_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What was said, as it was said; `memory_id` is what it is searched by, where there is something to search.
CREATE TABLE messages (
    session_id  TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    position    INTEGER NOT NULL CHECK (position >= 0),
    message_id  TEXT NOT NULL UNIQUE CHECK (length(message_id) = 36),
    role        TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    content     TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    token_count INTEGER NOT NULL CHECK (token_count >= 0),
    metadata    TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    memory_id   TEXT REFERENCES memories (memory_id) ON DELETE SET NULL,
    PRIMARY KEY (session_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_memory ON messages (memory_id) WHERE memory_id IS NOT NULL;

CREATE TABLE session_values (
    session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    written_at INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL, -- the order of writing: the oldest goes first
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;

-- Of sessions of any kind, also of those that are kept in files.
CREATE TABLE session_usage (
    session_id    TEXT NOT NULL,
    model         TEXT NOT NULL,
    requests      INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL NOT NULL,
    PRIMARY KEY (session_id, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_profiles (
    user_id      TEXT NOT NULL,
    provider     TEXT NOT NULL,
    username     TEXT,
    display_name TEXT,
    notes        TEXT,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (user_id, provider)
) STRICT, WITHOUT ROWID;

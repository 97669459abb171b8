-- Tokens: who may call from outside, as whom, with which rights, until when. Only a digest of a token is kept.

CREATE TABLE tokens (
    token_id   TEXT PRIMARY KEY CHECK (length(token_id) = 36),
    digest     TEXT NOT NULL CHECK (length(digest) = 64),
    user_id    TEXT NOT NULL CHECK (user_id <> ''),
    chat_id    TEXT,
    rights     TEXT NOT NULL CHECK (rights IN ('read', 'write', 'admin')),
    label      TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- Tokens: who may call from outside, as whom, with which rights, until when. Only a digest of a token is kept.

CREATE TABLE recollect.tokens (
    orchestrator_id text NOT NULL,
    token_id        text NOT NULL CHECK (length(token_id) = 36),
    digest          text NOT NULL CHECK (length(digest) = 64),
    user_id         text NOT NULL CHECK (user_id <> ''),
    chat_id         text,
    rights          text NOT NULL CHECK (rights IN ('read', 'write', 'admin')),
    label           text,
    created_at      bigint NOT NULL,
    expires_at      bigint,
    revoked_at      bigint,
    PRIMARY KEY (orchestrator_id, token_id)
);

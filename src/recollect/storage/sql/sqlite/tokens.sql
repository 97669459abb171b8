-- Tokens, by their ids; never by what they are.

-- fragment: token
token_id, digest, user_id, chat_id, rights, label, created_at, expires_at, revoked_at

-- name: token
SELECT @token FROM tokens WHERE token_id = :token_id

-- name: tokens
SELECT @token FROM tokens ORDER BY created_at, token_id

-- name: put_token
INSERT INTO tokens (token_id, digest, user_id, chat_id, rights, label, created_at, expires_at, revoked_at)
VALUES (:token_id, :digest, :user_id, :chat_id, :rights, :label, :created_at, :expires_at, :revoked_at)
ON CONFLICT (token_id) DO UPDATE SET revoked_at = excluded.revoked_at

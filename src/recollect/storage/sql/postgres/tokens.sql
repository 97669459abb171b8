-- Tokens, by their ids; never by what they are.

-- fragment: token
token_id, digest, user_id, chat_id, rights, label, created_at, expires_at, revoked_at

-- name: token
SELECT @token FROM recollect.tokens WHERE orchestrator_id = :orchestrator_id AND token_id = :token_id

-- name: tokens
SELECT @token FROM recollect.tokens WHERE orchestrator_id = :orchestrator_id ORDER BY created_at, token_id

-- name: put_token
INSERT INTO recollect.tokens (orchestrator_id, token_id, digest, user_id, chat_id, rights, label, created_at, expires_at, revoked_at)
VALUES (:orchestrator_id, :token_id, :digest, :user_id, :chat_id, :rights, :label, :created_at, :expires_at, :revoked_at)
ON CONFLICT (orchestrator_id, token_id) DO UPDATE SET revoked_at = excluded.revoked_at

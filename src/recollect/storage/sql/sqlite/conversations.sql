-- Conversations: sessions, messages, values, usage, profiles.

-- fragment: session
session_id, agent_id, provider, chat_id, user_id, store_types, created_at, updated_at, expires_at

-- name: session
SELECT @session FROM sessions WHERE session_id = :session_id

-- The session of an agent with a user in a chat, found by all of them.
-- name: session_at
SELECT @session FROM sessions WHERE place = :place

-- Newest first; of one agent or of all.
-- name: sessions
SELECT @session FROM sessions WHERE (:agent_id IS NULL OR agent_id = :agent_id)
ORDER BY updated_at DESC, session_id DESC LIMIT :limit

-- name: expired_sessions
SELECT @session FROM sessions WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit

-- name: add_session
INSERT INTO sessions (session_id, agent_id, provider, chat_id, user_id, store_types, place, created_at, updated_at, expires_at)
VALUES (:session_id, :agent_id, :provider, :chat_id, :user_id, :store_types, :place, :created_at, :updated_at, :expires_at)

-- name: touch_session
UPDATE sessions SET updated_at = max(updated_at, :now) WHERE session_id = :session_id

-- What was said goes with its session; what was learned from it stays.
-- name: said
SELECT memory_id FROM messages WHERE session_id = :session_id AND memory_id IS NOT NULL

-- name: erase_terms
DELETE FROM memory_fts WHERE rowid IN (SELECT seq FROM memories WHERE memory_id IN (SELECT value FROM json_each(:memory_ids)))

-- name: erase_memories
DELETE FROM memories WHERE memory_id IN (SELECT value FROM json_each(:memory_ids))

-- name: drop_session
DELETE FROM sessions WHERE session_id = :session_id

-- name: drop_usage
DELETE FROM session_usage WHERE session_id = :session_id

-- name: last_position
SELECT coalesce(max(position), -1) FROM messages WHERE session_id = :session_id

-- name: add_message
INSERT INTO messages (session_id, position, message_id, role, content, created_at, token_count, metadata, memory_id)
VALUES (:session_id, :position, :message_id, :role, :content, :created_at, :token_count, :metadata, :memory_id)

-- The last messages before a position, newest first.
-- name: messages
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM messages WHERE session_id = :session_id AND position < :before ORDER BY position DESC LIMIT :limit

-- name: message
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM messages WHERE message_id = :message_id

-- name: drop_message
DELETE FROM messages WHERE message_id = :message_id

-- name: session_value
SELECT value FROM session_values WHERE session_id = :session_id AND key = :key

-- Oldest first.
-- name: session_values
SELECT key, value, written_at FROM session_values WHERE session_id = :session_id ORDER BY ordinal

-- name: set_session_value
INSERT INTO session_values (session_id, key, value, written_at, ordinal)
VALUES (:session_id, :key, :value, :now,
        (SELECT coalesce(max(ordinal), 0) + 1 FROM session_values WHERE session_id = :session_id))
ON CONFLICT (session_id, key) DO UPDATE
SET value = excluded.value, written_at = excluded.written_at, ordinal = excluded.ordinal

-- name: drop_session_value
DELETE FROM session_values WHERE session_id = :session_id AND key = :key

-- name: usage
SELECT model, requests, input_tokens, output_tokens, cost FROM session_usage
WHERE session_id = :session_id ORDER BY model

-- name: add_usage
INSERT INTO session_usage AS u (session_id, model, requests, input_tokens, output_tokens, cost)
VALUES (:session_id, :model, 1, :input_tokens, :output_tokens, :cost)
ON CONFLICT (session_id, model) DO UPDATE SET
    requests = u.requests + 1, input_tokens = u.input_tokens + excluded.input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost

-- name: profile
SELECT user_id, provider, username, display_name, notes, updated_at FROM user_profiles
WHERE user_id = :user_id AND provider = :provider

-- name: put_profile
INSERT INTO user_profiles (user_id, provider, username, display_name, notes, updated_at)
VALUES (:user_id, :provider, :username, :display_name, :notes, :now)
ON CONFLICT (user_id, provider) DO UPDATE SET
    username = excluded.username, display_name = excluded.display_name, notes = excluded.notes,
    updated_at = excluded.updated_at

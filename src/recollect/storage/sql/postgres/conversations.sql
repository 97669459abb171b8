-- Conversations: sessions, messages, values, usage, profiles.

-- fragment: session
session_id, agent_id, provider, chat_id, user_id, store_types, created_at, updated_at, expires_at

-- name: session
SELECT @session FROM recollect.sessions WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- The session of an agent with a user in a chat, found by all of them.
-- name: session_at
SELECT @session FROM recollect.sessions WHERE orchestrator_id = :orchestrator_id AND place = :place

-- Newest first; of one agent or of all.
-- name: sessions
SELECT @session FROM recollect.sessions WHERE orchestrator_id = :orchestrator_id AND (:agent_id::text IS NULL OR agent_id = :agent_id)
ORDER BY updated_at DESC, session_id DESC LIMIT :limit

-- name: expired_sessions
SELECT @session FROM recollect.sessions WHERE orchestrator_id = :orchestrator_id AND expires_at <= :now ORDER BY expires_at LIMIT :limit

-- name: add_session
INSERT INTO recollect.sessions (orchestrator_id, session_id, agent_id, provider, chat_id, user_id, store_types, place, created_at, updated_at, expires_at)
VALUES (:orchestrator_id, :session_id, :agent_id, :provider, :chat_id, :user_id, :store_types, :place, :created_at, :updated_at, :expires_at)

-- name: touch_session
UPDATE recollect.sessions SET updated_at = greatest(updated_at, :now) WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- What was said goes with its session; what was learned from it stays.
-- name: said
SELECT memory_id FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id AND memory_id IS NOT NULL

-- name: erase_memories
DELETE FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND memory_id IN (SELECT jsonb_array_elements_text(:memory_ids::jsonb))

-- name: drop_session
DELETE FROM recollect.sessions WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- name: drop_usage
DELETE FROM recollect.session_usage WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- name: last_position
SELECT coalesce(max(position), -1) FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- name: add_message
INSERT INTO recollect.messages (orchestrator_id, session_id, position, message_id, role, content, created_at, token_count, metadata, memory_id)
VALUES (:orchestrator_id, :session_id, :position, :message_id, :role, :content, :created_at, :token_count, :metadata, :memory_id)

-- The last messages before a position, newest first.
-- name: messages
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id AND position < :before ORDER BY position DESC LIMIT :limit

-- name: message
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND message_id = :message_id

-- name: drop_message
DELETE FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND message_id = :message_id

-- name: session_value
SELECT value FROM recollect.session_values WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id AND key = :key

-- Oldest first.
-- name: session_values
SELECT key, value, written_at FROM recollect.session_values WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id ORDER BY ordinal

-- name: set_session_value
INSERT INTO recollect.session_values (orchestrator_id, session_id, key, value, written_at, ordinal)
VALUES (:orchestrator_id, :session_id, :key, :value, :now,
        (SELECT coalesce(max(ordinal), 0) + 1 FROM recollect.session_values WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id))
ON CONFLICT (orchestrator_id, session_id, key) DO UPDATE
SET value = excluded.value, written_at = excluded.written_at, ordinal = excluded.ordinal

-- name: drop_session_value
DELETE FROM recollect.session_values WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id AND key = :key

-- name: usage
SELECT model, requests, input_tokens, output_tokens, cost FROM recollect.session_usage
WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id ORDER BY model

-- name: add_usage
INSERT INTO recollect.session_usage AS u (orchestrator_id, session_id, model, requests, input_tokens, output_tokens, cost)
VALUES (:orchestrator_id, :session_id, :model, 1, :input_tokens, :output_tokens, :cost)
ON CONFLICT (orchestrator_id, session_id, model) DO UPDATE SET
    requests = u.requests + 1, input_tokens = u.input_tokens + excluded.input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost

-- name: profile
SELECT user_id, provider, username, display_name, notes, updated_at FROM recollect.user_profiles
WHERE orchestrator_id = :orchestrator_id AND user_id = :user_id AND provider = :provider

-- name: put_profile
INSERT INTO recollect.user_profiles (orchestrator_id, user_id, provider, username, display_name, notes, updated_at)
VALUES (:orchestrator_id, :user_id, :provider, :username, :display_name, :notes, :now)
ON CONFLICT (orchestrator_id, user_id, provider) DO UPDATE SET
    username = excluded.username, display_name = excluded.display_name, notes = excluded.notes,
    updated_at = excluded.updated_at

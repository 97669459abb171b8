-- Knowledge: people, claims, what is forgotten, what has still to be learned, what is put away.

-- name: people_of_scope
SELECT person_id, name, merged_into, created_at, updated_at FROM recollect.people
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id ORDER BY person_id

-- name: names_of_scope
SELECT n.person_id, n.name FROM recollect.people AS p
JOIN recollect.person_names AS n ON n.orchestrator_id = p.orchestrator_id AND n.person_id = p.person_id
WHERE p.orchestrator_id = :orchestrator_id AND p.scope_id = :scope_id ORDER BY n.person_id, n.name COLLATE "C"

-- name: relations_of_scope
SELECT r.person_id, r.relation, r.of_person FROM recollect.people AS p
JOIN recollect.person_relations AS r ON r.orchestrator_id = p.orchestrator_id AND r.person_id = p.person_id
WHERE p.orchestrator_id = :orchestrator_id AND p.scope_id = :scope_id
ORDER BY r.person_id, r.relation COLLATE "C", r.of_person

-- The people that some memories are about.
-- name: subjects
SELECT mp.memory_id, mp.person_id, p.scope_id FROM recollect.memory_people AS mp
JOIN recollect.people AS p ON p.orchestrator_id = mp.orchestrator_id AND p.person_id = mp.person_id
WHERE mp.orchestrator_id = :orchestrator_id AND mp.memory_id IN (SELECT j.value FROM @memory_ids)
ORDER BY mp.memory_id, mp.person_id

-- Visible memories about any of some people, newest first.
-- name: about
SELECT m.seq FROM recollect.memory_people AS mp
JOIN recollect.memories AS m ON m.orchestrator_id = mp.orchestrator_id AND m.memory_id = mp.memory_id
WHERE mp.orchestrator_id = :orchestrator_id AND mp.person_id IN (SELECT jsonb_array_elements_text(:person_ids::jsonb))
  AND @visible
GROUP BY m.seq, m.observed_at, m.content ORDER BY @preferred LIMIT :limit

-- What happened to visible memories, the last first.
-- name: changes
SELECT e.sequence, e.occurred_at, e.kind, e.actor, e.memory_id, e.edge_id, e.reason, e.detail, e.person_id
FROM recollect.events AS e
JOIN recollect.memories AS m ON m.orchestrator_id = e.orchestrator_id AND m.memory_id = e.memory_id
WHERE e.orchestrator_id = :orchestrator_id AND e.sequence > :after AND e.occurred_at >= :since AND e.occurred_at < :until
  AND e.kind <> 'access.denied' AND (:events::text IS NULL OR strpos(:events, '"' || e.kind || '"') > 0) AND @visible
ORDER BY e.sequence DESC LIMIT :limit

-- Whether somebody did something after an event that leaves nothing to be seen, such as forgetting.
-- name: acted
SELECT 1 FROM recollect.events
WHERE orchestrator_id = :orchestrator_id AND sequence > :after AND actor = :actor AND kind <> 'access.denied' LIMIT 1

-- name: newest_event
SELECT max(sequence) FROM recollect.events WHERE orchestrator_id = :orchestrator_id

-- How many visible memories were made on each day since 1970.
-- name: learned
SELECT m.created_at / 86400000000 AS day, m.type, coalesce(so.source_type, 'manual') AS source, count(*) FROM @memories
WHERE m.created_at >= :since AND @visible GROUP BY day, m.type, source ORDER BY day, m.type, source

-- name: put_person
INSERT INTO recollect.people (orchestrator_id, person_id, scope_id, name, merged_into, created_at, updated_at)
VALUES (:orchestrator_id, :person_id, :scope_id, :name, :merged_into, :created_at, :updated_at)
ON CONFLICT (orchestrator_id, person_id) DO UPDATE
SET name = excluded.name, merged_into = excluded.merged_into, updated_at = excluded.updated_at

-- name: drop_names
DELETE FROM recollect.person_names WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id

-- name: add_name
INSERT INTO recollect.person_names (orchestrator_id, person_id, name) VALUES (:orchestrator_id, :person_id, :name)
ON CONFLICT DO NOTHING

-- name: drop_relations
DELETE FROM recollect.person_relations WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id

-- name: add_relation
INSERT INTO recollect.person_relations (orchestrator_id, person_id, relation, of_person)
VALUES (:orchestrator_id, :person_id, :relation, :of_person) ON CONFLICT DO NOTHING

-- name: erase_person
DELETE FROM recollect.people WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id

-- name: add_subject
INSERT INTO recollect.memory_people (orchestrator_id, memory_id, person_id)
VALUES (:orchestrator_id, :memory_id, :person_id) ON CONFLICT DO NOTHING

-- name: drop_subject
DELETE FROM recollect.memory_people
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND person_id = :person_id

-- The memories of a person, whoever may see them.
-- name: memories_of_person
SELECT memory_id FROM recollect.memory_people
WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id ORDER BY memory_id

-- What is claimed of one attribute of one subject by memories that count, newest first.
-- name: claims
SELECT c.memory_id, c.subject, c.attribute, c.value, c.negated, c.stated_by, c.clause FROM recollect.memory_claims AS c
JOIN recollect.memories AS m ON m.orchestrator_id = c.orchestrator_id AND m.memory_id = c.memory_id
WHERE c.orchestrator_id = :orchestrator_id AND c.scope_id = :scope_id AND c.subject = :subject
  AND c.attribute = :attribute AND c.active = 1 AND c.negated IN (:negated, :or_negated) AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY c.memory_id DESC LIMIT :limit

-- What the newest memories of a scope claim.
-- name: latest_claims
SELECT c.memory_id, c.subject, c.attribute, c.value, c.negated, c.stated_by, c.clause
FROM (SELECT * FROM recollect.memory_claims WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id
        AND active = 1 ORDER BY memory_id DESC LIMIT :limit) AS c
JOIN recollect.memories AS m ON m.orchestrator_id = c.orchestrator_id AND m.memory_id = c.memory_id
WHERE m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY c.memory_id DESC, c.ordinal

-- name: claims_of
SELECT memory_id, subject, attribute, value, negated, stated_by, clause FROM recollect.memory_claims
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND active = 1 ORDER BY ordinal

-- name: add_claim
INSERT INTO recollect.memory_claims (
    orchestrator_id, memory_id, ordinal, scope_id, subject, attribute, value, negated, stated_by, clause, active)
SELECT :orchestrator_id, * FROM unnest(
    :c0::text[], :c1::integer[], :c2::bigint[], :c3::text[], :c4::text[], :c5::text[], :c6::integer[], :c7::text[],
    :c8::integer[], :c9::integer[])

-- name: set_claims_active
UPDATE recollect.memory_claims SET active = :active
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND active <> :active

-- One claim that was replaced, of a memory that says more and stays.
-- name: retire_claim
UPDATE recollect.memory_claims SET active = 0
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND subject = :subject AND attribute = :attribute AND value = :value

-- name: drop_claims
DELETE FROM recollect.memory_claims WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- name: move_claims
UPDATE recollect.memory_claims SET subject = :target
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND subject = :subject

-- A memory in the same scope that says the same and counts.
-- name: twin
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.scope_id = :scope_id AND m.content_key = :content_key
  AND m.kind = 'memory' AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.seq LIMIT 1

-- name: set_content_key
UPDATE recollect.memories SET content_key = :content_key
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- name: last_source
SELECT max(ordinal) FROM recollect.memory_sources WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- Which of some digests a memory has, or something that was forgotten.
-- name: known_keys
SELECT j.value FROM jsonb_array_elements_text(:keys::jsonb) AS j (value)
WHERE EXISTS (SELECT 1 FROM recollect.memories AS m WHERE m.orchestrator_id = :orchestrator_id
                AND m.scope_id = :scope_id AND m.content_key = decode(j.value, 'hex'))
   OR EXISTS (SELECT 1 FROM recollect.forgotten AS f WHERE f.orchestrator_id = :orchestrator_id
                AND f.scope_id = :scope_id AND f.content_key = decode(j.value, 'hex'))

-- name: known_key
SELECT 1 FROM recollect.memories
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND content_key = :content_key
UNION ALL SELECT 1 FROM recollect.forgotten
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND content_key = :content_key LIMIT 1

-- name: is_forgotten
SELECT 1 FROM recollect.forgotten
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND content_key = :content_key

-- name: note_forgotten
INSERT INTO recollect.forgotten (orchestrator_id, scope_id, content_key, forgotten_at)
VALUES (:orchestrator_id, :scope_id, :content_key, :now) ON CONFLICT DO NOTHING

-- name: drop_forgotten
DELETE FROM recollect.forgotten
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND content_key = :content_key

-- Memories from before they were understood.
-- name: not_understood
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.kind = 'memory' AND m.content_key IS NULL ORDER BY m.seq LIMIT :limit

-- Memories whose time is over and that still count.
-- name: expired
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.expires_at <= :now AND m.kind IN ('memory', 'chunk')
  AND m.status = 'active' ORDER BY m.expires_at, m.seq LIMIT :limit

-- name: superseded
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.kind = 'memory' AND m.status = 'superseded' AND m.updated_at <= :before
ORDER BY m.seq LIMIT :limit

-- name: count_active
SELECT count(*) FROM recollect.memories
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND kind = 'memory' AND status = 'active'
  AND (expires_at IS NULL OR expires_at > :now)

-- The least worth keeping: what is neither important nor new, and stands in no relation to others.
-- name: least_valuable
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.scope_id = :scope_id AND m.kind = 'memory' AND m.status = 'active'
  AND m.importance < 100 AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.importance + least(10, (SELECT count(*) FROM recollect.memory_sources AS s
                                   WHERE s.orchestrator_id = m.orchestrator_id AND s.memory_id = m.memory_id) - 1)
         - least(40, (:now - m.observed_at) / 86400000000 / 30), m.observed_at, m.seq
LIMIT :limit

-- name: scope_memories
SELECT memory_id FROM recollect.memories
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id ORDER BY seq LIMIT :limit

-- name: blank_events
UPDATE recollect.events SET detail = NULL, reason = NULL
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- name: blank_person_events
UPDATE recollect.events SET detail = NULL, reason = NULL
WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id

-- name: person_events
SELECT sequence, occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id
FROM recollect.events WHERE orchestrator_id = :orchestrator_id AND person_id = :person_id ORDER BY sequence

-- Messages in sessions of one user or chat, a page at a time.
-- name: messages_of
SELECT m.message_id, m.session_id, m.position, m.role, m.content, m.created_at, m.token_count, m.metadata, m.memory_id
FROM recollect.sessions AS s
JOIN recollect.messages AS m ON m.orchestrator_id = s.orchestrator_id AND m.session_id = s.session_id
WHERE s.orchestrator_id = :orchestrator_id
  AND (:everybody::boolean OR s.user_id = :user::text OR s.chat_id = :chat::text)
  AND (m.session_id, m.position) > (:session_id, :position)
ORDER BY m.session_id, m.position LIMIT :limit

-- name: redact_message
UPDATE recollect.messages SET content = :content, metadata = NULL, memory_id = NULL
WHERE orchestrator_id = :orchestrator_id AND message_id = :message_id

-- name: sessions_of_user
SELECT @session FROM recollect.sessions
WHERE orchestrator_id = :orchestrator_id AND user_id = :user ORDER BY session_id

-- name: drop_profiles
DELETE FROM recollect.user_profiles WHERE orchestrator_id = :orchestrator_id AND user_id = :user

-- name: extraction
SELECT position, attempts, due_at FROM recollect.extractions
WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id

-- name: put_extraction
INSERT INTO recollect.extractions (orchestrator_id, session_id, position, attempts, due_at)
VALUES (:orchestrator_id, :session_id, :position, :attempts, :due_at)
ON CONFLICT (orchestrator_id, session_id) DO UPDATE
SET position = excluded.position, attempts = excluded.attempts, due_at = excluded.due_at

-- name: due_extractions
SELECT session_id FROM recollect.extractions
WHERE orchestrator_id = :orchestrator_id AND due_at <= :now ORDER BY due_at LIMIT :limit

-- name: next_extraction
SELECT min(due_at) FROM recollect.extractions WHERE orchestrator_id = :orchestrator_id

-- For upkeep of the whole store, which shows nobody anything.
-- name: all_scopes
SELECT kind, owner_user_id, chat_id FROM recollect.scopes WHERE orchestrator_id = :orchestrator_id ORDER BY scope_id

-- name: every_memory
SELECT m.seq, @memory FROM @memories WHERE m.seq > :after AND m.orchestrator_id = :orchestrator_id ORDER BY m.seq LIMIT :limit

-- name: any_memory
SELECT @memory FROM @memories WHERE m.memory_id = :memory_id AND m.orchestrator_id = :orchestrator_id

-- name: content_key_of
SELECT content_key FROM recollect.memories WHERE memory_id = :memory_id AND orchestrator_id = :orchestrator_id

-- What was said in a session behind a position, in order.
-- name: messages_after
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM recollect.messages WHERE orchestrator_id = :orchestrator_id AND session_id = :session_id AND position > :position ORDER BY position LIMIT :limit

-- A key that a merged write came with, where the memory has none of its own.
-- name: set_key
UPDATE recollect.memories SET idempotency_key = :key WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND idempotency_key IS NULL

-- name: message_ids_of
SELECT message_id FROM recollect.memory_sources WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND message_id IS NOT NULL

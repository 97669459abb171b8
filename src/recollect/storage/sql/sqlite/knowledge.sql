-- Knowledge: people, claims, what is forgotten, what has still to be learned, what is put away.

-- name: people_of_scope
SELECT person_id, name, merged_into, created_at, updated_at FROM people WHERE scope_id = :scope_id ORDER BY person_id

-- name: names_of_scope
SELECT n.person_id, n.name FROM people AS p JOIN person_names AS n ON n.person_id = p.person_id
WHERE p.scope_id = :scope_id ORDER BY n.person_id, n.name

-- name: relations_of_scope
SELECT r.person_id, r.relation, r.of_person FROM people AS p JOIN person_relations AS r ON r.person_id = p.person_id
WHERE p.scope_id = :scope_id ORDER BY r.person_id, r.relation, r.of_person

-- The people that some memories are about.
-- name: subjects
SELECT mp.memory_id, mp.person_id, p.scope_id FROM json_each(:memory_ids) AS j
JOIN memory_people AS mp ON mp.memory_id = j.value JOIN people AS p ON p.person_id = mp.person_id
ORDER BY mp.memory_id, mp.person_id

-- Visible memories about any of some people, newest first.
-- name: about
SELECT DISTINCT m.seq FROM json_each(:person_ids) AS j
JOIN memory_people AS mp ON mp.person_id = j.value
JOIN memories AS m ON m.memory_id = mp.memory_id
WHERE @visible ORDER BY @preferred LIMIT :limit

-- What happened to visible memories, the last first: events in their own order, so that only the newest are looked at.
-- name: changes
SELECT e.sequence, e.occurred_at, e.kind, e.actor, e.memory_id, e.edge_id, e.reason, e.detail, e.person_id
FROM events AS e CROSS JOIN memories AS m ON m.memory_id = e.memory_id
WHERE e.sequence > :after AND e.occurred_at >= :since AND e.occurred_at < :until AND e.kind <> 'access.denied'
  AND (:events IS NULL OR instr(:events, '"' || e.kind || '"')) AND @visible
ORDER BY e.sequence DESC LIMIT :limit

-- Whether somebody did something after an event that leaves nothing to be seen, such as forgetting.
-- name: acted
SELECT 1 FROM events WHERE sequence > :after AND actor = :actor AND kind <> 'access.denied' LIMIT 1

-- name: newest_event
SELECT max(sequence) FROM events

-- How many visible memories were made on each day since 1970.
-- name: learned
SELECT m.created_at / 86400000000 AS day, m.type, coalesce(so.source_type, 'manual') AS source, count(*) FROM @memories
WHERE m.created_at >= :since AND @visible GROUP BY day, m.type, source ORDER BY day, m.type, source

-- name: put_person
INSERT INTO people (person_id, scope_id, name, merged_into, created_at, updated_at)
VALUES (:person_id, :scope_id, :name, :merged_into, :created_at, :updated_at)
ON CONFLICT (person_id) DO UPDATE SET name = excluded.name, merged_into = excluded.merged_into, updated_at = excluded.updated_at

-- name: drop_names
DELETE FROM person_names WHERE person_id = :person_id

-- name: add_name
INSERT OR IGNORE INTO person_names (person_id, name) VALUES (:person_id, :name)

-- name: drop_relations
DELETE FROM person_relations WHERE person_id = :person_id

-- name: add_relation
INSERT OR IGNORE INTO person_relations (person_id, relation, of_person) VALUES (:person_id, :relation, :of_person)

-- name: erase_person
DELETE FROM people WHERE person_id = :person_id

-- name: add_subject
INSERT OR IGNORE INTO memory_people (memory_id, person_id) VALUES (:memory_id, :person_id)

-- name: drop_subject
DELETE FROM memory_people WHERE memory_id = :memory_id AND person_id = :person_id

-- The memories of a person, whoever may see them.
-- name: memories_of_person
SELECT memory_id FROM memory_people WHERE person_id = :person_id ORDER BY memory_id

-- What is claimed of one attribute of one subject by memories that count, newest first: ids are in the order of time.
-- name: claims
SELECT c.memory_id, c.subject, c.attribute, c.value, c.negated, c.stated_by, c.clause
FROM memory_claims AS c INDEXED BY memory_claims_slot
JOIN memories AS m ON m.memory_id = c.memory_id
WHERE c.scope_id = :scope_id AND c.subject = :subject AND c.attribute = :attribute AND c.active = 1
  AND c.negated IN (:negated, :or_negated) AND m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY +c.memory_id DESC LIMIT :limit

-- What the newest memories of a scope claim.
-- name: latest_claims
SELECT c.memory_id, c.subject, c.attribute, c.value, c.negated, c.stated_by, c.clause
FROM (SELECT * FROM memory_claims WHERE scope_id = :scope_id AND active = 1 ORDER BY memory_id DESC LIMIT :limit) AS c
JOIN memories AS m ON m.memory_id = c.memory_id
WHERE m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY c.memory_id DESC, c.ordinal

-- name: claims_of
SELECT memory_id, subject, attribute, value, negated, stated_by, clause FROM memory_claims
WHERE memory_id = :memory_id AND active = 1 ORDER BY ordinal

-- name: add_claim
INSERT INTO memory_claims (memory_id, ordinal, scope_id, subject, attribute, value, negated, stated_by, clause, active)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: set_claims_active
UPDATE memory_claims SET active = :active WHERE memory_id = :memory_id AND active <> :active

-- One claim that was replaced, of a memory that says more and stays.
-- name: retire_claim
UPDATE memory_claims SET active = 0
WHERE memory_id = :memory_id AND subject = :subject AND attribute = :attribute AND value = :value

-- name: drop_claims
DELETE FROM memory_claims WHERE memory_id = :memory_id

-- name: move_claims
UPDATE memory_claims SET subject = :target WHERE memory_id = :memory_id AND subject = :subject

-- A memory in the same scope that says the same and counts.
-- name: twin
SELECT @memory FROM @memories
WHERE m.scope_id = :scope_id AND m.content_key = :content_key AND m.kind = 'memory' AND m.status = 'active'
  AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY +m.seq LIMIT 1

-- name: set_content_key
UPDATE memories SET content_key = :content_key WHERE memory_id = :memory_id

-- name: last_source
SELECT max(ordinal) FROM memory_sources WHERE memory_id = :memory_id

-- Which of some digests a memory has, or something that was forgotten.
-- name: known_keys
SELECT j.value FROM json_each(:keys) AS j
WHERE EXISTS (SELECT 1 FROM memories AS m WHERE m.scope_id = :scope_id AND m.content_key = unhex(j.value))
   OR EXISTS (SELECT 1 FROM forgotten AS f WHERE f.scope_id = :scope_id AND f.content_key = unhex(j.value))

-- name: known_key
SELECT 1 FROM memories WHERE scope_id = :scope_id AND content_key = :content_key
UNION ALL SELECT 1 FROM forgotten WHERE scope_id = :scope_id AND content_key = :content_key LIMIT 1

-- name: is_forgotten
SELECT 1 FROM forgotten WHERE scope_id = :scope_id AND content_key = :content_key

-- name: note_forgotten
INSERT OR REPLACE INTO forgotten (scope_id, content_key, forgotten_at) VALUES (:scope_id, :content_key, :now)

-- name: drop_forgotten
DELETE FROM forgotten WHERE scope_id = :scope_id AND content_key = :content_key

-- Memories from before they were understood.
-- name: not_understood
SELECT @memory FROM @memories WHERE m.kind = 'memory' AND m.content_key IS NULL ORDER BY m.seq LIMIT :limit

-- Memories whose time is over and that still count.
-- name: expired
SELECT @memory FROM @memories
WHERE m.expires_at <= :now AND m.kind IN ('memory', 'chunk') AND m.status = 'active' ORDER BY m.expires_at, m.seq LIMIT :limit

-- name: superseded
SELECT @memory FROM @memories
WHERE m.kind = 'memory' AND m.status = 'superseded' AND m.updated_at <= :before ORDER BY m.seq LIMIT :limit

-- name: count_active
SELECT count(*) FROM memories
WHERE scope_id = :scope_id AND kind = 'memory' AND status = 'active' AND (expires_at IS NULL OR expires_at > :now)

-- The least worth keeping: what is neither important nor new, and stands in no relation to others.
-- name: least_valuable
SELECT @memory FROM @memories
WHERE m.scope_id = :scope_id AND m.kind = 'memory' AND m.status = 'active' AND m.importance < 100
  AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.importance + min(10, (SELECT count(*) FROM memory_sources AS s WHERE s.memory_id = m.memory_id) - 1)
         - min(40, (:now - m.observed_at) / 86400000000 / 30), m.observed_at, m.seq
LIMIT :limit

-- name: scope_memories
SELECT memory_id FROM memories WHERE scope_id = :scope_id ORDER BY seq LIMIT :limit

-- name: blank_events
UPDATE events SET detail = NULL, reason = NULL WHERE memory_id = :memory_id

-- name: blank_person_events
UPDATE events SET detail = NULL, reason = NULL WHERE person_id = :person_id

-- name: person_events
SELECT sequence, occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id
FROM events WHERE person_id = :person_id ORDER BY sequence

-- Messages in sessions of one user or chat, a page at a time.
-- name: messages_of
SELECT m.message_id, m.session_id, m.position, m.role, m.content, m.created_at, m.token_count, m.metadata, m.memory_id
FROM sessions AS s JOIN messages AS m ON m.session_id = s.session_id
WHERE (:everybody OR s.user_id = :user OR s.chat_id = :chat) AND (m.session_id, m.position) > (:session_id, :position)
ORDER BY m.session_id, m.position LIMIT :limit

-- name: redact_message
UPDATE messages SET content = :content, metadata = NULL, memory_id = NULL WHERE message_id = :message_id

-- name: sessions_of_user
SELECT @session FROM sessions WHERE user_id = :user ORDER BY session_id

-- name: drop_profiles
DELETE FROM user_profiles WHERE user_id = :user

-- name: extraction
SELECT position, attempts, due_at FROM extractions WHERE session_id = :session_id

-- name: put_extraction
INSERT INTO extractions (session_id, position, attempts, due_at) VALUES (:session_id, :position, :attempts, :due_at)
ON CONFLICT (session_id) DO UPDATE SET position = excluded.position, attempts = excluded.attempts, due_at = excluded.due_at

-- name: due_extractions
SELECT session_id FROM extractions WHERE due_at <= :now ORDER BY due_at LIMIT :limit

-- name: next_extraction
SELECT min(due_at) FROM extractions

-- For upkeep of the whole store, which shows nobody anything.
-- name: all_scopes
SELECT kind, owner_user_id, chat_id FROM scopes ORDER BY scope_id

-- name: every_memory
SELECT m.seq, @memory FROM @memories WHERE m.seq > :after ORDER BY m.seq LIMIT :limit

-- name: any_memory
SELECT @memory FROM @memories WHERE m.memory_id = :memory_id

-- name: content_key_of
SELECT content_key FROM memories WHERE memory_id = :memory_id

-- What was said in a session behind a position, in order.
-- name: messages_after
SELECT message_id, session_id, position, role, content, created_at, token_count, metadata, memory_id
FROM messages WHERE session_id = :session_id AND position > :position ORDER BY position LIMIT :limit

-- A key that a merged write came with, where the memory has none of its own.
-- name: set_key
UPDATE memories SET idempotency_key = :key WHERE memory_id = :memory_id AND idempotency_key IS NULL

-- name: message_ids_of
SELECT message_id FROM memory_sources WHERE memory_id = :memory_id AND message_id IS NOT NULL

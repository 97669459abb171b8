-- One visibility gate: joined into every query that returns memories, before any limit. A missing user or
-- chat is NULL here and equals nothing. Types and statuses come as JSON texts and are looked for as such: a query
-- of their elements would cost more than reading the rows.
-- fragment: visible
m.orchestrator_id = :orchestrator_id
AND m.scope_id IN (
    SELECT scope_id FROM scopes WHERE kind = 'personal' AND owner_user_id = :user
    UNION ALL SELECT scope_id FROM scopes WHERE kind = 'group' AND chat_id = :chat
    UNION ALL SELECT scope_id FROM scopes WHERE kind = 'shared')
AND instr(:kinds, '"' || m.kind || '"')
AND (:types IS NULL OR instr(:types, '"' || m.type || '"'))
AND (:include_expired OR m.expires_at IS NULL OR m.expires_at > coalesce(:known_at, :now))
AND (:valid_at IS NULL OR (coalesce(m.valid_from, :valid_at) <= :valid_at AND coalesce(m.valid_to > :valid_at, 1)))
AND instr(:statuses, '"' || CASE WHEN :known_at IS NULL THEN m.status ELSE coalesce((
        SELECT json_extract(e.detail, '$.to') FROM events AS e
        WHERE e.memory_id = m.memory_id AND e.kind = 'memory.status_changed' AND e.occurred_at <= :known_at
        ORDER BY e.sequence DESC LIMIT 1), 'active') END || '"')
AND (:known_at IS NULL OR m.created_at <= :known_at)

-- The columns a memory is read from, in the order rows.py unpacks them.
-- fragment: memory
m.memory_id, m.orchestrator_id, m.type, m.importance, m.content, m.summary, m.confidence, m.status, m.sensitivity,
m.trust, m.observed_at, m.created_at, m.updated_at, m.expires_at, m.valid_from, m.valid_to, m.digest,
sc.kind, sc.owner_user_id, sc.chat_id,
so.source_type, so.captured_by, so.source_path, so.conversation_id, so.workflow_run_id, so.step_id, so.message_id,
so.speaker, so.position, m.kind

-- A memory with its scope and first source; left joins, so that a damaged row is seen and reported.
-- fragment: memories
memories AS m
LEFT JOIN scopes AS sc ON sc.scope_id = m.scope_id
LEFT JOIN memory_sources AS so ON so.memory_id = m.memory_id AND so.ordinal = 0

-- The number of a scope, if it was ever written to.
-- name: find_scope
SELECT scope_id FROM scopes WHERE kind = :kind AND owner_user_id IS :owner_user_id AND chat_id IS :chat_id

-- name: add_scope
INSERT INTO scopes (kind, owner_user_id, chat_id) VALUES (:kind, :owner_user_id, :chat_id) RETURNING scope_id

-- The last number given to a memory.
-- name: last_seq
SELECT seq FROM sqlite_sequence WHERE name = 'memories'

-- name: add_memory
INSERT INTO memories (
    seq, memory_id, orchestrator_id, scope_id, type, importance, content, summary, confidence, status, sensitivity, trust,
    observed_at, created_at, updated_at, expires_at, valid_from, valid_to, idempotency_key, digest, kind, content_key)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- Everything about a memory that may change; its id, scope, source and creation never do.
-- name: replace_memory
UPDATE memories SET
    type = :type, importance = :importance, content = :content, summary = :summary, confidence = :confidence,
    status = :status, sensitivity = :sensitivity, observed_at = :observed_at, updated_at = :updated_at,
    expires_at = :expires_at, valid_from = :valid_from, valid_to = :valid_to, digest = :digest
WHERE memory_id = :memory_id

-- name: add_source
INSERT INTO memory_sources (
    memory_id, ordinal, source_type, captured_by, source_path, conversation_id, workflow_run_id, step_id, message_id,
    speaker, position)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_terms
INSERT INTO memory_fts (rowid, terms, scope) VALUES (?, ?, ?)

-- name: replace_terms
UPDATE memory_fts SET terms = :terms WHERE rowid = (SELECT seq FROM memories WHERE memory_id = :memory_id)

-- name: find_model
SELECT model_id, dimension FROM embedding_models WHERE name = :name

-- name: add_model
INSERT INTO embedding_models (name, dimension) VALUES (:name, :dimension) RETURNING model_id, dimension

-- name: add_vector
INSERT OR REPLACE INTO memory_embeddings (entry, seq, model_id, vector) VALUES (NULL, ?, ?, ?)

-- name: drop_vectors
DELETE FROM memory_embeddings WHERE seq = (SELECT seq FROM memories WHERE memory_id = :memory_id)

-- name: add_edge
INSERT INTO memory_edges (edge_id, from_memory_id, to_memory_id, edge_type, weight, reason, created_at)
VALUES (:edge_id, :from_memory_id, :to_memory_id, :edge_type, :weight, :reason, :created_at)

-- name: add_event
INSERT INTO events (occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- One memory, if the caller may see it.
-- name: memory
SELECT @memory FROM @memories WHERE m.memory_id = :memory_id AND @visible

-- Whether an id exists at all: asked only to record a denial, never answered to the caller.
-- name: exists
SELECT 1 FROM memories WHERE memory_id = :memory_id

-- The memory that an earlier write with the same key made.
-- name: memory_by_key
SELECT @memory FROM @memories WHERE m.scope_id = :scope_id AND m.idempotency_key = :key

-- Newest first. The kinds, and the types where they are asked for, are named once more: an index leads to them, and
-- a few memories are found among very many messages.
-- name: list_memories
SELECT @memory FROM @memories
WHERE m.kind IN (SELECT value FROM json_each(:kinds)) AND @visible
ORDER BY m.seq DESC LIMIT :limit OFFSET :offset

-- The newest among what was written last, whatever it was: asked first, since most of the time that is enough.
-- name: list_newest_memories
SELECT @memory FROM memories AS m NOT INDEXED
LEFT JOIN scopes AS sc ON sc.scope_id = m.scope_id
LEFT JOIN memory_sources AS so ON so.memory_id = m.memory_id AND so.ordinal = 0
WHERE m.seq > (SELECT seq FROM sqlite_sequence WHERE name = 'memories') - :recent AND @visible
ORDER BY m.seq DESC LIMIT :limit OFFSET :offset

-- name: list_typed_memories
SELECT @memory FROM @memories
WHERE m.kind IN (SELECT value FROM json_each(:kinds)) AND m.type IN (SELECT value FROM json_each(:types)) AND @visible
ORDER BY m.seq DESC LIMIT :limit OFFSET :offset

-- name: by_seq
SELECT m.seq, @memory FROM @memories WHERE m.seq IN (SELECT value FROM json_each(:seqs)) AND @visible

-- The texts of visible memories as bytes: read only to name the rows whose bytes are no text any more.
-- name: raw_texts
SELECT CAST(m.memory_id AS BLOB), CAST(m.content AS BLOB), CAST(m.summary AS BLOB) FROM memories AS m WHERE @visible

-- The scopes a caller may see, as numbers: text and vector search run inside each of them.
-- name: visible_scopes
SELECT scope_id FROM scopes WHERE kind = 'personal' AND owner_user_id = :user
UNION ALL SELECT scope_id FROM scopes WHERE kind = 'group' AND chat_id = :chat
UNION ALL SELECT scope_id FROM scopes WHERE kind = 'shared'

-- How many memories hold each of some terms.
-- name: frequencies
SELECT term, doc FROM memory_terms WHERE term IN (SELECT value FROM json_each(:terms))

-- How many rows of the text index match.
-- name: count_matches
SELECT count(*) FROM memory_fts WHERE memory_fts MATCH :query AND rowid > :after

-- How many memories there are, near enough: numbers are never used twice; and how far notes of what was rewritten have come.
-- name: size
SELECT coalesce((SELECT max(seq) FROM memories), 0),
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'rewritten'), 0)

-- Best matches of a full-text query, which names the scopes; the rest of the gate is asked of what is found.
-- name: match_terms
SELECT rowid, -bm25(memory_fts, 1.0, 0.0) AS score FROM memory_fts
WHERE memory_fts MATCH :query ORDER BY score DESC LIMIT :limit

-- The same where many match equally well.
-- name: match_terms_settled
SELECT f.rowid, -bm25(memory_fts, 1.0, 0.0) AS score FROM memory_fts AS f JOIN memories AS m ON m.seq = f.rowid
WHERE memory_fts MATCH :query ORDER BY score DESC, @preferred LIMIT :limit

-- Of what is equally good, the newer is preferred, then it goes by content: never by what was stored first.
-- fragment: preferred
m.observed_at DESC, m.content, m.seq

-- name: settle
SELECT m.seq FROM json_each(:seqs) AS j JOIN memories AS m ON m.seq = j.value ORDER BY @preferred

-- What ranking needs to know of some memories: their terms (read from the text index's own table, which is much
-- faster than through the index), their place in a conversation, and which vector of theirs counts.
-- name: candidates
SELECT m.seq, f.c0, so.conversation_id, so.position, so.speaker, m.observed_at, rtrim(m.content) LIKE '%?',
       m.importance, m.confidence, v.entry
FROM json_each(:seqs) AS j
JOIN memories AS m ON m.seq = j.value
JOIN memory_fts_content AS f ON f.id = m.seq
LEFT JOIN memory_sources AS so ON so.memory_id = m.memory_id AND so.ordinal = 0
LEFT JOIN memory_embeddings AS v ON v.seq = m.seq AND v.model_id = :model_id
WHERE @visible

-- The turns around some memories in their conversations.
-- name: neighbours
SELECT DISTINCT m.seq
FROM json_each(:places) AS j
JOIN memory_sources AS so ON so.conversation_id = j.value ->> 0
    AND so.position BETWEEN (j.value ->> 1) - :reach AND (j.value ->> 1) + :reach
JOIN memories AS m ON m.memory_id = so.memory_id
WHERE so.ordinal = 0 AND so.position IS NOT NULL AND @visible

-- How similar some memories are to a vector.
-- name: similarities
SELECT v.seq, 1.0 - vec_distance_cosine(v.vector, :vector)
FROM json_each(:seqs) AS j JOIN memory_embeddings AS v ON v.seq = j.value AND v.model_id = :model_id

-- The vectors of one model in one scope that were made after an entry.
-- name: vectors_since
SELECT v.entry, v.seq, v.vector FROM memory_embeddings AS v JOIN memories AS m ON m.seq = v.seq
WHERE v.entry > :entry AND v.model_id = :model_id AND m.scope_id = :scope_id ORDER BY v.entry

-- name: vectors_of_scope
SELECT v.entry, v.seq, v.vector FROM memories AS m JOIN memory_embeddings AS v ON v.seq = m.seq AND v.model_id = :model_id
WHERE m.scope_id = :scope_id

-- How far vectors, and notes of what was rewritten, have come.
-- name: last_entries
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory_embeddings'), 0),
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'rewritten'), 0)

-- name: rewritten_since
SELECT seq FROM rewritten WHERE number > :number

-- name: note_rewritten
INSERT INTO rewritten (seq) SELECT seq FROM memories WHERE memory_id IN (SELECT value FROM json_each(:memory_ids))

-- name: trim_rewritten
DELETE FROM rewritten WHERE number <= (SELECT max(number) FROM rewritten) - :kept

-- name: queue_vector
INSERT OR IGNORE INTO embedding_queue (seq) VALUES (?)

-- name: queue_memory
INSERT OR IGNORE INTO embedding_queue (seq) SELECT seq FROM memories WHERE memory_id = :memory_id

-- name: due_vectors
SELECT q.seq, q.attempts, m.content, so.speaker, m.digest FROM embedding_queue AS q
JOIN memories AS m ON m.seq = q.seq
LEFT JOIN memory_sources AS so ON so.memory_id = m.memory_id AND so.ordinal = 0
WHERE q.due_at <= :now ORDER BY q.due_at, q.seq LIMIT :limit

-- A vector that was made outside the transaction: kept only if its memory is still what it was made of.
-- name: fill_vector
INSERT OR REPLACE INTO memory_embeddings (entry, seq, model_id, vector)
SELECT NULL, seq, :model_id, :vector FROM memories WHERE seq = :seq AND digest = :digest

-- name: unqueue_vector
DELETE FROM embedding_queue WHERE seq = :seq AND EXISTS (SELECT 1 FROM memories WHERE seq = :seq AND digest = :digest)

-- name: postpone_vector
UPDATE embedding_queue SET attempts = attempts + 1, due_at = ? WHERE seq = ?

-- name: queue_length
SELECT count(*) FROM embedding_queue

-- Memories without a vector of a model, in order: what a rebuild has still to do.
-- name: missing_vectors
SELECT m.seq, 0, m.content, so.speaker, m.digest FROM memories AS m
LEFT JOIN memory_sources AS so ON so.memory_id = m.memory_id AND so.ordinal = 0
WHERE m.seq > :after
  AND NOT EXISTS (SELECT 1 FROM memory_embeddings AS v WHERE v.seq = m.seq AND v.model_id = :model_id)
ORDER BY m.seq LIMIT :limit

-- name: count_missing
SELECT count(*) FROM memories AS m
WHERE NOT EXISTS (SELECT 1 FROM memory_embeddings AS v WHERE v.seq = m.seq AND v.model_id = :model_id)

-- name: drop_other_vectors
DELETE FROM memory_embeddings WHERE model_id <> :model_id

-- name: drop_queue
DELETE FROM embedding_queue WHERE seq IN (SELECT seq FROM memory_embeddings WHERE model_id = :model_id)

-- Exact nearest vectors of one model, inside the gate.
-- name: nearest
SELECT m.seq, vec_distance_cosine(v.vector, :vector) AS distance
FROM memories AS m JOIN memory_embeddings AS v ON v.seq = m.seq
WHERE v.model_id = :model_id AND @visible
ORDER BY distance, @preferred LIMIT :limit

-- Whether any edge touches some memories: asked before the gate is, and never answered to the caller.
-- name: touching_edges
SELECT 1 FROM json_each(:memory_ids) AS j JOIN memory_edges AS e ON e.from_memory_id = j.value
UNION ALL SELECT 1 FROM json_each(:memory_ids) AS j JOIN memory_edges AS e ON e.to_memory_id = j.value
LIMIT 1

-- Edges that touch any of some memories and whose both ends the caller may see.
-- name: edges
SELECT e.edge_id, e.from_memory_id, e.to_memory_id, e.edge_type, e.weight, e.reason, e.created_at
FROM memory_edges AS e
WHERE (e.from_memory_id IN (SELECT value FROM json_each(:memory_ids))
       OR e.to_memory_id IN (SELECT value FROM json_each(:memory_ids)))
  AND EXISTS (SELECT 1 FROM memories AS m WHERE m.memory_id = e.from_memory_id AND @visible)
  AND EXISTS (SELECT 1 FROM memories AS m WHERE m.memory_id = e.to_memory_id AND @visible)
ORDER BY e.created_at, e.edge_id

-- Whether following edges of one type from one memory leads to another: asked before an edge may close a cycle.
-- name: reaches
WITH RECURSIVE reached (memory_id) AS (
    SELECT :start WHERE EXISTS (SELECT 1 FROM memory_edges WHERE to_memory_id = :goal AND edge_type = :edge_type)
    UNION SELECT e.to_memory_id FROM memory_edges AS e JOIN reached ON e.from_memory_id = reached.memory_id
          WHERE e.edge_type = :edge_type)
SELECT 1 FROM reached WHERE memory_id = :goal

-- What happened to one memory, oldest first.
-- name: events
SELECT sequence, occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id
FROM events WHERE memory_id = :memory_id ORDER BY sequence

-- The newest event: it tells, after a commit that reported an error, whether it took effect.
-- name: last_event
SELECT sequence, memory_id, edge_id, occurred_at FROM events ORDER BY sequence DESC LIMIT 1

-- name: event_at
SELECT sequence, memory_id, edge_id, occurred_at FROM events WHERE sequence = :sequence

-- How many memories there are of each type and status.
-- name: count_memories
SELECT type, status, count(*) FROM memories WHERE kind = 'memory' GROUP BY type, status ORDER BY type, status

-- Denials are not counted: the figure would tell hidden ids from missing ones.
-- name: count_rest
SELECT (SELECT count(*) FROM memory_edges), (SELECT count(*) FROM events WHERE kind <> 'access.denied'), (SELECT count(*) FROM memory_embeddings),
       (SELECT count(*) FROM scopes)

-- name: get_meta
SELECT value FROM meta WHERE key = :key

-- name: set_meta
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value

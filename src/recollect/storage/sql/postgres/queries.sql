-- One visibility gate: joined into every query that returns memories, before any limit. A missing user or
-- chat is NULL here and equals nothing.
-- fragment: visible
m.orchestrator_id = :orchestrator_id
AND m.scope_id IN (
    SELECT s.scope_id FROM recollect.scopes AS s WHERE s.orchestrator_id = :orchestrator_id AND (
        (s.kind = 'personal' AND s.owner_user_id = :user::text) OR (s.kind = 'group' AND s.chat_id = :chat::text)
        OR s.kind = 'shared'))
AND strpos(:kinds::text, '"' || m.kind || '"') > 0
AND (:types::text IS NULL OR strpos(:types::text, '"' || m.type || '"') > 0)
AND (:include_expired::boolean OR m.expires_at IS NULL OR m.expires_at > coalesce(:known_at::bigint, :now::bigint))
AND (:valid_at::bigint IS NULL OR (coalesce(m.valid_from, :valid_at::bigint) <= :valid_at::bigint
     AND coalesce(m.valid_to > :valid_at::bigint, true)))
AND strpos(:statuses::text, '"' || CASE WHEN :known_at::bigint IS NULL THEN m.status ELSE coalesce((
        SELECT e.detail::jsonb ->> 'to' FROM recollect.events AS e
        WHERE e.orchestrator_id = :orchestrator_id AND e.memory_id = m.memory_id
          AND e.kind = 'memory.status_changed' AND e.occurred_at <= :known_at::bigint
        ORDER BY e.sequence DESC LIMIT 1), 'active') END || '"') > 0
AND (:known_at::bigint IS NULL OR m.created_at <= :known_at::bigint)

-- The columns a memory is read from, in the order rows.py unpacks them.
-- fragment: memory
m.memory_id, m.orchestrator_id, m.type, m.importance, m.content, m.summary, m.confidence, m.status, m.sensitivity,
m.trust, m.observed_at, m.created_at, m.updated_at, m.expires_at, m.valid_from, m.valid_to, m.digest,
sc.kind, sc.owner_user_id, sc.chat_id,
so.source_type, so.captured_by, so.source_path, so.conversation_id, so.workflow_run_id, so.step_id, so.message_id,
so.speaker, so.position, m.kind

-- A memory with its scope and first source; left joins, so that a damaged row is seen and reported.
-- fragment: memories
recollect.memories AS m
LEFT JOIN recollect.scopes AS sc ON sc.orchestrator_id = m.orchestrator_id AND sc.scope_id = m.scope_id
LEFT JOIN recollect.memory_sources AS so
    ON so.orchestrator_id = m.orchestrator_id AND so.memory_id = m.memory_id AND so.ordinal = 0

-- The numbers in a list, the texts in a list.
-- fragment: seqs
ARRAY(SELECT jsonb_array_elements_text(:seqs::jsonb)::bigint)
-- fragment: memory_ids
jsonb_array_elements_text(:memory_ids::jsonb) AS j (value)

-- The number of a scope, if it was ever written to.
-- name: find_scope
SELECT scope_id FROM recollect.scopes
WHERE orchestrator_id = :orchestrator_id AND kind = :kind
  AND owner_user_id IS NOT DISTINCT FROM :owner_user_id::text AND chat_id IS NOT DISTINCT FROM :chat_id::text

-- Another process may be adding the same scope: the unique key decides, and both get its number.
-- name: add_scope
INSERT INTO recollect.scopes (orchestrator_id, kind, owner_user_id, chat_id)
VALUES (:orchestrator_id, :kind, :owner_user_id, :chat_id)
ON CONFLICT (orchestrator_id, kind, owner_user_id, chat_id) DO UPDATE SET kind = excluded.kind RETURNING scope_id

-- name: new_seqs
SELECT nextval('recollect.memory_numbers') FROM generate_series(1, :count)

-- name: add_memory
INSERT INTO recollect.memories (
    orchestrator_id, seq, memory_id, scope_id, type, importance, content, summary, confidence, status, sensitivity, trust,
    observed_at, created_at, updated_at, expires_at, valid_from, valid_to, idempotency_key, digest, kind, content_key)
SELECT :orchestrator_id, * FROM unnest(
    :c0::bigint[], :c1::text[], :c3::bigint[], :c4::text[], :c5::integer[], :c6::text[], :c7::text[],
    :c8::double precision[], :c9::text[], :c10::text[], :c11::text[], :c12::bigint[], :c13::bigint[], :c14::bigint[],
    :c15::bigint[], :c16::bigint[], :c17::bigint[], :c18::text[], :c19::bytea[], :c20::text[], :c21::bytea[])

-- Everything about a memory that may change; its id, scope, source and creation never do.
-- name: replace_memory
UPDATE recollect.memories SET
    type = :type, importance = :importance, content = :content, summary = :summary, confidence = :confidence,
    status = :status, sensitivity = :sensitivity, observed_at = :observed_at, updated_at = :updated_at,
    expires_at = :expires_at, valid_from = :valid_from, valid_to = :valid_to, digest = :digest
WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- name: add_source
INSERT INTO recollect.memory_sources (
    orchestrator_id, memory_id, ordinal, source_type, captured_by, source_path, conversation_id, workflow_run_id, step_id,
    message_id, speaker, position)
SELECT :orchestrator_id, * FROM unnest(
    :c0::text[], :c1::integer[], :c2::text[], :c3::text[], :c4::text[], :c5::text[], :c6::text[], :c7::text[],
    :c8::text[], :c9::text[], :c10::bigint[])

-- name: add_terms
INSERT INTO recollect.memory_fts (orchestrator_id, seq, terms)
SELECT :orchestrator_id, * FROM unnest(:c0::bigint[], :c1::text[])

-- name: replace_terms
UPDATE recollect.memory_fts SET terms = :terms
WHERE orchestrator_id = :orchestrator_id AND seq = (
    SELECT seq FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id)

-- name: add_postings
INSERT INTO recollect.memory_terms (orchestrator_id, scope_id, term, seq, occurrences, length)
SELECT :orchestrator_id, * FROM unnest(:c0::bigint[], :c1::text[], :c2::bigint[], :c3::integer[], :c4::integer[])

-- name: drop_postings
DELETE FROM recollect.memory_terms
WHERE orchestrator_id = :orchestrator_id AND scope_id = :scope_id AND term = ANY(:terms::text[]) AND seq = :seq

-- The scope, number and terms of a memory.
-- name: indexed
SELECT m.scope_id, m.seq, f.terms FROM recollect.memories AS m
JOIN recollect.memory_fts AS f ON f.orchestrator_id = m.orchestrator_id AND f.seq = m.seq
WHERE m.orchestrator_id = :orchestrator_id AND m.memory_id = :memory_id

-- name: find_model
SELECT model_id, dimension FROM recollect.embedding_models WHERE orchestrator_id = :orchestrator_id AND name = :name

-- name: add_model
INSERT INTO recollect.embedding_models (orchestrator_id, name, dimension) VALUES (:orchestrator_id, :name, :dimension)
ON CONFLICT (orchestrator_id, name) DO UPDATE SET name = excluded.name RETURNING model_id, dimension

-- name: add_vector
INSERT INTO recollect.memory_embeddings (orchestrator_id, seq, scope_id, model_id, vector)
SELECT m.orchestrator_id, m.seq, m.scope_id, v.model_id, v.vector::vector
FROM unnest(:c0::bigint[], :c1::bigint[], :c2::text[]) AS v (seq, model_id, vector)
JOIN recollect.memories AS m ON m.orchestrator_id = :orchestrator_id AND m.seq = v.seq

-- name: drop_vectors
DELETE FROM recollect.memory_embeddings WHERE orchestrator_id = :orchestrator_id AND seq = (
    SELECT seq FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id)

-- name: add_edge
INSERT INTO recollect.memory_edges (
    orchestrator_id, edge_id, from_memory_id, to_memory_id, edge_type, weight, reason, created_at)
VALUES (:orchestrator_id, :edge_id, :from_memory_id, :to_memory_id, :edge_type, :weight, :reason, :created_at)

-- name: add_event
INSERT INTO recollect.events (orchestrator_id, occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id)
SELECT :orchestrator_id, * FROM unnest(
    :c0::bigint[], :c1::text[], :c2::text[], :c3::text[], :c4::text[], :c5::text[], :c6::text[], :c7::text[])

-- One memory, if the caller may see it.
-- name: memory
SELECT @memory FROM @memories WHERE m.memory_id = :memory_id AND @visible

-- Whether an id exists at all: asked only to record a denial, never answered to the caller.
-- name: exists
SELECT 1 FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id

-- The memory that an earlier write with the same key made.
-- name: memory_by_key
SELECT @memory FROM @memories
WHERE m.orchestrator_id = :orchestrator_id AND m.scope_id = :scope_id AND m.idempotency_key = :key

-- Newest first. The kinds, and the types where they are asked for, are named once more: an index leads to them, and
-- a few memories are found among very many messages.
-- name: list_memories
SELECT @memory FROM @memories
WHERE m.kind = ANY(ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))) AND @visible
ORDER BY m.seq DESC LIMIT :limit OFFSET :offset

-- name: list_typed_memories
SELECT @memory FROM @memories
WHERE m.kind = ANY(ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb)))
  AND m.type = ANY(ARRAY(SELECT jsonb_array_elements_text(:types::jsonb))) AND @visible
ORDER BY m.seq DESC LIMIT :limit OFFSET :offset

-- name: by_seq
SELECT m.seq, @memory FROM @memories WHERE m.seq = ANY(@seqs) AND @visible

-- The scopes a caller may see, as numbers: text and vector search run inside each of them.
-- name: visible_scopes
SELECT scope_id FROM recollect.scopes WHERE orchestrator_id = :orchestrator_id AND (
    (kind = 'personal' AND owner_user_id = :user::text) OR (kind = 'group' AND chat_id = :chat::text) OR kind = 'shared')

-- name: scopes_of
SELECT seq, scope_id FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND seq = ANY(@seqs)

-- How many memories of some scopes hold each of some terms, counted no further than a limit.
-- name: frequencies
SELECT t.term, (SELECT count(*) FROM (
    SELECT 1 FROM recollect.memory_terms AS p
    WHERE p.orchestrator_id = :orchestrator_id AND p.scope_id = ANY(:scopes::bigint[]) AND p.term = t.term
    LIMIT :limit) AS found)
FROM unnest(:terms::text[]) AS t (term)

-- name: count_scopes
SELECT count(*) FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND scope_id = ANY(:scopes::bigint[])

-- Best matches of some terms, each worth something: BM25, as the embedded engine has it. Whole numbers are added, so that
-- what matches equally well has the same score whichever term came first.
-- fragment: matches
SELECT p.seq, sum(round(1e9 * q.worth * p.occurrences * 2.2
    / (p.occurrences + 1.2 * (0.25 + 0.75 * p.length / :average::double precision)))::bigint) AS score
FROM unnest(:terms::text[], :worths::double precision[]) AS q (term, worth)
JOIN recollect.memory_terms AS p
    ON p.orchestrator_id = :orchestrator_id AND p.scope_id = ANY(:scopes::bigint[]) AND p.term = q.term
GROUP BY p.seq

-- name: match_terms
SELECT f.seq, f.score::double precision FROM (@matches) AS f ORDER BY f.score DESC LIMIT :limit

-- The same where many match equally well.
-- name: match_terms_settled
SELECT b.seq, b.score::double precision
FROM (SELECT f.seq, f.score FROM (@matches) AS f ORDER BY f.score DESC FETCH FIRST :limit ROWS WITH TIES) AS b
JOIN recollect.memories AS m ON m.orchestrator_id = :orchestrator_id AND m.seq = b.seq
ORDER BY b.score DESC, @preferred LIMIT :limit

-- Of what is equally good, the newer is preferred, then it goes by content: never by what was stored first.
-- fragment: preferred
m.observed_at DESC, m.content COLLATE "C", m.seq

-- name: settle
SELECT m.seq FROM recollect.memories AS m
WHERE m.orchestrator_id = :orchestrator_id AND m.seq = ANY(@seqs) ORDER BY @preferred

-- What ranking needs to know of some memories.
-- name: candidates
SELECT m.seq, f.terms, so.conversation_id, so.position, so.speaker, m.observed_at, right(rtrim(m.content), 1) = chr(63),
       m.importance, m.confidence, NULL::bigint
FROM recollect.memories AS m
JOIN recollect.memory_fts AS f ON f.orchestrator_id = m.orchestrator_id AND f.seq = m.seq
LEFT JOIN recollect.memory_sources AS so
    ON so.orchestrator_id = m.orchestrator_id AND so.memory_id = m.memory_id AND so.ordinal = 0
WHERE m.seq = ANY(@seqs) AND @visible

-- The turns around some memories in their conversations.
-- name: neighbours
SELECT DISTINCT m.seq
FROM jsonb_array_elements(:places::jsonb) AS j (value)
JOIN recollect.memory_sources AS so ON so.orchestrator_id = :orchestrator_id AND so.conversation_id = j.value ->> 0
    AND so.position BETWEEN (j.value ->> 1)::bigint - :reach::bigint AND (j.value ->> 1)::bigint + :reach::bigint
JOIN recollect.memories AS m ON m.orchestrator_id = so.orchestrator_id AND m.memory_id = so.memory_id
WHERE so.ordinal = 0 AND so.position IS NOT NULL AND @visible

-- How similar some memories are to a vector.
-- name: similarities
SELECT v.seq, 1.0 - (v.vector <=> :vector::vector)
FROM recollect.memory_embeddings AS v
WHERE v.orchestrator_id = :orchestrator_id AND v.seq = ANY(@seqs) AND v.model_id = :model_id

-- How many vectors of a model there are in some scopes.
-- name: count_vectors
SELECT count(*) FROM recollect.memory_embeddings
WHERE orchestrator_id = :orchestrator_id AND scope_id = ANY(:scopes::bigint[]) AND model_id = :model_id

-- How many vectors of a model the largest scope holds.
-- name: largest_scope
SELECT coalesce(max(count), 0) FROM (
    SELECT count(*) FROM recollect.memory_embeddings
    WHERE orchestrator_id = :orchestrator_id AND model_id = :model_id GROUP BY scope_id) AS counted (count)

-- Exact nearest vectors in some scopes. No index of vectors serves this text: theirs names the dimension.
-- name: nearest
SELECT v.seq, 1.0 - (v.vector <=> :vector::vector) AS score FROM recollect.memory_embeddings AS v
WHERE v.orchestrator_id = :orchestrator_id AND v.scope_id = ANY(:scopes::bigint[]) AND v.model_id = :model_id
ORDER BY v.vector <=> :vector::vector LIMIT :limit

-- The same where many are equally near.
-- name: nearest_settled
SELECT v.seq, 1.0 - (v.vector <=> :vector::vector) AS score FROM recollect.memory_embeddings AS v
JOIN recollect.memories AS m ON m.orchestrator_id = v.orchestrator_id AND m.seq = v.seq
WHERE v.orchestrator_id = :orchestrator_id AND v.scope_id = ANY(:scopes::bigint[]) AND v.model_id = :model_id
ORDER BY v.vector <=> :vector::vector, @preferred LIMIT :limit

-- The same among those that differ in the fewest signs.
-- name: nearest_by_signs
SELECT v.seq, 1.0 - (v.vector <=> :vector::vector) AS score
FROM (SELECT s.seq FROM recollect.memory_embeddings AS s
      WHERE s.orchestrator_id = :orchestrator_id AND s.scope_id = ANY(:scopes::bigint[]) AND s.model_id = :model_id
      ORDER BY s.signs <~> binary_quantize(:vector::vector), s.signs, s.seq DESC LIMIT :chosen) AS near
JOIN recollect.memory_embeddings AS v
    ON v.orchestrator_id = :orchestrator_id AND v.seq = near.seq AND v.model_id = :model_id
ORDER BY v.vector <=> :vector::vector, v.seq DESC LIMIT :limit

-- The same for a time in the past, where the gate chooses first.
-- name: nearest_visible
SELECT m.seq, 1.0 - (v.vector <=> :vector::vector) AS score FROM recollect.memories AS m
JOIN recollect.memory_embeddings AS v ON v.orchestrator_id = m.orchestrator_id AND v.seq = m.seq
WHERE v.model_id = :model_id AND @visible
ORDER BY v.vector <=> :vector::vector, @preferred LIMIT :limit

-- name: queue_vector
INSERT INTO recollect.embedding_queue (orchestrator_id, seq)
SELECT :orchestrator_id, * FROM unnest(:c0::bigint[]) ON CONFLICT DO NOTHING

-- name: queue_memory
INSERT INTO recollect.embedding_queue (orchestrator_id, seq)
SELECT orchestrator_id, seq FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id
ON CONFLICT DO NOTHING

-- name: due_vectors
SELECT q.seq, q.attempts, m.content, so.speaker, m.digest FROM recollect.embedding_queue AS q
JOIN recollect.memories AS m ON m.orchestrator_id = q.orchestrator_id AND m.seq = q.seq
LEFT JOIN recollect.memory_sources AS so
    ON so.orchestrator_id = m.orchestrator_id AND so.memory_id = m.memory_id AND so.ordinal = 0
WHERE q.orchestrator_id = :orchestrator_id AND q.due_at <= :now ORDER BY q.due_at, q.seq LIMIT :limit

-- A vector that was made outside the transaction: kept only if its memory is still what it was made of.
-- name: fill_vector
INSERT INTO recollect.memory_embeddings (orchestrator_id, seq, scope_id, model_id, vector)
SELECT orchestrator_id, seq, scope_id, :model_id, :vector::vector FROM recollect.memories
WHERE orchestrator_id = :orchestrator_id AND seq = :seq AND digest = :digest
ON CONFLICT (orchestrator_id, seq, model_id)
DO UPDATE SET vector = excluded.vector, entry = nextval('recollect.entry_numbers')

-- name: unqueue_vector
DELETE FROM recollect.embedding_queue WHERE orchestrator_id = :orchestrator_id AND seq = :seq
  AND EXISTS (SELECT 1 FROM recollect.memories
              WHERE orchestrator_id = :orchestrator_id AND seq = :seq AND digest = :digest)

-- name: postpone_vector
UPDATE recollect.embedding_queue AS q SET attempts = q.attempts + 1, due_at = v.due_at
FROM unnest(:c0::bigint[], :c1::bigint[]) AS v (due_at, seq)
WHERE q.orchestrator_id = :orchestrator_id AND q.seq = v.seq

-- name: queue_length
SELECT count(*) FROM recollect.embedding_queue WHERE orchestrator_id = :orchestrator_id

-- Memories without a vector of a model, in order: what a rebuild has still to do.
-- name: missing_vectors
SELECT m.seq, 0, m.content, so.speaker, m.digest FROM recollect.memories AS m
LEFT JOIN recollect.memory_sources AS so
    ON so.orchestrator_id = m.orchestrator_id AND so.memory_id = m.memory_id AND so.ordinal = 0
WHERE m.orchestrator_id = :orchestrator_id AND m.seq > :after
  AND NOT EXISTS (SELECT 1 FROM recollect.memory_embeddings AS v
                  WHERE v.orchestrator_id = m.orchestrator_id AND v.seq = m.seq AND v.model_id = :model_id)
ORDER BY m.seq LIMIT :limit

-- name: count_missing
SELECT count(*) FROM recollect.memories AS m
WHERE m.orchestrator_id = :orchestrator_id
  AND NOT EXISTS (SELECT 1 FROM recollect.memory_embeddings AS v
                  WHERE v.orchestrator_id = m.orchestrator_id AND v.seq = m.seq AND v.model_id = :model_id)

-- name: drop_other_vectors
DELETE FROM recollect.memory_embeddings WHERE orchestrator_id = :orchestrator_id AND model_id <> :model_id

-- name: drop_queue
DELETE FROM recollect.embedding_queue WHERE orchestrator_id = :orchestrator_id AND seq IN (
    SELECT seq FROM recollect.memory_embeddings WHERE orchestrator_id = :orchestrator_id AND model_id = :model_id)

-- Whether any edge touches some memories: asked before the gate is, and never answered to the caller.
-- name: touching_edges
SELECT 1 FROM recollect.memory_edges AS e
WHERE e.orchestrator_id = :orchestrator_id
  AND (e.from_memory_id IN (SELECT j.value FROM @memory_ids) OR e.to_memory_id IN (SELECT j.value FROM @memory_ids))
LIMIT 1

-- Edges that touch any of some memories and whose both ends the caller may see.
-- name: edges
SELECT e.edge_id, e.from_memory_id, e.to_memory_id, e.edge_type, e.weight, e.reason, e.created_at
FROM recollect.memory_edges AS e
WHERE e.orchestrator_id = :orchestrator_id
  AND (e.from_memory_id IN (SELECT j.value FROM @memory_ids) OR e.to_memory_id IN (SELECT j.value FROM @memory_ids))
  AND EXISTS (SELECT 1 FROM recollect.memories AS m WHERE m.memory_id = e.from_memory_id AND @visible)
  AND EXISTS (SELECT 1 FROM recollect.memories AS m WHERE m.memory_id = e.to_memory_id AND @visible)
ORDER BY e.created_at, e.edge_id

-- Whether following edges of one type from one memory leads to another: asked before an edge may close a cycle.
-- name: reaches
WITH RECURSIVE reached (memory_id) AS (
    SELECT :start::text WHERE EXISTS (
        SELECT 1 FROM recollect.memory_edges
        WHERE orchestrator_id = :orchestrator_id AND to_memory_id = :goal AND edge_type = :edge_type)
    UNION SELECT e.to_memory_id FROM recollect.memory_edges AS e JOIN reached ON e.from_memory_id = reached.memory_id
          WHERE e.orchestrator_id = :orchestrator_id AND e.edge_type = :edge_type)
SELECT 1 FROM reached WHERE memory_id = :goal::text

-- What happened to one memory, oldest first.
-- name: events
SELECT sequence, occurred_at, kind, actor, memory_id, edge_id, reason, detail, person_id
FROM recollect.events WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id ORDER BY sequence

-- Whether an event was recorded: after a lost connection it tells whether a commit took effect.
-- name: recorded
SELECT 1 FROM recollect.events
WHERE orchestrator_id = :orchestrator_id AND memory_id IS NOT DISTINCT FROM :memory_id::text
  AND edge_id IS NOT DISTINCT FROM :edge_id::text AND person_id IS NOT DISTINCT FROM :person_id::text
  AND kind = :kind AND occurred_at = :occurred_at LIMIT 1

-- name: mark_write
INSERT INTO recollect.writes (orchestrator_id, write_id) VALUES (:orchestrator_id, :write_id)

-- name: marked
SELECT 1 FROM recollect.writes WHERE orchestrator_id = :orchestrator_id AND write_id = :write_id

-- name: drop_marks
DELETE FROM recollect.writes WHERE orchestrator_id = :orchestrator_id AND written_at < now() - interval '1 day'

-- How many memories there are of each type and status.
-- name: count_memories
SELECT type, status, count(*) FROM recollect.memories WHERE orchestrator_id = :orchestrator_id AND kind = 'memory'
GROUP BY type, status ORDER BY type, status

-- Denials are not counted: the figure would tell hidden ids from missing ones.
-- name: count_rest
SELECT (SELECT count(*) FROM recollect.memory_edges WHERE orchestrator_id = :orchestrator_id),
       (SELECT count(*) FROM recollect.events WHERE orchestrator_id = :orchestrator_id AND kind <> 'access.denied'),
       (SELECT count(*) FROM recollect.memory_embeddings WHERE orchestrator_id = :orchestrator_id),
       (SELECT count(*) FROM recollect.scopes WHERE orchestrator_id = :orchestrator_id)

-- name: get_meta
SELECT value FROM recollect.meta WHERE orchestrator_id = :orchestrator_id AND key = :key

-- name: set_meta
INSERT INTO recollect.meta (orchestrator_id, key, value) VALUES (:orchestrator_id, :key, :value)
ON CONFLICT (orchestrator_id, key) DO UPDATE SET value = excluded.value

-- Ingestion: which files became memories. And what a bulletin looks for.

-- fragment: ingested
name, version, digest, document_id, manifest, finished_at

-- name: ingested_latest
SELECT @ingested FROM recollect.ingested_files WHERE orchestrator_id = :orchestrator_id AND name = :name
ORDER BY version DESC LIMIT 1

-- name: ingested_by_digest
SELECT @ingested FROM recollect.ingested_files WHERE orchestrator_id = :orchestrator_id AND digest = :digest
ORDER BY finished_at DESC, name COLLATE "C" LIMIT 1

-- name: ingested_list
SELECT @ingested FROM recollect.ingested_files WHERE orchestrator_id = :orchestrator_id
ORDER BY finished_at DESC, name COLLATE "C" LIMIT :limit

-- name: ingested_memory_ids
SELECT memory_id FROM recollect.ingested_memories
WHERE orchestrator_id = :orchestrator_id AND name = :name AND version = :version ORDER BY memory_id

-- Whether something else says what a memory says: a person, another kind of source, or a file of another name.
-- name: held_elsewhere
SELECT 1 FROM recollect.memory_sources WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND source_type <> 'ingest_file'
UNION ALL SELECT 1 FROM recollect.ingested_memories AS i WHERE i.orchestrator_id = :orchestrator_id AND i.memory_id = :memory_id AND i.name <> :name
  AND i.version = (SELECT max(f.version) FROM recollect.ingested_files AS f WHERE f.orchestrator_id = i.orchestrator_id AND f.name = i.name) LIMIT 1

-- name: source_paths
SELECT DISTINCT source_path FROM recollect.memory_sources WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id AND source_path IS NOT NULL

-- Whether a memory was said anywhere but in one turn of a conversation.
-- name: said_elsewhere
SELECT 1 FROM recollect.memory_sources WHERE orchestrator_id = :orchestrator_id AND memory_id = :memory_id
  AND NOT (conversation_id IS NOT DISTINCT FROM :conversation_id AND message_id IS NOT DISTINCT FROM :turn_id) LIMIT 1

-- name: add_ingested
INSERT INTO recollect.ingested_files (orchestrator_id, name, version, digest, document_id, manifest, finished_at)
VALUES (:orchestrator_id, :name, :version, :digest, :document_id, :manifest, :finished_at)

-- name: add_ingested_memory
INSERT INTO recollect.ingested_memories (orchestrator_id, name, version, memory_id)
VALUES (:orchestrator_id, :name, :version, :memory_id) ON CONFLICT DO NOTHING

-- Contradictions that nobody has resolved: both sides count, and the caller may see both. Newest first.
-- name: open_conflicts
SELECT one.seq, other.seq FROM recollect.memory_edges AS e
JOIN recollect.memories AS one ON one.orchestrator_id = e.orchestrator_id AND one.memory_id = e.from_memory_id
JOIN recollect.memories AS other ON other.orchestrator_id = e.orchestrator_id AND other.memory_id = e.to_memory_id
WHERE e.orchestrator_id = :orchestrator_id AND e.edge_type = 'Contradicts'
  AND EXISTS (SELECT 1 FROM recollect.memories AS m WHERE m.orchestrator_id = e.orchestrator_id AND m.seq = one.seq AND @visible)
  AND EXISTS (SELECT 1 FROM recollect.memories AS m WHERE m.orchestrator_id = e.orchestrator_id AND m.seq = other.seq AND @visible)
ORDER BY e.created_at DESC, e.edge_id DESC LIMIT :limit

-- The newest of one type in one scope: an index has them in this order, so the others are not looked at.
-- name: newest_of_type
SELECT m.seq FROM recollect.memories AS m
WHERE m.orchestrator_id = :orchestrator_id AND m.scope_id = :scope_id AND m.kind = 'memory' AND m.type = :type AND @visible
ORDER BY m.seq DESC LIMIT :limit

-- name: doubtful
SELECT m.seq FROM recollect.memories AS m
WHERE m.orchestrator_id = :orchestrator_id AND m.confidence < 0.5 AND m.status = 'active' AND @visible
ORDER BY m.seq DESC LIMIT :limit

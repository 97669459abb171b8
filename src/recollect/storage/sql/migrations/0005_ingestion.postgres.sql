-- Ingestion: which files became memories, version by version; and what a bulletin looks for.

CREATE TABLE recollect.ingested_files (
    orchestrator_id text NOT NULL,
    name            text NOT NULL CHECK (name <> ''),
    version         bigint NOT NULL CHECK (version > 0),
    digest          text NOT NULL CHECK (length(digest) = 64),
    document_id     text, -- the memory that stands for the whole file
    manifest        text NOT NULL CHECK (manifest::json IS NOT NULL),
    finished_at     bigint NOT NULL,
    PRIMARY KEY (orchestrator_id, name, version)
);
CREATE INDEX ingested_files_digest ON recollect.ingested_files (orchestrator_id, digest);
CREATE TABLE recollect.ingested_memories (
    orchestrator_id text NOT NULL,
    name            text NOT NULL,
    version         bigint NOT NULL,
    memory_id       text NOT NULL,
    PRIMARY KEY (orchestrator_id, name, version, memory_id)
);
CREATE INDEX ingested_memories_memory ON recollect.ingested_memories (orchestrator_id, memory_id);

CREATE INDEX memory_edges_conflicts ON recollect.memory_edges (orchestrator_id, created_at) WHERE edge_type = 'Contradicts';
CREATE INDEX memories_newest ON recollect.memories (orchestrator_id, scope_id, kind, type, seq);
CREATE INDEX memories_doubtful ON recollect.memories (orchestrator_id, scope_id) WHERE confidence < 0.5 AND status = 'active';

-- Ingestion: which files became memories, version by version; and what a bulletin looks for.

CREATE TABLE ingested_files (
    name        TEXT NOT NULL CHECK (name <> ''),
    version     INTEGER NOT NULL CHECK (version > 0),
    digest      TEXT NOT NULL CHECK (length(digest) = 64),
    document_id TEXT, -- the memory that stands for the whole file
    manifest    TEXT NOT NULL CHECK (json_valid(manifest)),
    finished_at INTEGER NOT NULL,
    PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX ingested_files_digest ON ingested_files (digest);
CREATE TABLE ingested_memories (
    name      TEXT NOT NULL,
    version   INTEGER NOT NULL,
    memory_id TEXT NOT NULL REFERENCES memories (memory_id) ON DELETE CASCADE,
    PRIMARY KEY (name, version, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ingested_memories_memory ON ingested_memories (memory_id);

CREATE INDEX memory_edges_conflicts ON memory_edges (created_at) WHERE edge_type = 'Contradicts';
CREATE INDEX memories_doubtful ON memories (scope_id) WHERE confidence < 0.5 AND status = 'active';

-- The signs of every vector, one bit a dimension, in the index that finds a scope's vectors: a large scope is scanned by
-- them, without reading the vectors themselves.

ALTER TABLE recollect.memory_embeddings
    ADD COLUMN signs bit varying GENERATED ALWAYS AS (binary_quantize(vector)) STORED;
DROP INDEX IF EXISTS recollect.memory_embeddings_scope;
DROP INDEX IF EXISTS recollect.memory_embeddings_orchestrator_id_scope_id_model_id_idx; -- its name in parts
CREATE INDEX memory_embeddings_signs ON recollect.memory_embeddings (orchestrator_id, scope_id, model_id)
    INCLUDE (seq, signs);

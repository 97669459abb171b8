-- What PostgreSQL itself watches over. Made anew after every migration and after tables were partitioned.

-- A row belongs to one orchestrator, and only that one's work sees it: also the owner of the tables, and also a
-- query that forgot its filter. Where no orchestrator is set there is nothing to see.
-- name: secure
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.oid::regclass::text FROM pg_class AS c
        WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind IN ('r', 'p')
          AND EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'orchestrator_id')
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY IF EXISTS own ON %s', name);
        EXECUTE format('CREATE POLICY own ON %s USING (orchestrator_id = current_setting(''recollect.orchestrator'', true))
            WITH CHECK (orchestrator_id = current_setting(''recollect.orchestrator'', true))', name);
    END LOOP;
END $$

-- name: relate
ALTER TABLE recollect.memories DROP CONSTRAINT IF EXISTS memories_scope_is_there,
    ADD CONSTRAINT memories_scope_is_there FOREIGN KEY (orchestrator_id, scope_id) REFERENCES recollect.scopes;
ALTER TABLE recollect.memory_sources DROP CONSTRAINT IF EXISTS memory_sources_memory_is_there,
    ADD CONSTRAINT memory_sources_memory_is_there FOREIGN KEY (orchestrator_id, memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.memory_edges DROP CONSTRAINT IF EXISTS memory_edges_from_is_there,
    ADD CONSTRAINT memory_edges_from_is_there FOREIGN KEY (orchestrator_id, from_memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.memory_edges DROP CONSTRAINT IF EXISTS memory_edges_to_is_there,
    ADD CONSTRAINT memory_edges_to_is_there FOREIGN KEY (orchestrator_id, to_memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.memory_fts DROP CONSTRAINT IF EXISTS memory_fts_memory_is_there,
    ADD CONSTRAINT memory_fts_memory_is_there FOREIGN KEY (orchestrator_id, seq)
    REFERENCES recollect.memories ON DELETE CASCADE;
ALTER TABLE recollect.memory_embeddings DROP CONSTRAINT IF EXISTS memory_embeddings_memory_is_there,
    ADD CONSTRAINT memory_embeddings_memory_is_there FOREIGN KEY (orchestrator_id, seq)
    REFERENCES recollect.memories ON DELETE CASCADE;
ALTER TABLE recollect.memory_embeddings DROP CONSTRAINT IF EXISTS memory_embeddings_model_is_there,
    ADD CONSTRAINT memory_embeddings_model_is_there FOREIGN KEY (orchestrator_id, model_id)
    REFERENCES recollect.embedding_models;
ALTER TABLE recollect.messages DROP CONSTRAINT IF EXISTS messages_session_is_there,
    ADD CONSTRAINT messages_session_is_there FOREIGN KEY (orchestrator_id, session_id)
    REFERENCES recollect.sessions ON DELETE CASCADE;
ALTER TABLE recollect.messages DROP CONSTRAINT IF EXISTS messages_memory_is_there,
    ADD CONSTRAINT messages_memory_is_there FOREIGN KEY (orchestrator_id, memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE SET NULL (memory_id);
ALTER TABLE recollect.session_values DROP CONSTRAINT IF EXISTS session_values_session_is_there,
    ADD CONSTRAINT session_values_session_is_there FOREIGN KEY (orchestrator_id, session_id)
    REFERENCES recollect.sessions ON DELETE CASCADE;
ALTER TABLE recollect.embedding_queue DROP CONSTRAINT IF EXISTS embedding_queue_memory_is_there,
    ADD CONSTRAINT embedding_queue_memory_is_there FOREIGN KEY (orchestrator_id, seq)
    REFERENCES recollect.memories ON DELETE CASCADE;
ALTER TABLE recollect.people DROP CONSTRAINT IF EXISTS people_scope_is_there,
    ADD CONSTRAINT people_scope_is_there FOREIGN KEY (orchestrator_id, scope_id) REFERENCES recollect.scopes;
ALTER TABLE recollect.person_names DROP CONSTRAINT IF EXISTS person_names_person_is_there,
    ADD CONSTRAINT person_names_person_is_there FOREIGN KEY (orchestrator_id, person_id)
    REFERENCES recollect.people ON DELETE CASCADE;
ALTER TABLE recollect.person_relations DROP CONSTRAINT IF EXISTS person_relations_person_is_there,
    ADD CONSTRAINT person_relations_person_is_there FOREIGN KEY (orchestrator_id, person_id)
    REFERENCES recollect.people ON DELETE CASCADE;
ALTER TABLE recollect.memory_people DROP CONSTRAINT IF EXISTS memory_people_memory_is_there,
    ADD CONSTRAINT memory_people_memory_is_there FOREIGN KEY (orchestrator_id, memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.memory_people DROP CONSTRAINT IF EXISTS memory_people_person_is_there,
    ADD CONSTRAINT memory_people_person_is_there FOREIGN KEY (orchestrator_id, person_id)
    REFERENCES recollect.people ON DELETE CASCADE;
ALTER TABLE recollect.memory_claims DROP CONSTRAINT IF EXISTS memory_claims_memory_is_there,
    ADD CONSTRAINT memory_claims_memory_is_there FOREIGN KEY (orchestrator_id, memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.forgotten DROP CONSTRAINT IF EXISTS forgotten_scope_is_there,
    ADD CONSTRAINT forgotten_scope_is_there FOREIGN KEY (orchestrator_id, scope_id) REFERENCES recollect.scopes;
ALTER TABLE recollect.artifact_tags DROP CONSTRAINT IF EXISTS artifact_tags_artifact_is_there,
    ADD CONSTRAINT artifact_tags_artifact_is_there FOREIGN KEY (orchestrator_id, artifact_id)
    REFERENCES recollect.artifacts ON DELETE CASCADE;
ALTER TABLE recollect.ingested_memories DROP CONSTRAINT IF EXISTS ingested_memories_memory_is_there,
    ADD CONSTRAINT ingested_memories_memory_is_there FOREIGN KEY (orchestrator_id, memory_id)
    REFERENCES recollect.memories (orchestrator_id, memory_id) ON DELETE CASCADE;
ALTER TABLE recollect.extractions DROP CONSTRAINT IF EXISTS extractions_session_is_there,
    ADD CONSTRAINT extractions_session_is_there FOREIGN KEY (orchestrator_id, session_id)
    REFERENCES recollect.sessions ON DELETE CASCADE

-- Events are append-only; only their details may be blanked.
-- name: protect
CREATE OR REPLACE FUNCTION recollect.keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND new.detail IS NULL AND new.reason IS NULL
        AND (new.orchestrator_id, new.sequence, new.occurred_at, new.kind, new.actor, new.memory_id, new.edge_id, new.person_id)
            IS NOT DISTINCT FROM
            (old.orchestrator_id, old.sequence, old.occurred_at, old.kind, old.actor, old.memory_id, old.edge_id, old.person_id)
    THEN RETURN new;
    END IF;
    IF TG_OP = 'DELETE' AND current_setting('recollect.erasing', true) = old.orchestrator_id
    THEN RETURN old; -- everything of an orchestrator is forgotten
    END IF;
    RAISE EXCEPTION 'events are append-only';
END $$;
CREATE OR REPLACE TRIGGER events_keep BEFORE UPDATE OR DELETE ON recollect.events
    FOR EACH ROW EXECUTE FUNCTION recollect.keep_event()

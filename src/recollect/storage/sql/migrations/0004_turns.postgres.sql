-- Turn memory: artifacts of conversations and their turns. What belongs to a turn has a turn_id and goes with it; what
-- belongs to the conversation has none. There is one artifact for a unique key, whoever writes it twice.

CREATE TABLE recollect.artifacts (
    orchestrator_id text NOT NULL,
    artifact_id     text NOT NULL CHECK (length(artifact_id) = 36),
    kind            text NOT NULL CHECK (kind <> ''),
    user_id         text NOT NULL CHECK (user_id <> ''),
    conversation_id text NOT NULL CHECK (conversation_id <> ''),
    turn_id         text,
    track_id        text,
    bundle_id       text,
    unique_key      text,
    tags            text NOT NULL CHECK (tags::json IS NOT NULL),
    content         text NOT NULL CHECK (content::json IS NOT NULL),
    blob            text, -- where the whole lies; NULL: the index holds all of it
    blob_digest     text,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    expires_at      bigint,
    PRIMARY KEY (orchestrator_id, artifact_id),
    CHECK ((blob IS NULL) = (blob_digest IS NULL)),
    CHECK (kind <> 'artifact:turn.fingerprint.v1' OR (turn_id IS NOT NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'artifact:turn.log' OR (turn_id IS NOT NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'conversation.active_set.v1' OR (turn_id IS NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'conversation.memory.bucket.v1' OR (turn_id IS NULL AND unique_key IS NOT NULL))
);
CREATE UNIQUE INDEX artifacts_once ON recollect.artifacts (orchestrator_id, user_id, conversation_id, kind, unique_key)
    WHERE unique_key IS NOT NULL;
CREATE INDEX artifacts_of_conversation ON recollect.artifacts (orchestrator_id, user_id, conversation_id, kind, created_at);
CREATE INDEX artifacts_of_user ON recollect.artifacts (orchestrator_id, user_id, kind, created_at);
CREATE INDEX artifacts_of_turn ON recollect.artifacts (orchestrator_id, user_id, conversation_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX artifacts_expiry ON recollect.artifacts (orchestrator_id, expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE recollect.artifact_tags (
    orchestrator_id text NOT NULL,
    user_id         text NOT NULL,
    tag             text NOT NULL,
    artifact_id     text NOT NULL,
    PRIMARY KEY (orchestrator_id, user_id, tag, artifact_id)
);
CREATE INDEX artifact_tags_artifact ON recollect.artifact_tags (orchestrator_id, artifact_id);

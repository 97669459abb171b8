-- Turn memory: artifacts of conversations and their turns. What belongs to a turn has a turn_id and goes with it; what
-- belongs to the conversation has none. There is one artifact for a unique key, whoever writes it twice.

CREATE TABLE artifacts (
    artifact_id     TEXT PRIMARY KEY CHECK (length(artifact_id) = 36),
    kind            TEXT NOT NULL CHECK (kind <> ''),
    user_id         TEXT NOT NULL CHECK (user_id <> ''),
    conversation_id TEXT NOT NULL CHECK (conversation_id <> ''),
    turn_id         TEXT,
    track_id        TEXT,
    bundle_id       TEXT,
    unique_key      TEXT,
    tags            TEXT NOT NULL CHECK (json_valid(tags)),
    content         TEXT NOT NULL CHECK (json_valid(content)),
    blob            TEXT, -- where the whole lies; NULL: the index holds all of it
    blob_digest     TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    CHECK ((blob IS NULL) = (blob_digest IS NULL)),
    CHECK (kind <> 'artifact:turn.fingerprint.v1' OR (turn_id IS NOT NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'artifact:turn.log' OR (turn_id IS NOT NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'conversation.active_set.v1' OR (turn_id IS NULL AND unique_key IS NOT NULL)),
    CHECK (kind <> 'conversation.memory.bucket.v1' OR (turn_id IS NULL AND unique_key IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX artifacts_once ON artifacts (user_id, conversation_id, kind, unique_key) WHERE unique_key IS NOT NULL;
CREATE INDEX artifacts_of_conversation ON artifacts (user_id, conversation_id, kind, created_at);
CREATE INDEX artifacts_of_user ON artifacts (user_id, kind, created_at);
CREATE INDEX artifacts_of_turn ON artifacts (user_id, conversation_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX artifacts_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE artifact_tags (
    user_id     TEXT NOT NULL,
    tag         TEXT NOT NULL,
    artifact_id TEXT NOT NULL REFERENCES artifacts (artifact_id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, tag, artifact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_tags_artifact ON artifact_tags (artifact_id);

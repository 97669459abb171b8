-- Artifacts of turn memory. Every search is one user's, inside a scope, and of what has not expired.

-- fragment: artifact
a.artifact_id, a.kind, a.user_id, a.conversation_id, a.turn_id, a.track_id, a.bundle_id, a.unique_key, a.tags, a.content,
a.blob, a.blob_digest, a.created_at, a.updated_at, a.expires_at

-- Kinds AND tags AND scope AND time; what is NULL was not asked for.
-- fragment: wanted
(a.expires_at IS NULL OR a.expires_at > :now)
  AND (:conversation_id::text IS NULL OR a.conversation_id = :conversation_id)
  AND (:track_id::text IS NULL OR a.track_id = :track_id)
  AND (:bundle_id::text IS NULL OR a.bundle_id = :bundle_id)
  AND (:turn_ids::text IS NULL OR a.turn_id IN (SELECT jsonb_array_elements_text(:turn_ids::jsonb)))
  AND (:kinds::text IS NULL OR a.kind IN (SELECT jsonb_array_elements_text(:kinds::jsonb)))
  AND a.tags::jsonb @> :all_tags::jsonb
  AND (:any_tags::text IS NULL OR a.tags::jsonb ?| ARRAY(SELECT jsonb_array_elements_text(:any_tags::jsonb)))
  AND NOT a.tags::jsonb ?| ARRAY(SELECT jsonb_array_elements_text(:not_tags::jsonb))
  AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(:times::jsonb) AS f WHERE NOT CASE f.value ->> 0
        WHEN '<' THEN a.created_at < (f.value ->> 1)::bigint WHEN '<=' THEN a.created_at <= (f.value ->> 1)::bigint
        WHEN '=' THEN a.created_at = (f.value ->> 1)::bigint WHEN '>=' THEN a.created_at >= (f.value ->> 1)::bigint
        WHEN '>' THEN a.created_at > (f.value ->> 1)::bigint WHEN '<>' THEN a.created_at <> (f.value ->> 1)::bigint
        ELSE false END)
  AND (:beyond_at::bigint IS NULL OR (a.updated_at, a.artifact_id COLLATE "C") > (:beyond_at, :beyond_id))

-- name: artifacts_in_conversation
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.conversation_id = :conversation_id AND @wanted
ORDER BY a.created_at DESC, a.artifact_id COLLATE "C" DESC LIMIT :limit

-- name: artifacts_of_kind
SELECT @artifact FROM recollect.artifacts AS a
WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.conversation_id = :conversation_id AND a.kind = :kind AND @wanted
ORDER BY a.created_at DESC, a.artifact_id COLLATE "C" DESC LIMIT :limit

-- name: artifacts_of_user
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND @wanted
ORDER BY a.created_at DESC, a.artifact_id COLLATE "C" DESC LIMIT :limit

-- name: artifacts_of_user_kind
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.kind = :kind AND @wanted
ORDER BY a.created_at DESC, a.artifact_id COLLATE "C" DESC LIMIT :limit

-- By a tag; ids are in the order of time, so the newest are found without looking at the others.
-- name: artifacts_tagged
SELECT @artifact FROM recollect.artifact_tags AS tagged JOIN recollect.artifacts AS a
  ON a.orchestrator_id = tagged.orchestrator_id AND a.artifact_id = tagged.artifact_id
WHERE tagged.orchestrator_id = :orchestrator_id AND tagged.user_id = :user_id AND tagged.tag = :tag AND a.user_id = :user_id AND @wanted
ORDER BY tagged.artifact_id COLLATE "C" DESC LIMIT :limit

-- name: artifacts_of_turns
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.conversation_id = :conversation_id
  AND a.turn_id IN (SELECT jsonb_array_elements_text(:turn_ids::jsonb)) AND @wanted
ORDER BY a.created_at DESC, a.artifact_id COLLATE "C" DESC LIMIT :limit

-- name: artifact
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.artifact_id = :artifact_id

-- name: artifact_by_key
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.conversation_id = :conversation_id
  AND a.kind = :kind AND a.unique_key = :unique_key

-- name: count_artifacts
SELECT count(*) FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.user_id = :user_id AND a.conversation_id = :conversation_id AND a.kind = :kind AND @wanted

-- name: put_artifact
INSERT INTO recollect.artifacts (orchestrator_id, artifact_id, kind, user_id, conversation_id, turn_id, track_id, bundle_id, unique_key, tags, content,
                       blob, blob_digest, created_at, updated_at, expires_at)
VALUES (:orchestrator_id, :artifact_id, :kind, :user_id, :conversation_id, :turn_id, :track_id, :bundle_id, :unique_key, :tags, :content,
        :blob, :blob_digest, :created_at, :updated_at, :expires_at)
ON CONFLICT (orchestrator_id, artifact_id) DO UPDATE SET
    tags = excluded.tags, content = excluded.content, blob = excluded.blob, blob_digest = excluded.blob_digest,
    track_id = excluded.track_id, bundle_id = excluded.bundle_id, updated_at = excluded.updated_at, expires_at = excluded.expires_at

-- name: drop_artifact_tags
DELETE FROM recollect.artifact_tags WHERE orchestrator_id = :orchestrator_id AND artifact_id = :artifact_id

-- name: add_artifact_tag
INSERT INTO recollect.artifact_tags (orchestrator_id, user_id, tag, artifact_id) VALUES (:orchestrator_id, :user_id, :tag, :artifact_id)

-- name: drop_artifact
DELETE FROM recollect.artifacts WHERE orchestrator_id = :orchestrator_id AND artifact_id = :artifact_id

-- For upkeep and forgetting only: whoever they belong to.
-- name: expired_artifacts
SELECT @artifact FROM recollect.artifacts AS a WHERE a.orchestrator_id = :orchestrator_id AND a.expires_at <= :now ORDER BY a.expires_at LIMIT :limit

-- name: artifacts_after
SELECT @artifact FROM recollect.artifacts AS a
WHERE a.orchestrator_id = :orchestrator_id AND a.artifact_id COLLATE "C" > :after AND (:user_id::text IS NULL OR a.user_id = :user_id)
  AND (:conversation_id::text IS NULL OR a.conversation_id = :conversation_id) ORDER BY a.artifact_id COLLATE "C" LIMIT :limit

-- name: artifact_blobs
SELECT blob FROM recollect.artifacts WHERE orchestrator_id = :orchestrator_id AND blob IS NOT NULL

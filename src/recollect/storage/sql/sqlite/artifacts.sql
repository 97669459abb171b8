-- Artifacts of turn memory. Every search is one user's, inside a scope, and of what has not expired.

-- fragment: artifact
a.artifact_id, a.kind, a.user_id, a.conversation_id, a.turn_id, a.track_id, a.bundle_id, a.unique_key, a.tags, a.content,
a.blob, a.blob_digest, a.created_at, a.updated_at, a.expires_at

-- Kinds AND tags AND scope AND time; what is NULL was not asked for.
-- fragment: wanted
(a.expires_at IS NULL OR a.expires_at > :now)
  AND (:conversation_id IS NULL OR a.conversation_id = :conversation_id)
  AND (:track_id IS NULL OR a.track_id = :track_id)
  AND (:bundle_id IS NULL OR a.bundle_id = :bundle_id)
  AND (:turn_ids IS NULL OR a.turn_id IN (SELECT value FROM json_each(:turn_ids)))
  AND (:kinds IS NULL OR a.kind IN (SELECT value FROM json_each(:kinds)))
  AND NOT EXISTS (SELECT 1 FROM json_each(:all_tags) AS t
                  WHERE NOT EXISTS (SELECT 1 FROM json_each(a.tags) AS own WHERE own.value = t.value))
  AND (:any_tags IS NULL OR EXISTS (SELECT 1 FROM json_each(a.tags) AS own
                                    WHERE own.value IN (SELECT value FROM json_each(:any_tags))))
  AND NOT EXISTS (SELECT 1 FROM json_each(a.tags) AS own WHERE own.value IN (SELECT value FROM json_each(:not_tags)))
  AND NOT EXISTS (SELECT 1 FROM json_each(:times) AS f WHERE NOT CASE f.value ->> 0
        WHEN '<' THEN a.created_at < f.value ->> 1 WHEN '<=' THEN a.created_at <= f.value ->> 1
        WHEN '=' THEN a.created_at = f.value ->> 1 WHEN '>=' THEN a.created_at >= f.value ->> 1
        WHEN '>' THEN a.created_at > f.value ->> 1 WHEN '<>' THEN a.created_at <> f.value ->> 1 ELSE 0 END)
  AND (:beyond_at IS NULL OR (a.updated_at, a.artifact_id) > (:beyond_at, :beyond_id))

-- name: artifacts_in_conversation
SELECT @artifact FROM artifacts AS a WHERE a.user_id = :user_id AND a.conversation_id = :conversation_id AND @wanted
ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT :limit

-- name: artifacts_of_kind
SELECT @artifact FROM artifacts AS a
WHERE a.user_id = :user_id AND a.conversation_id = :conversation_id AND a.kind = :kind AND @wanted
ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT :limit

-- name: artifacts_of_user
SELECT @artifact FROM artifacts AS a WHERE a.user_id = :user_id AND @wanted
ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT :limit

-- name: artifacts_of_user_kind
SELECT @artifact FROM artifacts AS a WHERE a.user_id = :user_id AND a.kind = :kind AND @wanted
ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT :limit

-- By a tag; ids are in the order of time, so the newest are found without looking at the others.
-- name: artifacts_tagged
SELECT @artifact FROM artifact_tags AS tagged CROSS JOIN artifacts AS a ON a.artifact_id = tagged.artifact_id
WHERE tagged.user_id = :user_id AND tagged.tag = :tag AND a.user_id = :user_id AND @wanted
ORDER BY tagged.artifact_id DESC LIMIT :limit

-- name: artifacts_of_turns
SELECT @artifact FROM artifacts AS a WHERE a.user_id = :user_id AND a.conversation_id = :conversation_id
  AND a.turn_id IN (SELECT value FROM json_each(:turn_ids)) AND @wanted
ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT :limit

-- name: artifact
SELECT @artifact FROM artifacts AS a WHERE a.artifact_id = :artifact_id

-- name: artifact_by_key
SELECT @artifact FROM artifacts AS a WHERE a.user_id = :user_id AND a.conversation_id = :conversation_id
  AND a.kind = :kind AND a.unique_key = :unique_key

-- name: count_artifacts
SELECT count(*) FROM artifacts AS a WHERE a.user_id = :user_id AND a.conversation_id = :conversation_id AND a.kind = :kind AND @wanted

-- name: put_artifact
INSERT INTO artifacts (artifact_id, kind, user_id, conversation_id, turn_id, track_id, bundle_id, unique_key, tags, content,
                       blob, blob_digest, created_at, updated_at, expires_at)
VALUES (:artifact_id, :kind, :user_id, :conversation_id, :turn_id, :track_id, :bundle_id, :unique_key, :tags, :content,
        :blob, :blob_digest, :created_at, :updated_at, :expires_at)
ON CONFLICT (artifact_id) DO UPDATE SET
    tags = excluded.tags, content = excluded.content, blob = excluded.blob, blob_digest = excluded.blob_digest,
    track_id = excluded.track_id, bundle_id = excluded.bundle_id, updated_at = excluded.updated_at, expires_at = excluded.expires_at

-- name: drop_artifact_tags
DELETE FROM artifact_tags WHERE artifact_id = :artifact_id

-- name: add_artifact_tag
INSERT INTO artifact_tags (user_id, tag, artifact_id) VALUES (:user_id, :tag, :artifact_id)

-- name: drop_artifact
DELETE FROM artifacts WHERE artifact_id = :artifact_id

-- For upkeep and forgetting only: whoever they belong to.
-- name: expired_artifacts
SELECT @artifact FROM artifacts AS a WHERE a.expires_at <= :now ORDER BY a.expires_at LIMIT :limit

-- name: artifacts_after
SELECT @artifact FROM artifacts AS a
WHERE a.artifact_id > :after AND (:user_id IS NULL OR a.user_id = :user_id)
  AND (:conversation_id IS NULL OR a.conversation_id = :conversation_id) ORDER BY a.artifact_id LIMIT :limit

-- name: artifact_blobs
SELECT blob FROM artifacts WHERE blob IS NOT NULL

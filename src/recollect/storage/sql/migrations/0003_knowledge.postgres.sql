-- Knowledge that evolves: people, what memories claim about whom, what is forgotten for good, and what has still to
-- be learned from conversations. A memory that is put away is `archived`.

ALTER TABLE recollect.memories DROP CONSTRAINT memories_status_check;
ALTER TABLE recollect.memories ADD CONSTRAINT memories_status_check
    CHECK (status IN ('active', 'superseded', 'retracted', 'archived'));

-- A digest of what a memory says, without case and punctuation: equal facts meet. NULL: not yet understood.
ALTER TABLE recollect.memories ADD COLUMN content_key bytea;
CREATE INDEX memories_content ON recollect.memories (orchestrator_id, scope_id, content_key) WHERE content_key IS NOT NULL;
CREATE INDEX memories_expiry ON recollect.memories (orchestrator_id, expires_at) WHERE expires_at IS NOT NULL;

-- Somebody that a user (or a chat) speaks of. Merged people point at the one they are; what is said of them stays theirs.
CREATE TABLE recollect.people (
    orchestrator_id text NOT NULL,
    person_id       text NOT NULL CHECK (length(person_id) = 36),
    scope_id        bigint NOT NULL,
    name            text,
    merged_into     text CHECK (merged_into <> person_id),
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (orchestrator_id, person_id)
);
CREATE INDEX people_scope ON recollect.people (orchestrator_id, scope_id);
CREATE TABLE recollect.person_names (
    orchestrator_id text NOT NULL,
    person_id       text NOT NULL,
    name            text NOT NULL CHECK (btrim(name) <> ''),
    PRIMARY KEY (orchestrator_id, person_id, name)
);
CREATE TABLE recollect.person_relations (
    orchestrator_id text NOT NULL,
    person_id       text NOT NULL,
    relation        text NOT NULL,
    of_person       text NOT NULL, -- whose wife, brother or boss: a person, or '' for who speaks
    PRIMARY KEY (orchestrator_id, person_id, relation, of_person)
);
CREATE TABLE recollect.memory_people (
    orchestrator_id text NOT NULL,
    memory_id       text NOT NULL,
    person_id       text NOT NULL,
    PRIMARY KEY (orchestrator_id, memory_id, person_id)
);
CREATE INDEX memory_people_person ON recollect.memory_people (orchestrator_id, person_id);

-- What a memory claims: whose attribute has which value. Two that claim different values of one are in conflict.
CREATE TABLE recollect.memory_claims (
    orchestrator_id text NOT NULL,
    memory_id       text NOT NULL,
    ordinal         integer NOT NULL CHECK (ordinal >= 0),
    scope_id        bigint NOT NULL,
    subject         text NOT NULL,
    attribute       text NOT NULL,
    value           text NOT NULL,
    negated         integer NOT NULL CHECK (negated IN (0, 1)),
    stated_by       text NOT NULL,
    clause          integer NOT NULL, -- which statement of its memory it belongs to
    active          integer NOT NULL CHECK (active IN (0, 1)), -- as its memory is: what was replaced is not looked at again
    PRIMARY KEY (orchestrator_id, memory_id, ordinal)
);
CREATE INDEX memory_claims_slot ON recollect.memory_claims (orchestrator_id, scope_id, subject, attribute, negated)
    WHERE active = 1;
CREATE INDEX memory_claims_newest ON recollect.memory_claims (orchestrator_id, scope_id, memory_id) WHERE active = 1;

-- Digests of what was forgotten for good: it is not to be learned again.
CREATE TABLE recollect.forgotten (
    orchestrator_id text NOT NULL,
    scope_id        bigint NOT NULL,
    content_key     bytea NOT NULL,
    forgotten_at    bigint NOT NULL,
    PRIMARY KEY (orchestrator_id, scope_id, content_key)
);

-- How far each conversation has been learned from, and when to go on; NULL: there is nothing new.
CREATE TABLE recollect.extractions (
    orchestrator_id text NOT NULL,
    session_id      text NOT NULL,
    position        bigint NOT NULL, -- the last message that was learned from
    attempts        integer NOT NULL DEFAULT 0,
    due_at          bigint,
    PRIMARY KEY (orchestrator_id, session_id)
);
CREATE INDEX extractions_due ON recollect.extractions (orchestrator_id, due_at) WHERE due_at IS NOT NULL;

ALTER TABLE recollect.events ADD COLUMN person_id text;
CREATE INDEX events_person ON recollect.events (orchestrator_id, person_id) WHERE person_id IS NOT NULL;

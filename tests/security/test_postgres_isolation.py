"""A red team on a shared server: nothing crosses from one orchestrator to another, whatever is tried."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import psycopg
import pytest

import recollect
from recollect.model.source import Source

HOSTILE = [
    "'; SELECT set_config('recollect.orchestrator', 'victim', false); --",
    "x' OR '1'='1",
    "$1; DROP TABLE recollect.memories; --",
    "%(orchestrator_id)s %s %% \\",
    ":orchestrator_id ::text ?",
    "'' | 's1' & !!",
    "\\'; COMMIT; DELETE FROM recollect.memories; --",
]
SECRET = "The vault code is quetzal"


@pytest.fixture
def url(databases):
    return databases.new()


@pytest.fixture
def victim(url, root, clock):
    with recollect.open(url, orchestrator="victim", files=root, clock=clock) as memory:
        memory.secret = memory.remember(SECRET, user="alex", scope="shared").memory
        yield memory


@pytest.fixture
def attacker(url, root, clock, victim):
    settings = {"storage": {"connections": 1}}  # one connection: what one leaves behind the next would find
    with recollect.open(url, orchestrator="attacker", files=root, clock=clock, settings=settings) as memory:
        yield memory


def whole(memory):
    return json.dumps([str(each) for each in memory.list(user="alex", limit=1000).memories])


def tried(logged):
    return [line for line in logged("attacker") if line["event"].startswith("memory.access.")]


def denials(logged):
    return [line for line in logged("attacker") if "denied" in line["event"]]


def test_every_public_call_with_anothers_id_finds_nothing_and_is_recorded(attacker, victim, logged):
    stolen = victim.secret.memory_id
    own = attacker.remember("mine", user="alex").memory.memory_id
    calls = {
        "show": lambda: attacker.show(stolen, user="alex"),
        "history": lambda: attacker.history(stolen, user="alex"),
        "edges": lambda: attacker.edges(stolen, user="alex"),
        "edit": lambda: attacker.edit(stolen, user="alex", content="owned"),
        "retract": lambda: attacker.retract(stolen, user="alex"),
        "supersede": lambda: attacker.supersede(stolen, content="owned", user="alex"),
        "supersede by": lambda: attacker.supersede(own, by=stolen, user="alex"),
        "link from": lambda: attacker.link(stolen, own, "RelatedTo", user="alex"),
        "link to": lambda: attacker.link(own, stolen, "RelatedTo", user="alex"),
        "contradict": lambda: attacker.contradict(own, stolen, user="alex"),
        "contradicted": lambda: attacker.contradict(stolen, own, user="alex"),
        "restore": lambda: attacker.restore(stolen, user="alex"),
        "forget": lambda: attacker.forget(stolen, user="alex"),
        "remember superseding": lambda: attacker.remember("x", user="alex", supersedes=[stolen]),
    }
    for call in calls.values():
        with pytest.raises(recollect.NotFound):
            call()
    assert SECRET not in whole(attacker)
    assert victim.show(stolen, user="alex") == victim.secret
    assert len(victim.history(stolen, user="alex")) == 1
    # To the attacker it is an id that nobody has; the attempt stands in the log all the same.
    assert [line["event"] for line in tried(logged)] == ["memory.access.not_found"] * len(calls)
    assert {line["memoryId"] for line in tried(logged)} == {stolen}


def test_every_call_with_anothers_session_finds_nothing(attacker, victim):
    session = victim.session_of("chat", user="alex")
    victim.persist_turn(session.session_id, "The vault is behind the painting", "Noted")
    victim.add_usage(session.session_id, "m", 1, 1)
    stolen = session.session_id
    calls = [
        lambda: attacker.load_session(stolen, "chat"),
        lambda: attacker.delete_session(stolen, "chat"),
        lambda: attacker.messages(stolen),
        lambda: attacker.add_message(stolen, "user", "x"),
        lambda: attacker.persist_turn(stolen, "x", "y"),
        lambda: attacker.add_usage(stolen, "m", 1, 1),
        lambda: attacker.summarise_session(stolen),
    ]
    for call in calls:
        with pytest.raises(recollect.SessionError):
            call()
    assert attacker.session(stolen) is None
    assert attacker.usage(stolen) == []
    assert attacker.sessions() == []
    assert attacker.recall("vault painting", user="alex", include_messages=True, floor=False).hits == []
    assert attacker.session_of("chat", user="alex").session_id != stolen
    assert attacker.profile_notes("alex") is None
    assert len(victim.messages(stolen)) == 2


def test_every_call_with_anothers_people_finds_nobody(attacker, victim):
    fact = victim.remember("My wife Sarah has the vault's number", user="alex").memory
    attacker.remember("My friend Tom is tall", user="alex")
    (stolen,) = victim.people(user="alex")
    calls = [
        lambda who: attacker.person(who, user="alex"),
        lambda who: attacker.rename_person(who, "Mallory", user="alex"),
        lambda who: attacker.merge_people(who, "Tom", user="alex"),
        lambda who: attacker.merge_people("Tom", who, user="alex"),
        lambda who: attacker.split_person(who, "Mallory", [fact.memory_id], user="alex"),
        lambda who: attacker.undo_person(who, user="alex"),
        lambda who: attacker.forget_person(who, user="alex"),
    ]
    for call in calls:
        for who in (stolen.person_id, "Sarah", "my wife"):
            with pytest.raises(recollect.NotFound):
                call(who)
    assert attacker.recall("vault", user="alex", about="Sarah").hits == []
    assert attacker.forget_user("alex").memories == 1
    assert attacker.gc().count == 0 and attacker.doctor(fix=True).fixed == 0
    assert victim.people(user="alex") == [stolen]
    assert victim.show(fact.memory_id, user="alex") == fact


def test_every_call_with_anothers_turns_finds_nothing(attacker, victim):
    fingerprint = recollect.TurnFingerprint(turn_id="t1", made_at=victim.clock.now()).updated(
        objective="open the vault", facts=[{"key": "k", "value": "v"}], assistant_signals=[{"key": "s", "value": 1}]
    )
    turn = recollect.Turn(place=recollect.Place("alex", "c1", "t1"), fingerprint=fingerprint, message="hello vault")
    victim.keep_turn(turn)
    victim.give_feedback("alex", "c1", "t1", "ok", "good")
    assert victim.reconcile_buckets("alex", "c1") == 1
    (log,) = victim.find_artifacts(user_id="alex", conversation_id="c1", kinds=["artifact:turn.log"])
    (card,) = victim.preload_turns("alex", "c1").buckets
    with pytest.raises(recollect.NotFound):
        attacker.turn_log("alex", "c1", "t1")
    with pytest.raises(recollect.NotFound):
        attacker.give_feedback("alex", "c1", "t1", "ok")
    with pytest.raises(recollect.StorageError):
        attacker.artifact_content(log)
    with pytest.raises(recollect.StorageError):
        attacker.artifact_content(replace(log, blob=f"../../../victim/memory/blobs/{log.blob}"))
    with pytest.raises(recollect.ScopeDenied):
        attacker.save_artifact("artifact:x", {}, user_id="alex", conversation_id="c1", tenant="victim")
    assert attacker.turns("alex", "c1") == [] and attacker.preload_turns("alex", "c1").is_new
    assert attacker.find_artifacts(user_id="alex", scope="user") == []
    assert attacker.fetch_conversation_artifacts("alex", "c1")["turns"] == []
    assert not attacker.promoted("alex", "s") and not attacker.roll_back_turn("alex", "c1", "t1")
    assert attacker.feedback_report("alex").total["total"] == 0 and attacker.reconcile_buckets("alex", "c1") == 0
    assert attacker.bucket("alex", "c1", card["bucket_id"]) is None
    attacker.keep_turn(turn)
    attacker.forget_user("alex")
    assert victim.turn_log("alex", "c1", "t1")["user_message"] == "hello vault"


def test_anothers_token_opens_nothing(attacker, victim):
    text, token = victim.create_token("alex", rights="admin")
    with pytest.raises(recollect.ScopeDenied):
        attacker.admitted(text)
    with pytest.raises(recollect.NotFound):
        attacker.revoke_token(token.token_id)
    assert attacker.tokens() == []
    attacker.create_token("alex")
    assert victim.admitted(text).user == "alex" and len(victim.tokens()) == 1


def test_every_public_method_is_covered_by_the_attack():
    tried = {"show", "history", "edges", "edit", "retract", "supersede", "link", "remember", "contradict"}
    elsewhere = {"recall", "context", "list", "remember_many", "stats", "upkeep", "reindex", "close"}
    tried |= {
        "load_session",
        "delete_session",
        "session",
        "messages",
        "add_message",
        "persist_turn",
        "usage",
        "add_usage",
    }
    tried |= {"summarise_session", "restore", "forget", "person", "rename_person", "merge_people", "split_person"}
    tried |= {"undo_person", "forget_person", "forget_user", "gc", "doctor"}
    tried |= {"turn_log", "give_feedback", "artifact_content", "save_artifact", "turns", "preload_turns", "keep_turn"}
    tried |= {"find_artifacts", "fetch_conversation_artifacts", "promoted", "roll_back_turn", "feedback_report"}
    tried |= {"reconcile_buckets", "bucket"}
    elsewhere |= {"ingest", "watch_ingest", "ingested", "bulletin"}
    elsewhere |= {"changes", "pulse", "learned", "conflicts", "graph"}
    elsewhere |= {"export", "export_markdown", "import_data", "backup"}
    tried |= {"create_token", "tokens", "revoke_token", "admitted"}
    elsewhere |= {"people", "extract", "learn_pending", "forget_everything", "verify_erased"}
    elsewhere |= {"create_session", "sessions", "clean_up_sessions", "session_of", "register_store"}
    elsewhere |= {"add_document", "profile", "update_profile", "profile_notes"}
    public = {name for name, _ in inspect.getmembers(recollect.MemorySystem, callable) if not name.startswith("_")}
    assert public <= tried | elsewhere, public - tried - elsewhere


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_field_stays_text(attacker, victim, text):
    own = attacker.remember(text, user="alex", summary=text, reason=text, key=text).memory
    attacker.remember(
        "said",
        user=text.strip(),
        chat=text.strip(),
        scope="group",
        source=Source(
            source_type="channel_transcript", conversation_id=text, message_id=text, speaker=text, position=0
        ),
    )
    attacker.edit(own.memory_id, user="alex", content=f"{text} again", reason=text)
    linked = attacker.remember("x", user="alex").memory.memory_id
    attacker.link(own.memory_id, linked, "RelatedTo", user="alex", reason=text)
    for query in (text, f"quetzal {text}", "vault code"):
        found = attacker.recall(query, user="alex", floor=False)
        assert SECRET not in str(found)
        assert SECRET not in str(attacker.context(query, user="alex"))
    with pytest.raises(recollect.InvalidInput):
        attacker.show(text, user="alex")
    with pytest.raises(recollect.InvalidInput):
        recollect.open("postgresql://x", orchestrator=text)
    assert attacker.show(own.memory_id, user="alex").content == f"{text} again"
    assert SECRET not in whole(attacker)
    assert victim.stats().memories == 1
    assert victim.show(victim.secret.memory_id, user="alex") == victim.secret


def test_a_query_that_forgets_its_filter_returns_nothing(url, victim):
    with psycopg.connect(url, autocommit=True) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'recollect' AND tablename <> 'migrations'"
            ).fetchall()
        ]
        assert len(tables) >= 10
        for table in tables:
            # Not even for the role that owns the table, before and after a transaction of somebody.
            assert connection.execute(f"SELECT count(*) FROM recollect.{table}").fetchone() == (0,)
            connection.execute("BEGIN; SET LOCAL recollect.orchestrator = 'attacker'")
            assert connection.execute(f"SELECT count(*) FROM recollect.{table}").fetchone() == (0,)
            connection.execute("COMMIT")
            assert connection.execute(f"SELECT count(*) FROM recollect.{table}").fetchone() == (0,)


def test_a_row_cannot_be_put_into_anothers_hands(url, victim, attacker):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("BEGIN; SET LOCAL recollect.orchestrator = 'attacker'")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO recollect.meta VALUES ('victim', 'active_model', 'evil')")
        connection.execute("ROLLBACK; BEGIN; SET LOCAL recollect.orchestrator = 'attacker'")
        changed = connection.execute("UPDATE recollect.memories SET content = 'owned'")
        assert changed.rowcount == 0


def test_an_id_that_another_holds_is_no_oracle(attacker, victim):
    """The same id may be used by both: keys begin with the orchestrator."""
    from recollect.storage.interface import NewMemory

    twin = recollect.Memory(
        **{
            name: getattr(victim.secret, name)
            for name in victim.secret.__dataclass_fields__
            if name not in {"orchestrator_id", "content"}
        },
        orchestrator_id="attacker",
        content="mine",
    )
    attacker._storage.write(lambda writer: writer.add_memories([NewMemory(twin, ["mine"])]))
    assert attacker.show(twin.memory_id, user="alex").content == "mine"
    assert victim.show(twin.memory_id, user="alex").content == SECRET


def test_a_connection_that_is_used_again_carries_nothing_over(url, root, clock, victim):
    """Both on one connection, turn by turn, also when a transaction fails in between."""
    shared = {"storage": {"connections": 1}}
    with (
        recollect.open(url, orchestrator="one", files=root, clock=clock, settings=shared) as one,
        recollect.open(url, orchestrator="two", files=root, clock=clock, settings=shared) as two,
    ):
        assert one._storage._pool is two._storage._pool
        for number in range(20):
            one.remember(f"one {number}", user="alex", scope="shared")
            with pytest.raises(recollect.NotFound):
                two.remember("x", user="alex", supersedes=[victim.secret.memory_id])
            assert two.list(user="alex").memories == []
            with one._storage._pool.connection() as connection:
                assert connection.execute("SELECT current_setting('recollect.orchestrator', true)").fetchone()[0] in {
                    None,
                    "",
                }
                assert connection.execute("SELECT count(*) FROM recollect.memories").fetchone() == (0,)
        assert one.stats().memories == 20


def test_a_request_for_another_orchestrator_is_refused_and_logged(attacker, logged):
    from dataclasses import replace

    from recollect.knowledge.access import everything
    from recollect.model.scope import Speaker

    seen = everything("attacker", Speaker(user="alex"), attacker._clock.now())
    forged = replace(seen, orchestrator_id="victim")
    with pytest.raises(recollect.ScopeDenied):
        attacker._storage.read(lambda reader: reader.memories(forged, limit=5, offset=0))
    (line,) = denials(logged)
    assert line["requested"] == "victim"


def test_the_password_is_never_shown_or_logged(databases, root, run, url, logged):
    broken = url.replace("127.0.0.1", "127.0.0.1").replace("/rc_", "/nosuch_")
    done = run("list", "--root", broken, "--json", RECOLLECT_STORAGE__BUSY_TIMEOUT_SECONDS="0.5")
    assert done.code == 1
    assert json.loads(done.out or done.err)["error"]["code"] == "storage_unavailable"
    assert "s3cret" not in done.out + done.err
    assert "s3cret" not in json.dumps(logged("default"))
    wrong = run("list", "--root", "postgresql://u:s3cret@h:notaport/x", "--json")
    assert json.loads(wrong.out or wrong.err)["error"]["code"] == "invalid_root"
    assert "s3cret" not in wrong.out + wrong.err


@pytest.mark.parametrize(
    "url_",
    [
        "postgresql://u:my secret@h/x",
        "postgresql://u:p@ss/w secret@127.0.0.1:1/db",
        "postgresql://h/x?password=a secret",
    ],
)
def test_an_odd_password_is_not_shown_either(run, url_):
    done = run("list", "--root", url_)
    assert done.code == 1
    assert "secret" not in done.out + done.err
    assert "ss/w" not in done.out + done.err


def test_a_role_above_row_security_is_warned_of(databases, url, root, clock, logged):
    parts = psycopg.conninfo.conninfo_to_dict(databases.as_admin(url))
    place = f"{parts.get('host', '')}:{parts.get('port', '')}/{parts['dbname']}"
    admin = f"postgresql://{parts['user']}:{parts.get('password', '')}@{place}"
    recollect.open(admin, orchestrator="attacker", files=root, clock=clock).close()
    assert "memory.storage.row_security_bypassed" in [line["event"] for line in logged("attacker")]

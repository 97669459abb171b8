"""Recall as a user meets it, with the real default model."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

import recollect
from recollect import InvalidInput, Source
from recollect.knowledge import Draft

pytestmark = pytest.mark.usefixtures("real_model")

FACTS = {
    "I'm allergic to peanuts": "Which foods could make me ill?",
    "My wife's name is Sarah": "Who am I married to?",
    "I work as a nurse at the hospital": "What is my job?",
    "Our flat is on the third floor without a lift": "How do I get up to my home?",
    "I play the cello on Sundays": "Which musical instrument do I practise?",
    "My brother lives in Toronto": "Does any of my relatives live in Canada?",
    "I drive an old Volvo": "What kind of car do I own?",
    "Max is our golden retriever": "Do we have a dog?",
    "I can't stand horror films": "Which movies should you not suggest to me?",
    "I was born in 1984": "How old am I?",
    "We are saving for a house": "What are we putting money aside for?",
    "My doctor told me to cut down on salt": "What health advice did I get?",
    "I speak fluent Portuguese": "Which foreign languages do I know?",
    "I run half marathons": "What sport do I do?",
    "My daughter starts school in August": "What changes for my child this year?",
}


@pytest.fixture
def filled(memory):
    memory.remember_many(list(FACTS), user="alex")
    return memory


def contents(recalled):
    return [hit.memory.content for hit in recalled.hits]


def test_questions_without_a_shared_word_find_their_fact(filled):
    ranks = []
    for fact, question in FACTS.items():
        found = contents(filled.recall(question, user="alex", floor=False))
        ranks.append(found.index(fact) + 1 if fact in found else 99)
    hit_3 = sum(rank <= 3 for rank in ranks) / len(ranks)
    print(f"hit@1 {sum(rank == 1 for rank in ranks) / len(ranks):.2f}, hit@3 {hit_3:.2f}")
    assert hit_3 >= 0.9


def test_a_question_about_nothing_stored_gets_nothing(filled):
    for question in ("What is the boiling point of tungsten?", "Who won the 1966 election in Bolivia?"):
        recalled = filled.recall(question, user="alex")
        assert recalled.hits == []
        assert recalled.omitted["belowFloor"] > 0
        assert filled.recall(question, user="alex", floor=False).hits


def test_what_is_irrelevant_is_not_returned_beside_what_is(filled):
    found = contents(filled.recall("Which foods could make me ill?", user="alex"))
    assert "I'm allergic to peanuts" in found
    assert "I drive an old Volvo" not in found


def test_every_hit_says_why_and_where_from(filled):
    recalled = filled.recall("Is Sarah my wife?", user="alex")
    assert recalled.mode == "hybrid"
    hit = recalled.hits[0]
    assert hit.memory.content == "My wife's name is Sarah"
    assert hit.kind == "memory"
    assert hit.memory.source.source_type == "manual"
    assert hit.why["arms"]["text"]["rank"] == 1
    assert hit.why["arms"]["vector"]["rank"] == 1
    assert 0 < hit.why["arms"]["text"]["evidence"] <= 1
    assert set(hit.why["modifiers"]) == {"importance", "recency", "confidence", "contradiction"}
    factors = 1.0
    for factor in hit.why["modifiers"].values():
        factors *= factor
    assert hit.score == pytest.approx(hit.why["relevance"] * factors, rel=1e-3)
    assert [hit.score for hit in recalled.hits] == sorted((hit.score for hit in recalled.hits), reverse=True)


def test_reciprocal_rank_fusion_by_configuration(root, clock, open_memory):
    settings = {"memory": {"retrieval": {"fusion": "rrf"}}}
    with open_memory(settings=settings) as memory:
        memory.remember_many(list(FACTS), user="alex")
        hit = memory.recall("Is Sarah my wife?", user="alex").hits[0]
        expected = sum(arm["weight"] / (60 + arm["rank"]) for arm in hit.why["arms"].values())
        assert hit.why["relevance"] == pytest.approx(expected)
        assert hit.memory.content == "My wife's name is Sarah"


def test_superseded_retracted_and_expired_do_not_come_back(memory, clock):
    old = memory.remember("My favourite colour is red", user="alex").memory
    memory.supersede(old.memory_id, content="My favourite colour is blue", user="alex")
    wrong = memory.remember("My favourite planet has the colour octarine", user="alex").memory
    memory.retract(wrong.memory_id, user="alex")
    memory.remember("This week my favourite jumper has the colour grey", user="alex", expires="7d")
    clock.advance(days=8)
    assert contents(memory.recall("favourite colour", user="alex")) == ["My favourite colour is blue"]


def test_forty_others_with_the_same_fact_do_not_push_mine_out(memory):
    for number in range(40):
        memory.remember_many([f"My favourite colour is shade {n}" for n in range(5)], user=f"user{number}")
    mine = memory.remember("My favourite colour is teal", user="alex").memory
    for question in ("What is my favourite colour?", "Which hue do I like best?"):
        assert [hit.memory for hit in memory.recall(question, user="alex", floor=False).hits] == [mine]


def test_hidden_memories_never_take_a_visible_ones_place(memory):
    """More superseded near-copies than there are candidates: the one that is left is still found."""
    texts = [f"About the meeting room with number {n}" for n in range(120)]
    ids = [receipt.memory.memory_id for receipt in memory.remember_many(texts, user="alex")]
    for memory_id in ids[1:]:
        memory.retract(memory_id, user="alex")
    for arms in (None, ["vector"], ["text", "window"]):
        found = memory.recall("Which number has the meeting room?", user="alex", floor=False, arms=arms)
        assert contents(found) == ["About the meeting room with number 0"]


def test_the_same_question_has_the_same_answer_a_hundred_times(filled):
    first = [(hit.memory.memory_id, hit.score) for hit in filled.recall("What do I own?", user="alex").hits]
    for _ in range(100):
        assert [(h.memory.memory_id, h.score) for h in filled.recall("What do I own?", user="alex").hits] == first


def test_the_same_question_has_the_same_answer_in_another_process(root, run, clock, open_memory):
    with open_memory() as memory:
        memory.remember_many(list(FACTS), user="alex")
    answers = set()
    for seed in ("1", "2"):
        arguments = (
            "--orchestrator",
            "home",
            "search",
            "Who is in my family?",
            "--user",
            "alex",
            "--json",
            "--no-floor",
        )
        done = run(*arguments, PYTHONHASHSEED=seed, RECOLLECT_EMBEDDING__PROVIDER="minilm")
        answers.add(tuple(hit["memory"]["memoryId"] for hit in done.json["hits"]))
    assert len(answers) == 1


def test_the_order_of_insertion_changes_nothing_but_ids(tmp_path, clock):
    orders = []
    for seed in range(3):
        facts = list(FACTS)
        random.Random(seed).shuffle(facts)
        with recollect.open(tmp_path / str(seed), orchestrator="home", clock=clock) as memory:
            memory.remember_many(facts, user="alex")
            orders.append([contents(memory.recall(q, user="alex", floor=False)) for q in FACTS.values()])
    assert orders[0] == orders[1] == orders[2]


def test_duplicates_of_one_content_are_shown_once(memory):
    for text, scope in (("I like tea", "personal"), ("i like  tea", "group"), ("I like tea", "shared")):
        memory.remember(text, user="alex", chat="team", scope=scope)
    recalled = memory.recall("What do I like to drink, tea?", user="alex", chat="team")
    assert len(recalled.hits) == 1
    assert recalled.omitted["duplicates"] == 2


def test_only_some_types(memory):
    memory.remember("Finish the tea report", user="alex", type="Todo")
    memory.remember("I like tea", user="alex", type="Preference")
    assert contents(memory.recall("tea", user="alex", types=["Todo"])) == ["Finish the tea report"]
    with pytest.raises(InvalidInput):
        memory.recall("tea", user="alex", types=["todo"])


def test_what_was_known_and_what_was_true_at_a_time(memory, clock):
    start = clock.now()
    old = memory.remember("I live in Oslo", user="alex", valid_from=start, valid_to=start + timedelta(days=10)).memory
    clock.advance(days=5)
    memory.edit(old.memory_id, content="I live in Bergen", user="alex")
    edited = clock.now()
    clock.advance(days=10)
    memory.supersede(old.memory_id, content="I live in Rome", user="alex", valid_from=start + timedelta(days=10))
    ask = lambda **when: contents(memory.recall("Where do I live?", user="alex", **when))  # noqa: E731
    assert ask() == ["I live in Rome"]
    assert ask(known_at=start + timedelta(days=1)) == ["I live in Oslo"]
    assert ask(known_at=edited + timedelta(days=1)) == ["I live in Bergen"]
    assert ask(known_at=start - timedelta(days=1)) == []
    assert ask(valid_at=start + timedelta(days=20)) == ["I live in Rome"]
    assert ask(valid_at=start + timedelta(days=3)) == []
    assert ask(known_at=edited, valid_at=start + timedelta(days=3)) == ["I live in Bergen"]


def conversation(memory, turns, *, name="chat-1", user="alex", date=None):
    drafts = [
        {
            "content": text,
            "observed_at": date or datetime(2025, 5, 1, tzinfo=UTC),
            "source": Source(
                source_type="channel_transcript", conversation_id=name, speaker=speaker, position=position
            ),
        }
        for position, (speaker, text) in enumerate(turns)
    ]
    memory.remember_many(drafts, user=user)


def test_an_answer_is_found_by_the_question_beside_it(memory):
    conversation(
        memory, [("Ann", "Where did you go hiking?"), ("Ben", "Mostly the Dolomites, it was lovely."), ("Ann", "Nice!")]
    )
    conversation(memory, [("Ann", "I cooked soup."), ("Ben", "Which one?"), ("Ann", "Lentil.")], name="chat-2")
    found = contents(memory.recall("Where did Ben go hiking?", user="alex"))
    assert found[0] == "Mostly the Dolomites, it was lovely."


def test_what_the_person_asked_about_said_comes_first(memory):
    conversation(memory, [("Ann", "I adopted a cat last week."), ("Ben", "I adopted a cat last year.")])
    assert contents(memory.recall("When did Ben adopt a cat?", user="alex"))[0] == "I adopted a cat last year."
    assert contents(memory.recall("When did Ann adopt a cat?", user="alex"))[0] == "I adopted a cat last week."


def test_the_time_a_question_names_is_preferred(memory):
    for number, month in enumerate((3, 5, 8)):
        date = datetime(2025, month, 10, tzinfo=UTC)
        conversation(memory, [("Ann", f"We went to the museum, visit {number}.")], name=f"c{month}", date=date)
    assert contents(memory.recall("Which museum visit was in May 2025?", user="alex"))[0].endswith("visit 1.")


@pytest.mark.parametrize(
    "query",
    ["", "   ", '"', "AND OR NOT", "NEAR(a b)", "the of and", "🎈🎈", "x" * 100_000, "a\x00b", "\ud800", "( * ^ : -"],
)
def test_any_text_is_a_valid_query(filled, query):
    assert filled.recall(query, user="alex").mode in {"hybrid", "text-only"}


def test_words_of_other_languages_are_found_by_their_parts(memory):
    memory.remember("東京都の水族館に行きました", user="alex")
    memory.remember("Ich fahre gern mit dem Fahrrad", user="alex")
    assert contents(memory.recall("水族館", user="alex"))[0].startswith("東京")
    assert contents(memory.recall("FAHRRAD", user="alex"))[0].startswith("Ich")


@pytest.mark.parametrize("arms", [["nonsense"], "text", 5])
def test_unknown_arms_are_refused(memory, arms):
    if arms == "text":
        assert memory.recall("x", user="alex", arms=["text"]).hits == []
        return
    with pytest.raises(InvalidInput):
        memory.recall("x", user="alex", arms=arms)


def test_context_keeps_the_most_relevant_within_its_tokens(filled):
    whole = filled.context("Which foods could make me ill?", user="alex", top_n=5)
    assert whole.counted_by == "wordpiece"
    assert whole.knowledge[0].content == "I'm allergic to peanuts"
    assert whole.knowledge[0].metadata["source"]["sourceType"] == "manual"
    for budget in (0, 3, 8, 20, 2000):
        context = filled.context("Which foods could make me ill?", user="alex", max_tokens=budget)
        assert context.token_count <= budget
    assert (
        filled.context("Which foods could make me ill?", user="alex", max_tokens=8).knowledge[0].id
        == whole.knowledge[0].id
    )
    assert filled.context("boiling point of tungsten", user="alex").knowledge == []


def test_at_equal_relevance_the_newer_comes_first(root, clock, open_memory):
    words_only = {"embedding": {"provider": "none"}}
    with open_memory(settings=words_only) as memory:
        for day, dish in ((1, "soup"), (3, "stew"), (2, "fish")):
            observed = datetime(2015, 1, day, tzinfo=UTC)
            memory.remember(f"Lunch with Tom at noon: {dish}", user="alex", observed_at=observed)
        found = memory.context("lunch with Tom at noon", user="alex")
        assert found.mode == "text-only"
        assert [item.content[-4:] for item in found.knowledge] == ["stew", "fish", "soup"]


def test_importing_nothing_heavy_until_it_is_needed():
    code = (
        "import sys, recollect.system; print([m for m in ('numpy', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def words_only(root, clock, open_memory):
    with open_memory(settings={"embedding": {"provider": "none"}}) as memory:
        yield memory


def test_a_word_that_was_asked_for_before_it_was_stored_is_found_afterwards(words_only):
    words_only.remember_many([f"plain fact number {n}" for n in range(10)], user="alex")
    assert words_only.recall("zebra", user="alex").hits == []
    words_only.remember("the zebra lives in the barn", user="alex")
    assert len(words_only.recall("zebra", user="alex").hits) == 1


def test_a_scope_that_has_grown_since_it_was_asked_is_searched_as_it_is(words_only):
    words_only.remember_many([f"other {n}" for n in range(1000)], user="bob")
    words_only.remember("hello", user="alex")
    assert words_only.recall("hello", user="alex").hits
    words_only.remember_many([f"dog walk {n}" for n in range(100)], user="alex")
    found = contents(words_only.recall("dog hello walk", user="alex", top_n=40))
    assert "hello" in found or len(found) == 40
    assert found


def test_duplicates_do_not_take_the_places_of_others(words_only):
    words_only.remember_many([Draft(content="the zebra lives in the barn", verbatim=True)] * 30, user="alex")
    words_only.remember_many([f"the zebra of barn number {n}" for n in range(5)], user="alex")
    recalled = words_only.recall("zebra barn", user="alex", top_n=10)
    assert len(recalled.hits) == 6
    assert recalled.omitted["duplicates"] == 29


def test_the_best_few_are_the_beginning_of_the_best_many(words_only, clock):
    for number in range(40):
        clock.advance(days=1)
        words_only.remember(f"zebra note {number}", user="alex", importance=100 if number == 39 else 50)
    few = contents(words_only.recall("zebra note", user="alex", top_n=3))
    many = contents(words_only.recall("zebra note", user="alex", top_n=40))
    assert few == many[:3] == ["zebra note 39", "zebra note 38", "zebra note 37"]


def test_a_rare_type_is_found_among_many_others(words_only):
    words_only.remember_many([f"zebra observation {n}" for n in range(120)], user="alex")
    words_only.remember("we decided to buy the zebra", user="alex", type="Decision")
    assert contents(words_only.recall("zebra", user="alex", types=["Decision"])) == ["we decided to buy the zebra"]


@pytest.mark.parametrize(
    "query", ["in may 0000", "december 9999", "on 31 February 2024", "999 years ago", "last year", "yesterday"]
)
def test_times_beyond_the_calendar_break_nothing(words_only, clock, query):
    words_only.remember("x", user="alex")
    words_only.recall(query, user="alex")
    words_only.recall(query, user="alex", known_at=datetime(1, 1, 2, tzinfo=UTC))


@pytest.mark.parametrize("arguments", [{"arms": [[]]}, {"floor": "no"}, {"top_n": 0}, {"known_at": "soon"}])
def test_other_wrong_arguments_are_refused(words_only, arguments):
    with pytest.raises(InvalidInput):
        words_only.recall("x", user="alex", **arguments)


def test_somebody_who_has_never_said_anything_finds_nothing(memory):
    memory.remember_many([f"The {word} of others" for word in ("house", "boat", "garden")], user="alex")
    recalled = memory.recall("the house, the boat and the garden", user="newcomer")
    assert recalled.hits == []
    assert memory.recall("", user="newcomer").hits == []


def said(memory, turns, user="alex", conversation="talk"):
    """Stores turns of a conversation: (speaker, text)."""
    memory.remember_many(
        [
            {
                "content": text,
                "type": "Observation",
                "verbatim": True,
                "source": Source(
                    source_type="channel_transcript", conversation_id=conversation, speaker=speaker, position=number
                ),
            }
            for number, (speaker, text) in enumerate(turns)
        ],
        user=user,
    )


DANCERS = [
    ("Jon", "Hey Gina! I lost my job as a banker yesterday, so I will start a dance studio."),
    ("Gina", "Sorry to hear that, Jon! I opened an online clothing store last month."),
    ("Jon", "Your store sounds wonderful. Which clothes sell best?"),
    ("Gina", "The hoodies! I designed a limited edition of them myself."),
    ("Jon", "I am looking for a place downtown with a Marley floor."),
]


def test_a_question_about_the_wrong_person_gets_nothing(memory):
    said(memory, DANCERS)
    assert memory.recall("What limited edition did Jon design?", user="alex").hits == []
    assert contents(memory.recall("What limited edition did Gina design?", user="alex"))[0] == DANCERS[3][1]
    assert memory.recall("What limited edition did Jon design?", user="alex", floor=False).hits


def test_an_answer_is_found_by_the_question_it_answers(memory):
    said(memory, DANCERS)
    hit = memory.recall("Which clothes sell best in the store?", user="alex").hits
    answer = next(each for each in hit if each.memory.content == DANCERS[3][1])
    assert answer.why["arms"]["answer"]["evidence"] > 0.2


def test_a_long_text_stands_by_itself(memory):
    long = "The harbour master explained the tides, cranes, berths, tugs and pilots at length. " * 8
    said(memory, [("user", long), ("assistant", "The zebra crossing was painted in violet.")])
    found = memory.recall("Which crossing was painted in violet?", user="alex", floor=False).hits
    assert found[0].memory.content.startswith("The zebra")
    arms = {each.memory.content[:9]: each.why["arms"] for each in found}
    assert "window" not in arms["The harbo"]  # what stands beside it is not its own


def test_i_and_you_tell_who_said_it(memory):
    said(
        memory,
        [
            ("user", "My plan for the terrace is a row of lemon trees in pots."),
            ("assistant", "My plan for the terrace would be a row of fig trees in pots."),
        ],
    )
    assert "lemon" in contents(memory.recall("Which trees did I plan for the terrace?", user="alex"))[0]
    assert "fig" in contents(memory.recall("Which trees did you suggest for the terrace?", user="alex"))[0]

"""The words that understanding rests on: relations, verbs, and groups of states that exclude each other."""

from __future__ import annotations

# What somebody can be to somebody, each with the word it is kept under.
RELATIONS: dict[str, str] = {
    word: canonical
    for canonical, words in {
        "wife": "wife",
        "husband": "husband hubby",
        "partner": "partner",
        "spouse": "spouse",
        "girlfriend": "girlfriend gf",
        "boyfriend": "boyfriend bf",
        "fiance": "fiance fiancé fiancée fiancee",
        "ex-wife": "ex-wife",
        "ex-husband": "ex-husband",
        "ex": "ex ex-girlfriend ex-boyfriend ex-partner",
        "mother": "mother mom mum mommy mummy mama",
        "father": "father dad daddy papa",
        "parent": "parent",
        "son": "son",
        "daughter": "daughter",
        "child": "child kid",
        "baby": "baby toddler",
        "brother": "brother bro",
        "sister": "sister sis",
        "sibling": "sibling",
        "twin": "twin",
        "grandmother": "grandmother grandma granny nana",
        "grandfather": "grandfather grandpa granddad",
        "grandson": "grandson",
        "granddaughter": "granddaughter",
        "grandchild": "grandchild grandkid",
        "uncle": "uncle",
        "aunt": "aunt auntie",
        "cousin": "cousin",
        "nephew": "nephew",
        "niece": "niece",
        "godmother": "godmother",
        "godfather": "godfather",
        "godson": "godson",
        "goddaughter": "goddaughter",
        "stepmother": "stepmother stepmom stepmum",
        "stepfather": "stepfather stepdad",
        "stepson": "stepson",
        "stepdaughter": "stepdaughter",
        "stepbrother": "stepbrother",
        "stepsister": "stepsister",
        "mother-in-law": "mother-in-law",
        "father-in-law": "father-in-law",
        "brother-in-law": "brother-in-law",
        "sister-in-law": "sister-in-law",
        "son-in-law": "son-in-law",
        "daughter-in-law": "daughter-in-law",
        "boss": "boss",
        "manager": "manager",
        "supervisor": "supervisor",
        "colleague": "colleague coworker co-worker workmate",
        "teammate": "teammate",
        "employee": "employee",
        "assistant": "assistant",
        "intern": "intern",
        "client": "client",
        "friend": "friend buddy pal mate",
        "best friend": "bestie",
        "roommate": "roommate flatmate housemate",
        "neighbor": "neighbor neighbour",
        "doctor": "doctor gp physician",
        "therapist": "therapist psychologist",
        "dentist": "dentist",
        "lawyer": "lawyer",
        "accountant": "accountant",
        "teacher": "teacher",
        "professor": "professor",
        "coach": "coach trainer",
        "mentor": "mentor",
        "landlord": "landlord landlady",
        "tenant": "tenant",
        "babysitter": "babysitter nanny",
        "cleaner": "cleaner",
        "hairdresser": "hairdresser barber",
        "vet": "vet",
        "student": "student",
        "classmate": "classmate",
        "penpal": "penpal",
        "crush": "crush",
        "godchild": "godchild",
    }.items()
    for word in words.split()
}
# With an adjective in front a relation is another one.
QUALIFIED = {
    "best friend": "best friend",
    "business partner": "business partner",
    "line manager": "manager",
    "project manager": "project manager",
    "product manager": "product manager",
    "team lead": "team lead",
    "tech lead": "tech lead",
    "co-founder": "co-founder",
    "cofounder": "co-founder",
    "half brother": "half-brother",
    "half sister": "half-sister",
    "half-brother": "half-brother",
    "half-sister": "half-sister",
    "twin brother": "twin brother",
    "twin sister": "twin sister",
    "great aunt": "great-aunt",
    "great uncle": "great-uncle",
    "piano teacher": "piano teacher",
    "personal trainer": "personal trainer",
    "family doctor": "doctor",
    "pen pal": "penpal",
}
# Of these somebody has one at a time; of others there may be several.
SINGLE_RELATIONS = frozenset(
    [
        "wife",
        "husband",
        "partner",
        "spouse",
        "girlfriend",
        "boyfriend",
        "fiance",
        "mother",
        "father",
        "boss",
        "manager",
        "supervisor",
        "landlord",
        "dentist",
        "doctor",
        "therapist",
        "mother-in-law",
        "father-in-law",
    ]
)
# Different words for one person who stands to somebody in this way.
SAME_RELATION = {"spouse": "partner", "manager": "boss", "supervisor": "boss"}
PLURAL_RELATIONS = frozenset("parents kids children siblings grandparents twins in-laws".split())  # noqa: SIM905


# States of which somebody (or something) is in one at a time.
STATES: dict[str, str] = {
    word: group
    for group, words in {
        "marital": "single|married|divorced|engaged|widowed|separated|in a relationship|seeing someone|dating|taken|"
        "remarried|a widow|a widower|a bachelor",
        "diet": "vegetarian|vegan|pescatarian|a vegetarian|a vegan|a pescatarian|a meat eater|omnivore|an omnivore|"
        "flexitarian|keto|a carnivore|carnivore|plant-based|a meat-eater|carnivorous",
        "employment": "retired|unemployed|self-employed|freelance|freelancing|between jobs|employed|a freelancer|"
        "out of work|job hunting|jobless|on sabbatical",
        "running": (
            "up|down|online|offline|running|operational|out of order|broken|working|fixed|back up|healed|injured|"
            "sprained"
        ),
        "open": "open|closed|shut|open again",
        "progress": "done|finished|in progress|not started|complete|completed|on hold|paused|active|inactive|cancelled|"
        "canceled|postponed|ongoing|live|launched|delayed|on track|behind schedule|blocked|back on",
        "stock": "in stock|out of stock|sold out|available|unavailable",
        "validity": "valid|expired|invalid",
        "hours": "full time|part time|full-time|part-time",
    }.items()
    for word in words.split("|")
}
# What people are by trade: these words, or words that end like this.
_JOB_ENDINGS = ("ist", "eer", "ian", "smith", "maker", "worker", "builder")
_JOBS = frozenset(
    """nurse teacher doctor lawyer chef cook baker plumber electrician carpenter engineer developer programmer
    designer manager architect accountant journalist writer author editor pilot driver officer soldier firefighter
    paramedic student professor researcher scientist analyst consultant translator interpreter photographer actor
    actress musician singer painter artist farmer gardener barber hairdresser waiter waitress bartender barista
    cashier salesperson secretary receptionist assistant clerk librarian judge paralegal surgeon dentist
    pharmacist vet veterinarian therapist psychologist midwife tutor coach trainer instructor lecturer principal
    director producer executive ceo cto cfo coo founder entrepreneur banker broker trader investor recruiter
    marketer copywriter tester administrator admin mechanic technician welder butcher tailor cleaner janitor guard
    detective policeman policewoman sailor captain fisherman mathematician physicist chemist biologist geologist
    historian economist statistician lead intern apprentice trainee postdoc contractor freelancer model dancer
    choreographer comedian reporter broadcaster streamer youtuber blogger astronaut priest pastor rabbi imam nun
    monk politician mayor diplomat courier postman bricklayer roofer cto vp president chairman partner associate
    specialist coordinator supervisor operator agent representative buyer planner strategist controller auditor
    advisor adviser counselor counsellor carer caregiver nanny babysitter stylist beautician florist brewer
    winemaker sommelier butler maid housekeeper concierge porter guide ranger""".split()  # noqa: SIM905
)


def is_job(noun: str) -> bool:
    """Whether a noun names what somebody does for a living."""
    words = noun.split()
    head = words[-1] if words else ""
    if "of" in words[1:]:  # head of sales, director of marketing
        head = words[words.index("of") - 1]
        if head == "head":
            return True
    return head in _JOBS or (
        head.endswith(_JOB_ENDINGS)
        and head
        not in {
            "vegetarian",
            "pescatarian",
            "optimist",
            "pessimist",
            "minimalist",
            "perfectionist",
            "feminist",
            "italian",
            "canadian",
            "indian",
            "brazilian",
            "austrian",
            "australian",
            "norwegian",
            "libertarian",
            "atheist",
            "buddhist",
            "christian",
            "flexitarian",
            "extremist",
            "realist",
            "humanist",
        }
    )

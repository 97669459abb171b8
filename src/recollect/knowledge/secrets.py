"""Secrets: what must never enter a memory, found by its form, by how it is announced, or by its check digits.

Forms are the ones that vendors publish. Numbers are checked with python-stdnum, phrases with the word list of mnemonic.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from recollect.knowledge.lazy import lazy


@dataclass(frozen=True, slots=True)
class Secret:
    """Something secret in a text: what it is, and where it stands."""

    kind: str
    start: int
    end: int


# Each with a name and a form; a group called `s` is the secret itself where more is needed to know it.
_FORMS: dict[str, str] = {
    "private key": (
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,200}?[A-Za-z0-9+/]{20})[\s\S]*?(?:-----"
        r"END [A-Z0-9 ]*-----|\Z)|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}"
    ),
    "OpenAI or Anthropic key": (
        r"(?<![\w-])sk-(?!learn)(?=[\w-]{0,200}\d|[A-Za-z]{32})(?:proj-|svcacct-|admin-|ant-[\w]*-?|"
        r"or-v1-)?[A-Za-z0-9_-]{12,}"
    ),
    "GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,})",
    "GitLab token": r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct)-[\w-]{18,}",
    "Slack token": r"\b(?:xox[abceoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,})|hooks\.slack\.com/services/T\w+/B\w+/\w+",
    "Discord token": r"\b[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}",
    "AWS key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    "Google key": r"\bAIza[\w-]{35}|\bGOCSPX-[\w-]{20,}|\bya29\.[\w-]{20,}|\b1//0[\w-]{30,}",
    "Azure key": r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/=%&]{20,}|"
    r"[\w~.-]{3}8Q~[\w~.-]{30,}|"
    r"[?&]sig=[A-Za-z0-9%+/=]{20,}",
    "Stripe key": r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}",
    "Twilio key": r"\b(?:AC|SK)[0-9a-f]{32}\b",
    "SendGrid key": r"\bSG\.[\w-]{16,}\.[\w-]{16,}",
    "package registry token": (
        r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{40,}|\brubygems_[0-9a-f]{40,}|\bdckr_pat_[\w-]{20,}"
    ),
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{28,}",
    "DigitalOcean token": r"\bdo[opr]_v1_[0-9a-f]{60,}",
    "Telegram token": r"(?<!\d)\d{8,10}:[A-Za-z0-9_-]{34,36}\b",
    "Mailgun or Mailchimp key": (
        r"\bkey-[0-9a-f]{32}\b|\b[0-9a-f]{32}-us\d{1,2}\b|\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"
    ),
    "Shopify token": r"\bshp(?:at|ss|ca|pa)_[0-9a-fA-F]{30,}",
    "Databricks token": r"\bdapi[0-9a-f]{32}(?:-\d)?\b",
    "Notion token": r"\bntn_[A-Za-z0-9]{30,}|\bsecret_[A-Za-z0-9]{40,}",
    "service token": r"\blin_api_[A-Za-z0-9]{30,}|\bgsk_[A-Za-z0-9]{30,}|\bxai-[A-Za-z0-9]{30,}|\br8_[A-Za-z0-9]{30,}|"
    r"\bpplx-[A-Za-z0-9]{30,}|\bsbp_[0-9a-f]{36,}|\bPMAK-[0-9a-f]{20,}-[0-9a-f]{30,}|"
    r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{60,}|"
    r"\bhv[sb]\.[\w-]{20,}|\btskey-\w+-[\w-]{10,}|\bNRAK-[A-Z0-9]{20,}|\bfigd_[\w-]{30,}|\bATATT3[\w=-]{30,}|"
    r"\bnvapi-[\w-]{30,}|\btvly-[\w-]{20,}|\blsv2_(?:pt|sk)_\w{20,}|"
    r"\bre_[A-Za-z0-9]{8,}_[A-Za-z0-9]{16,}|\bfo1_\w{30,}|"
    r"\bsntrys_[\w+/=-]{30,}|\bEAA[A-Za-z0-9]{60,}|\bCFPAT-[\w-]{30,}|\bops_eyJ[\w-]{30,}|"
    r"\bsq0(?:atp|csp)-[\w-]{20,}|\bvc[a-z]_[A-Za-z0-9]{20,}|\bglsa_\w{30,}|\bdt0c01\.\w{20,}",
    "JSON web token": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",
    "credentials in an address": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]*:(?P<s>[^\s/@<>{}$*]{3,})@[^\s]+|"
    r"\bhttps?://(?P<s2>(?=[^\s/@]*\d)[A-Za-z0-9_-]{16,})@[^\s]+",
    "authorization header": r"(?i)\b(?:bearer|basic)\s+(?P<s>(?=\S*[\d=]|[A-Za-z]{20})[A-Za-z0-9._~+/=-]{12,})",
    "recovery code": r"\b(?:\d{6}-){7}\d{6}\b|(?i:\b(?:backup|recovery|2fa|"
    r"scratch) codes?)[^\n]{0,20}?(?P<s>\b(?=[a-z-]*\d)[a-z0-9]{4,}-[a-z0-9]{4,}\b"
    r"(?:,? (?:and )?(?=[a-z-]*\d)[a-z0-9]{4,}-[a-z0-9]{4,}\b)*)",
    "login": r"\bmysql\b[^\n]{0,120}?\s-p(?P<s3>\S{4,})|\bsshpass\s+-p\s*['\"]?(?P<s4>[^\s'\"]{4,})|"
    r"\bjdbc:[\w:.-]{1,80}?:\w{1,60}/(?P<s5>[^@\s/]+)@|\bcurl\b[^\n]{0,200}?\s(?:-u|"
    r"--user)\s+['\"]?(?P<s>[^\s:'\"]+:[^\s'\"]{4,})|"
    r"(?i:\blog[ -]?in) (?:is|are|:)\s*\S+\s*(?:/|and|,)\s*(?P<s2>(?=\S*[\d!@#$%^&*_-])\S{6,})",
    "one-time password seed": (
        r"(?i)\botpauth://\S+|\b(?:totp|2fa|authenticator|"
        r"mfa)\b[^\n]{0,40}?\b(?P<s>(?:[A-Z2-7]{4} ?){4,13})(?![a-z])"
    ),
    "session cookie": r"(?i)\b(?:set-)?cookie:\s*\S+=(?P<s>[\w%.~+/-]{12,})|\b(?:session_?id|sessionid|connect\.sid|"
    r"phpsessid|jsessionid|"
    r"asp\.net_sessionid|li_at|auth_?token|csrftoken|session|sid|remember_token)=(?P<s2>[\w%.~+/-]{16,})",
    "wallet key": r"\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b|\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{90,}",
    "connection string": (
        r"(?i)\b(?:password|pwd)\s*=\s*(?P<s>[^;\s'\"]{3,})(?=;)|;\s*(?:password|"
        r"pwd)\s*=\s*(?P<s2>[^;\s'\"]{3,})"
    ),
    "social security number": r"\b(?!000|666|9\d\d)\d{3}[-\u2010-\u2015](?!00)\d{2}[-\u2010-\u2015](?!0000)\d{4}\b",
}
_KEYWORD = (
    r"(?:api[ _-]?keys?|api-?schl[uü]ssel|cl[eé] api|clave api|api[ _-]?token|apikey|"
    r"secret[ _-]?(?:access[ _-]?)?key|aws_secret_access_key|aws_session_token|client[ _-]?secret|"
    r"app[ _-]?secret|access[ _-]?token|access[ _-]?key|auth[ _-]?token|refresh[ _-]?token|"
    r"session[ _-]?token|bot[ _-]?token|"
    r"signing[ _-]?(?:key|secret)|encryption[ _-]?key|private[ _-]?key|deploy[ _-]?(?:key|token)|webhook[ _-]?secret|"
    r"(?!primary|foreign|sort|partition|public|shortcut|hot|answer|arrow|function|enter|"
    r"escape)[a-z]+[ _-](?:api[ _-]?)?(?:token|key)|[A-Z]+_(?:TOKEN|KEY|SECRET)|secret|token|"
    r"licen[cs]e[ _-]?key)"
)
_IS = r"(?:\s*(?:changed to|is now|lautet|ist|est|is|was|are|es|é|è|:=|:|=|->)\s*|\s+)['\"`]?"
_ANNOUNCED_KEY = lazy(rf"(?i)\b(?!public){_KEYWORD}['\"]?{_IS}(?P<s>[A-Za-z0-9_./+=~-]{{8,}})")
_PASSWORD = (
    r"(?:pass(?:word|wd|code|phrase)|pwd|pw|passwort|kennwort|mot de passe|contrase[nñ]a|senha|wachtwoord|has[lł]o|"
    r"l[oö]senord|parola|passord|adgangskode|heslo|şifre|パスワード|密码|пароль)"
)
_ANNOUNCED_PASSWORD = lazy(
    rf"(?i)(?<![a-z]){_PASSWORD}['\"]?(?:\s+(?:for|to|of|on|at|in|del|de la|de|du|für|fürs|pour)\s+"
    r"(?:(?:the|my|our|a|mi|mon)\s+)?(?!is\b)[\w.'-]+(?:\s(?!is\b|was\b)[\w.'-]+)?|\s+(?:I use|he uses|"
    r"she uses|we use))?"
    r"(?P<link>\s*(?:(?:changed to|is now|is still|lautet|heißt|ist|est|is|was|to jest|to|es|är|er|é|è)(?=\s)|"
    r"['’]s(?=\s)|は|是|:=|:|：|=|->|\||>|\s-(?=\s))\s*|\s+)(?:also |simply |just )?"
    r"(?P<q>['\"“„`(])?(?P<s>[^\s'\"”“`<>()|]+(?:\s[^\s'\"”“`<>()|]+)*?)(?:(?P=q)|['\"”`)]|(?=[\s,.;)<|]|$))"
)
_PASSWORD_LAST = lazy(
    rf"(?i)\b(?P<s>(?=\S*\d)\S{{5,}}) (?:is|as) (?:the|my|our) (?:[\w-]+ )?{_PASSWORD}\b|"
    rf"{_PASSWORD} from \S+ to (?P<s2>(?=\S*\d)\S{{5,}})"
)
_ASSIGNED = lazy(r"(?i)\b\w*(?:pass|passwd|password|pwd)\s*[:=]\s*(?P<s>(?=\S*\d)[^\s'\"<>]{6,})")
_PASS = lazy(r"(?i)\b(?:user|username|login|admin|root)\b\W.{0,40}?\bpass\s+(?P<s>(?=\S*\d)\S{6,})")
_CODE = lazy(r"(?i)\b(?:alarm code|safe combination|safe code)\b[^\d\n]{0,24}?(?P<s>\d[\d#*-]{3,})")
_PASSPHRASE = lazy(r"(?i)\bpass-?phrase(?:\s+\w+){0,3}?\s*(?:is|:|=)\s*['\"]?(?P<s>[a-z]+(?:[- ][a-z]+){2,})")
_PIN = lazy(
    r"(?i)\b(?:pin|puk|cvv2?|cvc2?|security code|alarm code|safe code|unlock code|"
    r"verification code|one[- ]time (?:code|password)|otp|2fa code|"
    r"login code|geheimzahl)\b(?:['’]s|[\s:=,]|\b(?:code|number|for|of|to|on|my|the|our|her|his|a|new|"
    r"card|credit|debit|bank|phone|sim|is|was|are|ist|changed|now|account|visa|"
    r"mastercard|atm|lock|door|tablet|ipad|iphone|set|use|meine|die|it's|its|back|garage|house|gate|"
    r"voicemail|again|please|still|there|de|mi|ma|la|le|el|tarjeta|carte|est|es|they|texted|me|sent|"
    r"you)\b){0,12}?(?P<s>\b\d{4,8}\b|(?<=cvv )\d{3}\b|(?<=cvc )\d{3}\b|(?<=cvv: )\d{3}\b|"
    r"(?<=cvc: )\d{3}\b|(?<=cvv is )\d{3}\b|(?<=cvc is )\d{3}\b)(?!\s*(?:%|people|times|days|minutes|"
    r"hours|digits|seconds|a\.?m|"
    r"p\.?m|years))"
)
_CARD = lazy(
    r"(?<![\d.-])(?:\d{13,19}|\d{4}(?:(?P<sep>[ \u00a0./–-]{1,2})\d{4})(?:(?P=sep)\d{4}){2}(?:(?P=sep)\d{"
    r"1,3}(?!\d|[/]))?|"
    r"\d{4}[ \u00a0–-]\d{6}[ \u00a0–-]\d{4,5})(?![\d])"
)
_CARD_PREFIXES = {
    13: r"4",
    14: r"3(?:0[0-5]|[68])",
    15: r"3[47]",
    16: r"4|5[1-5]|2[2-7]|6(?:011|5|4[4-9])|35|62",
    17: "62",
    18: "62",
    19: r"4|6",
}
_WALLET = lazy(
    r"(?i)\b(?:private key|secret key|wallet (?:private )?key|wallet secret|signer|"
    r"seed)\b[^\n]{0,40}?(?P<s>\b(?:0x)?[0-9a-f]{64}\b)"
)
_SEED = lazy(r"(?:\b[a-z]{3,8}\b(?:\s*[,.\d)]*\s+)){11,23}\b[a-z]{3,8}\b")
_FEWEST_SEED_WORDS = 12
# Words of announced numbers, and the module of python-stdnum that knows their check digits.
_NATIONAL: tuple[tuple[str, str, str], ...] = (
    (r"\bssn\b|social security|\bmy social\b|her social\b|his social\b", "us.ssn", r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    (r"\bnino\b|\bni number\b|national insurance", "", r"(?i:[a-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d])"),
    (
        r"steuer-?id|steuerliche identifikationsnummer|\bidnr\b|steuernummer|\btax id\b",
        "de.idnr",
        r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
    ),
    (r"\bdni\b", "es.dni", r"\d{8}[- ]?[A-Za-z]"),
    (r"\bnie\b", "es.nie", r"[XYZxyz][- ]?\d{7}[- ]?[A-Za-z]"),
    (r"\bcpf\b", "br.cpf", r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}"),
    (r"\baadhaar\b|\baadhar\b", "in_.aadhaar", r"\d{4}[ -]?\d{4}[ -]?\d{4}"),
    (r"\bsin\b|social insurance", "ca.sin", r"\d{3}[- ]?\d{3}[- ]?\d{3}"),
    (r"codice fiscale", "it.codicefiscale", r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]"),
    (r"personnummer|personal number", "se.personnummer", r"(?:\d{2})?\d{6}[-+]?\d{4}"),
    (r"\bpesel\b", "pl.pesel", r"\d{11}"),
    (r"\bnir\b|s[ée]curit[ée] sociale|insee", "fr.nir", r"[12](?: ?\d){12,14}"),
    (r"\bbsn\b|burgerservicenummer", "nl.bsn", r"\d{9}"),
    (r"\bavs\b|\bahv\b", "ch.ssn", r"756\.?\d{4}\.?\d{4}\.?\d{2}"),
    (r"\bcurp\b", "mx.curp", r"[A-Z]{4}\d{6}[A-Z]{6}[A-Z0-9]\d"),
)
# What has none of these shapes and words needs no closer look: most texts have none.
_SHAPES = lazy(r"\S{16}|-----|://|\d{3}[-\u2010-\u2015]\d{2}[-\u2010-\u2015]\d")
_FORM_WORDS = ("bearer", "basic", "cookie", "curl", "mysql", "sshpass", "login", "log in", "log-in", "password", "pwd",
               "totp", "2fa", "otp", "mfa", "authenticator", "backup code", "recovery code", "scratch code",
               "sid=", "session=")  # fmt: skip
_ANNOUNCING = ("key", "secret", "token", "pass", "pwd", "pw", "pin", "puk", "cvv", "cvc", "code", "otp", "schl",
               "kennwort", "contrase", "senha", "wacht", "has", "sen", "geheim", "wallet", "seed", "eth", "bitcoin",
               "signer", "cl\u00e9", "clave", "adgang", "parola", "\u30d1\u30b9",
               "\u5bc6\u7801", "\u043f\u0430\u0440\u043e\u043b",
               "combination", "heslo", "ifre")  # fmt: skip
_DIGITS = lazy(r"(?:\d\D{0,2}){7}|[A-Za-z]{2,6} ?\d{2} ?\d{2}|[A-Za-z]\d{2}[A-Za-z]\d{2}")
_PLACEHOLDER = lazy(
    r"(?i)^(?:[x*.•…_-]{3,}|<.*|\{\{?.*|\$\w*|.*(?:x{6,}|\*{4,}|\.{3}|…).*|your[-_].*|.*(?:_here|-here|"
    r"example|placeholder|changeme|redacted|removed).*|os\.environ.*|process\.env.*|getenv.*|env\..*|"
    r"none|null|true|false|undefined|password|passwd|pass|secret|token|user)$"
)
_PROSE = frozenset(
    """a an the my our your his her their its this that not too very so in on at for to of by with from as and or but
    what when where who how why which if required needed wrong weak strong secret expired correct incorrect
    missing empty invalid valid safe secure easy hard long short same different written stored saved reset changed
    protected hidden known unknown case being always never still also only really important set sent shared kept
    gone lost forgotten forgot there here it is was has have manager managers field hash policy rules rule reset
    resets prompt generator length file box change changes protection must should can may will would could needs
    expires stands means and's yes no ok fine good bad great old new word words both either neither one two three
    four five six leaked stolen strength screen page form input type name again yesterday today tomorrow every all
    some any because since until between before after during without within under over about like than then now
    later soon up down out off""".split()  # noqa: SIM905
)


def may_hold_secret(lowered: str) -> bool:
    """Whether a word in a text (in lower case) could announce a secret; its shape is looked at elsewhere."""
    return any(word in lowered for word in _ANNOUNCING) or any(word in lowered for word in _FORM_WORDS)


def find(text: str) -> list[Secret]:
    """The secrets in a text, in order; none overlaps another."""
    lowered = text.lower()
    found: list[Secret] = []
    if _SHAPES.search(text) or any(word in lowered for word in _FORM_WORDS):
        found += _by_form(text)
    if any(word in lowered for word in _ANNOUNCING):
        found += _announced(text)
    if _DIGITS.search(text):
        found += _numbers(text)
    if _SEED.search(lowered):
        found += _phrases(text, lowered)
    kept: list[Secret] = []
    for secret in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return kept


def masked(text: str) -> str:
    """A text with every secret in it taken out and named: `[removed: GitHub token]`."""
    parts, at = [], 0
    for secret in find(text):
        parts += [text[at : secret.start], f"[removed: {secret.kind}]"]
        at = secret.end
    return text if not parts else "".join([*parts, text[at:]])


def masked_value(value: Any) -> Any:
    """Plain JSON data with the secrets in its texts taken out."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked(str(key)): _masked_entry(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_value(item) for item in value]
    return value


def _masked_entry(key: str, value: Any) -> Any:
    """A value is read with its key, which may announce it: `{"password": "sunshine9"}`, `{"pin": 4821}`."""
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    told = find(f"{key}: {value}") if plain and not (isinstance(value, str) and find(value)) else []
    if any(secret.end > len(key) + len(": ") for secret in told):
        return f"[removed: {told[0].kind}]"
    return masked_value(value)


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    return [(kind, re.compile(form)) for kind, form in _FORMS.items()]


def _by_form(text: str) -> Iterator[Secret]:
    for kind, form in _forms():
        for match in form.finditer(text):
            start, end = _span(match)
            if not _PLACEHOLDER.match(text[start:end]) and not _repeats(text[start:end]):
                yield Secret(kind, start, end)


def _span(match: re.Match[str]) -> tuple[int, int]:
    for name in ("s", "s2", "s3", "s4", "s5"):
        if match.groupdict().get(name) is not None:
            return match.span(name)
    return match.span()


def _repeats(value: str) -> bool:
    """`sk-xxxxxxxx`: nobody's secret."""
    tail = value[-8:].lower()
    return len(set(tail)) <= 1


def _announced(text: str) -> Iterator[Secret]:
    for match in _ANNOUNCED_KEY.finditer(text):
        value = match["s"].rstrip(".")
        if _looks_random(value):
            yield Secret("key", match.start("s"), match.start("s") + len(value))
    for match in _ANNOUNCED_PASSWORD.finditer(text):
        if _is_password(match, text):
            yield Secret("password", match.start("s"), match.end("s"))
    for match in _PASSPHRASE.finditer(text):
        words = re.split(r"[- ]", match["s"].lower())
        if not set(words[:2]) & _PROSE:
            yield Secret("passphrase", *match.span("s"))
    for form, kind in ((_PASS, "password"), (_ASSIGNED, "password"), (_PASSWORD_LAST, "password"), (_CODE, "code")):
        for match in form.finditer(text):
            start, end = _span(match)
            if not _PLACEHOLDER.match(text[start:end]) and "(" not in text[start:end]:
                yield Secret(kind, start, end)
    for match in _PIN.finditer(text):
        if not re.search(
            r"(?i)postcode|zip|indian|india\b|ends? (?:in|with)|pinned|\bversion\b|\berror\b|status", text
        ):
            yield Secret("PIN", *match.span("s"))
    for match in _WALLET.finditer(text):
        yield Secret("wallet key", *match.span("s"))


_LONG_ENOUGH = 16


def _looks_random(value: str) -> bool:
    if _PLACEHOLDER.match(value) or _repeats(value) or value.startswith(("/", "./", "~/", "http", "www.")):
        return False
    if re.fullmatch(r"[\d./-]+", value) and len(value) < _LONG_ENOUGH:
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if re.search(r"\.(?:com|org|net|io|py|js|md|txt|json|yaml|yml|toml|html|log|pem|pdf)\b|\(", value):
        return False
    if digits and letters:
        return digits >= 2 or len(value) >= _LONG_ENOUGH
    return len(value) >= _LONG_ENOUGH and (bool(re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", value)) or "=" in value)


def _is_password(match: re.Match[str], text: str) -> bool:
    value = match["s"]
    if value.lower().startswith(("case", "not-")):
        return False
    linked = bool(match["link"].strip())
    word = value.rstrip(".,;!?)") or value
    if (
        _PLACEHOLDER.match(value)
        or word.lower() in _PROSE
        or "(" in value
        or value.startswith(("[", "=", "http", "./", "/"))
        or "{" in value
    ):
        return False
    if match["q"]:
        return True
    odd = bool(re.search(r"\d", value)) or bool(
        re.search(r"[a-z][A-Z]|[!@#$%^&*+=~]|[^\W\d_][_][^\W\d_]", value.rstrip(".,;!?"))
    )
    if not linked or match["link"].strip().lower() in {"to", "er", "es"}:
        return odd and bool(re.search(r"\d", value)) and len(word) >= 4 and not re.fullmatch(r"\d{1,3}", word)
    if odd:
        return not re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", word)
    if match["link"].strip().lower() not in {"is", "is now", "is still", "was", ":", "=", "'s", "’s"}:
        return False
    if match["link"].strip() in {":", "=", "："} and len(word) >= 4 and word.isalpha():
        return True
    # A single plain word: only where nothing follows that would make a sentence of it.
    rest = text[match.end("s") :].strip(" .!,;)\"'”")
    return not rest and len(word) >= 4 and not word.lower().endswith(("ed", "ing", "ly", "ful", "able", "ible"))


def _numbers(text: str) -> Iterator[Secret]:
    if not re.search(r"\d{2}", text):
        return
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        prefix = _CARD_PREFIXES.get(len(digits))
        if prefix and re.match(prefix, digits) and len(set(digits)) > 2 and _valid("luhn", digits):
            yield Secret("card number", *match.span())
    for announced, module, form in _NATIONAL:
        for word in re.finditer(f"(?i:{announced})", text):
            number = re.compile(rf"(?<![\w]){form}(?![\w])")
            hit = number.search(text, word.end(), word.end() + 60) or number.search(text, 0, word.start())
            if hit is not None and _valid(module, re.sub(r"\s", "", hit.group())):
                yield Secret("national id", *hit.span())


def _valid(module: str, number: str) -> bool:
    if not module:
        return True  # its form is all there is to check
    check: Callable[[str], bool] = importlib.import_module(f"stdnum.{module}").is_valid
    return check(number)


def _phrases(text: str, lowered: str) -> Iterator[Secret]:
    for match in _SEED.finditer(lowered if len(lowered) == len(text) else text):
        words = [(word.group(), match.start() + word.start()) for word in re.finditer(r"[a-z]+", match.group())]
        listed = _seed_words()
        run: list[tuple[str, int]] = []
        for word, at in [*words, ("", len(text))]:
            if word in listed:
                run.append((word, at))
                continue
            if len(run) >= _FEWEST_SEED_WORDS:
                yield Secret("seed phrase", run[0][1], run[-1][1] + len(run[-1][0]))
            run = []


@cache
def _seed_words() -> frozenset[str]:
    from mnemonic import Mnemonic

    return frozenset(Mnemonic("english").wordlist)

"""Settings: typed, one sentence each, from TOML and the environment; unknown keys and wrong types are refused.

Later wins: defaults, `<root>/recollect.toml`, `<root>/<orchestrator>/recollect.toml`, the file named by
RECOLLECT_CONFIG, environment variables (`RECOLLECT_MEMORY__RETRIEVAL__TOP_N=30`), arguments to `open`.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from recollect.errors import ConfigError, shown

T = TypeVar("T")

_EXACT = 2**53  # the whole numbers that a float holds exactly
ENVIRONMENT_PREFIX = "RECOLLECT_"
# Names that are not settings: where the store is, who speaks, and what the test suite uses.
_NOT_SETTINGS = frozenset({"ROOT", "ORCHESTRATOR", "USER", "CHAT", "CONFIG", "TRACEBACK", "FILES"})


def setting(
    default: T,
    sentence: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[Any] | None = None,
    refusal: str | None = None,
) -> T:
    """A field with its sentence and what it allows."""
    rules = {"sentence": sentence, "low": low, "high": high, "choices": choices, "refusal": refusal}
    made: T = field(default=default, metadata=rules)
    return made


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How recall searches."""

    top_n: int = setting(20, "How many results a recall returns at most.", low=1, high=1000)
    top_k_text: int = setting(50, "How many candidates full-text search proposes.", low=1, high=10_000)
    top_k_vector: int = setting(50, "How many candidates vector search proposes.", low=1, high=10_000)
    fusion: str = setting(
        "sum",
        "'sum': the evidence of all arms is weighed and added; 'rrf': reciprocal ranks are.",
        choices=("sum", "rrf"),
    )
    rrf_k: int = setting(60, "The constant k of reciprocal rank fusion.", low=1, high=10_000)
    floor: bool = setting(True, "Whether a recall may come back empty when nothing stored is about the question.")


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """What may be dropped into the ingest folder."""

    enabled: bool = setting(True, "Whether files in the ingest folder become memories.")
    max_file_size_mb: int = setting(25, "The largest file that is read, in megabytes.", low=1, high=4096)
    settle_seconds: float = setting(
        1.0, "How long a file must not have changed before it is read: it may still be written.", low=0.0, high=3600.0
    )


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """What may be seen across boundaries."""

    cross_orchestrator: bool = setting(
        False,
        "Always false: nothing crosses from one orchestrator to another.",
        choices=(False,),
        refusal="memory.scope.cross_orchestrator=true is not supported; expected false",
    )


@dataclass(frozen=True, slots=True)
class BasicSessionSettings:
    """How much the files of a session hold."""

    kv_cap: int = setting(
        200, "How many key-value entries a session keeps; the oldest go first.", low=1, high=1_000_000
    )
    transcript_cap: int = setting(
        500, "How many transcript entries a session's file keeps; the oldest go first.", low=1, high=1_000_000
    )


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What turn memory keeps, and where."""

    blobs: str = setting(
        "", "Where what is too large for the index lies: a URL that fsspec knows, such as s3://bucket/x; empty: files."
    )
    buckets: bool = setting(
        True,
        "Whether what turns tell is gathered by subject; never with LONG_MEMORIES_LOG=1, MEMORY_RECONCILE_ENABLED=0.",
    )
    reconcile_every: int = setting(10, "After how many turns they are put into buckets.", low=1, high=10_000)
    tenant: str = setting("", "The tenant that this orchestrator is to its host; empty: the orchestrator's id.")
    project: str = setting("", "The project that this orchestrator is to its host; empty: default.")


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What one agent uses."""

    memory: tuple[str, ...] = setting((), "The store types of the agent's sessions; none: the agent has no memory.")
    turns: bool = setting(False, "Whether every turn of the agent leaves a fingerprint.")


@dataclass(frozen=True, slots=True)
class DecaySettings:
    """How long memories of ephemeral types are kept where nobody said how long."""

    observation_days: int = setting(3, "Days after which an Observation expires; 0: never.", low=0, high=36500)
    todo_days: int = setting(14, "Days after which a Todo expires; 0: never.", low=0, high=36500)
    event_days: int = setting(30, "Days after which an Event expires; 0: never.", low=0, high=36500)


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What memory does."""

    enabled: bool = setting(True, "Whether memory is on; when off, every call answers memory_disabled.")
    auto_gc: bool = setting(True, "Whether what has expired is put away when memory is opened.")
    max_entries: int = setting(
        0, "How many active memories an owner (a user, a chat) may have; 0: any number.", low=0, high=100_000_000
    )
    extraction_enabled: bool = setting(True, "Whether facts are learned from what users say in sessions.")
    extraction_confidence_threshold: float = setting(
        0.7, "How sure a fact that was learned must be to be kept.", low=0.0, high=1.0
    )
    extraction_debounce_seconds: float = setting(
        30.0, "How long a conversation has to be quiet before it is learned from.", low=0.0, high=86400.0
    )
    decay: DecaySettings = field(default_factory=DecaySettings)
    bulletin_mode: str = setting("every_message", "When a bulletin is made.", choices=("every_message",))
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    basic_session: BasicSessionSettings = field(default_factory=BasicSessionSettings)


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """How the store keeps its promises."""

    synchronous: str = setting(
        "full",
        "'full': an acknowledged write survives a power cut; 'normal': faster, the last moments may be lost in one.",
        choices=("full", "normal"),
    )
    busy_timeout_seconds: float = setting(
        30.0, "How long a write waits for other processes, or for a lost server, before it fails.", low=0.1, high=3600.0
    )
    connections: int = setting(
        16, "How many connections to a PostgreSQL server a process holds at most.", low=1, high=1000
    )
    prepared_statements: bool = setting(
        True, "Whether PostgreSQL keeps statements prepared; switch it off behind a pooler that cannot."
    )
    auto_migrate: bool = setting(True, "Whether opening a PostgreSQL store brings an older schema up to date.")


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """Where the files behind memories may lie."""

    shared: tuple[str, ...] = setting((), "Folders beside the orchestrator's own that sources may lie in.")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which model makes vectors."""

    provider: str = setting(
        "auto",
        "auto (the best that is installed), none, minilm, wordllama, onnx:FOLDER, fastembed:MODEL, "
        "sentence-transformers:MODEL, openai:MODEL.",
    )
    base_url: str = setting("https://api.openai.com/v1", "Where an openai provider is asked.")
    dimension: int = setting(1536, "How many numbers a vector of an openai provider has.", low=1, high=65536)
    key_variable: str = setting("OPENAI_API_KEY", "The environment variable that holds the key, if one is needed.")
    timeout_seconds: float = setting(30.0, "How long an openai provider may take for a batch.", low=0.1, high=600.0)
    query_timeout_seconds: float = setting(
        0.3, "How long a recall waits for a remote model before it answers from text alone.", low=0.01, high=60.0
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Which language model answers; none is needed."""

    model: str = setting("none", "none, openai:MODEL (or anything that speaks like it), anthropic:MODEL, ollama:MODEL.")
    base_url: str = setting("", "Where the model is asked, if not at its maker's.")
    key_variable: str = setting("", "The environment variable that holds the key; by default the one its maker names.")
    timeout_seconds: float = setting(60.0, "How long an answer may take.", low=0.1, high=3600.0)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the server listens, and what it puts up with."""

    host: str = setting("127.0.0.1", "Where it listens; beyond this machine only once there are tokens.")
    port: int = setting(8765, "The port it listens on; 0: any that is free.", low=0, high=65535)
    largest_request_kb: int = setting(1024, "The largest request that is read, in kilobytes.", low=1, high=1_000_000)
    requests_per_minute: int = setting(
        6000, "How many requests a caller may make in a minute; 0: any number.", low=0, high=100_000_000
    )
    timeout_seconds: float = setting(30.0, "How long a request may take.", low=0.1, high=3600.0)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    memory: MemorySettings = field(default_factory=MemorySettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    turns: TurnSettings = field(default_factory=TurnSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)


def load_settings(
    root: Path | None = None,
    orchestrator_id: str | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings that hold for one orchestrator; `overrides` is nested like the TOML files."""
    environment = os.environ if environment is None else environment
    merged: dict[str, Any] = {}
    for file in _files(root, orchestrator_id, environment):
        _merge(merged, _read_toml(file))
    _merge(merged, _from_environment(environment))
    _merge(merged, {} if overrides is None else overrides)
    return parse_settings(merged)


def parse_settings(data: Mapping[str, Any]) -> Settings:
    """Settings from nested data, every value checked."""
    return _parse_section(Settings, data, "")


def documented() -> Iterator[tuple[str, str, Any, str]]:
    """Every setting as (key, type, default, sentence), for the reference."""
    yield from _documented(Settings, "")


def _documented(section: type, prefix: str) -> Iterator[tuple[str, str, Any, str]]:
    hints = get_type_hints(section)
    for item in fields(section):
        if hints[item.name] == Mapping[str, AgentSettings]:
            yield from _documented(AgentSettings, f"{prefix}{item.name}.<id>.")
        elif is_dataclass(hints[item.name]):
            yield from _documented(hints[item.name], f"{prefix}{item.name}.")
        else:
            kind = getattr(hints[item.name], "__name__", str(hints[item.name]))
            yield f"{prefix}{item.name}", kind, item.default, item.metadata["sentence"]


def _files(root: Path | None, orchestrator_id: str | None, environment: Mapping[str, str]) -> Iterator[Path]:
    if root is not None:
        candidates = [root / "recollect.toml"]
        if orchestrator_id is not None:
            candidates.append(root / orchestrator_id / "recollect.toml")
        yield from (file for file in candidates if os.path.isfile(file))  # noqa: PTH113  false, not an error, for odd names
    named = environment.get("RECOLLECT_CONFIG")
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"RECOLLECT_CONFIG names {named}, which is not a file", code="config_not_found")
        yield Path(named)


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", file=str(file)) from error
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}", file=str(file)) from error


def _merge(into: dict[str, Any], data: Mapping[str, Any]) -> None:
    if not isinstance(data, Mapping):
        raise ConfigError(f"settings must be a table; got {shown(data)}")
    for key, value in data.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = _copied(value)


def _copied(value: Any) -> Any:
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Nested data from RECOLLECT_A__B=value; values are read as TOML, or else as plain text."""
    data: dict[str, Any] = {}
    for name, text in sorted(environment.items()):
        key = name.removeprefix(ENVIRONMENT_PREFIX)
        if key == name or key in _NOT_SETTINGS or key.startswith("TEST_"):
            continue
        *sections, last = key.lower().split("__")
        target = data
        for section in sections:
            target = target.setdefault(section, {})
            if not isinstance(target, dict):
                raise ConfigError(f"{name} is inside another variable's value", key=key.lower().replace("__", "."))
        target[last] = _toml_value(text)
    return data


def _toml_value(text: str) -> Any:
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if len(read) == 1 else text


def _parse_section(section: type[T], data: Any, prefix: str) -> T:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{prefix.rstrip('.')} must be a table; got {shown(data)}", key=prefix.rstrip("."))
    hints = get_type_hints(section)
    known = {item.name: item for item in fields(section)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in data.items():
        key = f"{prefix}{name}"
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {prefix}{close[0]}?" if close else f"known here: {', '.join(known)}"
            raise ConfigError(f"unknown setting {key}", code="unknown_setting", hint=hint, key=key)
        hint_type = hints[name]
        if hint_type == Mapping[str, AgentSettings]:
            values[name] = _parse_agents(value, key)
        elif isinstance(hint_type, type) and is_dataclass(hint_type):
            values[name] = _parse_section(hint_type, value, f"{key}.")
        else:
            values[name] = _parse_value(hint_type, value, key, known[name].metadata)
    return section(**values)


def _parse_agents(data: Any, key: str) -> dict[str, AgentSettings]:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{key} must be a table; got {shown(data)}", key=key)
    return {str(name): _parse_section(AgentSettings, value, f"{key}.{name}.") for name, value in data.items()}


def _parse_value(kind: Any, value: Any, key: str, rules: Mapping[str, Any]) -> Any:
    if kind is float and type(value) is int and abs(value) <= _EXACT:
        value = float(value)
    if kind == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise _wrong(key, value, "a list of texts")
        return tuple(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise _wrong(key, value, {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[kind])
    if rules["choices"] is not None and value not in rules["choices"]:
        if rules["refusal"]:
            raise ConfigError(rules["refusal"], key=key)
        raise _wrong(key, value, "one of " + ", ".join(map(str, rules["choices"])))
    low, high = rules["low"], rules["high"]
    if (low is not None and value < low) or (high is not None and value > high):
        raise _wrong(key, value, f"from {low:g} to {high:g}")
    return value


def _wrong(key: str, value: Any, allowed: str) -> ConfigError:
    return ConfigError(f"{key} must be {allowed}; got {shown(value)}", key=key, allowed=allowed)

from __future__ import annotations

import pytest

from recollect import ConfigError, MemoryDisabled
from recollect.config import Settings, documented, load_settings, parse_settings


def refused(data) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_settings(data)
    return caught.value


def test_the_defaults_are_those_of_the_specification():
    memory = Settings().memory
    assert memory.enabled is True
    assert memory.bulletin_mode == "every_message"
    assert (memory.retrieval.top_n, memory.retrieval.rrf_k) == (20, 60)
    assert (memory.ingest.enabled, memory.ingest.max_file_size_mb) == (True, 25)
    assert memory.scope.cross_orchestrator is False


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"memry": {}}, "memry"),
        ({"memory": {"enable": True}}, "memory.enable"),
        ({"memory": {"retrieval": {"topn": 3}}}, "memory.retrieval.topn"),
        ({"storage": {"fsync": "full"}}, "storage.fsync"),
    ],
)
def test_unknown_keys_are_refused_by_name(data, key):
    error = refused(data)
    assert error.code == "unknown_setting"
    assert error.details["key"] == key
    assert key in error.message
    assert error.hint


def test_a_misspelt_key_gets_a_suggestion():
    assert refused({"memory": {"enable": True}}).hint == "did you mean memory.enabled?"


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("retrieval", "top_n", "20"),
        ("retrieval", "top_n", True),
        ("retrieval", "top_n", 0),
        ("retrieval", "top_n", 2.0),
        ("retrieval", "rrf_k", -1),
        ("ingest", "enabled", 1),
        ("ingest", "enabled", "yes"),
        ("ingest", "max_file_size_mb", 0),
        ("retrieval", "rrf_k", None),
    ],
)
def test_wrong_types_and_ranges_are_refused_by_name(section, name, value):
    error = refused({"memory": {section: {name: value}}})
    assert error.code == "invalid_config"
    assert f"memory.{section}.{name}" in error.message


def test_a_section_must_be_a_table():
    assert "memory.scope must be a table" in refused({"memory": {"scope": 3}}).message


def test_crossing_orchestrators_cannot_be_switched_on():
    error = refused({"memory": {"scope": {"cross_orchestrator": True}}})
    assert "memory.scope.cross_orchestrator=true is not supported" in error.message
    assert parse_settings({"memory": {"scope": {"cross_orchestrator": False}}}) == Settings()


def test_infinity_is_no_timeout():
    assert "busy_timeout_seconds" in refused({"storage": {"busy_timeout_seconds": float("inf")}}).message
    assert parse_settings({"storage": {"busy_timeout_seconds": 5}}).storage.busy_timeout_seconds == 5.0


def test_later_sources_win(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "recollect.toml").write_text("[memory.retrieval]\ntop_n = 1\nrrf_k = 1\n[workspace]\nshared = ['/a']")
    (tmp_path / "home" / "recollect.toml").write_text("[memory.retrieval]\ntop_n = 2")
    named = tmp_path / "named.toml"
    named.write_text("[memory.ingest]\nenabled = false\n[memory.retrieval]\ntop_n = 3")
    environment = {"RECOLLECT_CONFIG": str(named)}

    def top_n(**more):
        return load_settings(tmp_path, "home", {**environment, **more.pop("env", {})}, **more).memory.retrieval.top_n

    assert load_settings(tmp_path, "home", {}).memory.retrieval.top_n == 2
    assert load_settings(tmp_path, "other", {}).memory.retrieval.top_n == 1
    assert load_settings(tmp_path, "other", {}).workspace.shared == ("/a",)
    assert top_n() == 3
    assert top_n(env={"RECOLLECT_MEMORY__RETRIEVAL__TOP_N": "4"}) == 4
    assert (
        top_n(env={"RECOLLECT_MEMORY__RETRIEVAL__TOP_N": "4"}, overrides={"memory": {"retrieval": {"top_n": 5}}}) == 5
    )
    assert load_settings(tmp_path, "home", environment).memory.retrieval.rrf_k == 1


@pytest.mark.parametrize("name", ["RECOLLECT_MEMORY__RETRIEVAL__TOPN", "RECOLLECT_COLOUR"])
def test_unknown_environment_variables_are_refused(name):
    with pytest.raises(ConfigError) as caught:
        load_settings(environment={name: "1"})
    assert caught.value.code == "unknown_setting"


@pytest.mark.parametrize(
    "environment",
    [
        {"RECOLLECT_MEMORY": "5", "RECOLLECT_MEMORY__ENABLED": "true"},
        {"RECOLLECT_STORAGE__BUSY_TIMEOUT_SECONDS": "1" + "0" * 400},
        {"RECOLLECT_MEMORY__RETRIEVAL__TOP_N": "9" * 5001},
        {"RECOLLECT_MEMORY__RETRIEVAL__TOP_N": "[" * 5000},
        {"RECOLLECT_MEMORY__RETRIEVAL__TOP_N": "30\nx = 1"},
    ],
)
def test_hostile_values_in_the_environment_are_refused_not_crashed_on(environment):
    with pytest.raises(ConfigError):
        load_settings(environment=environment)


def test_settings_that_are_no_table_are_refused():
    with pytest.raises(ConfigError):
        load_settings(environment={}, overrides="abc")


def test_text_from_the_environment_needs_no_quotes():
    assert load_settings(environment={"RECOLLECT_STORAGE__SYNCHRONOUS": "normal"}).storage.synchronous == "normal"


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "recollect.toml").write_text("[memory\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path, "home", {})
    assert "recollect.toml" in caught.value.message


def test_a_named_file_must_be_there(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_settings(environment={"RECOLLECT_CONFIG": str(tmp_path / "no.toml")})
    assert caught.value.code == "config_not_found"


def test_every_setting_has_its_sentence():
    keys = [key for key, *_ in documented()]
    assert "memory.retrieval.top_n" in keys
    assert all(sentence.endswith(".") for *_, sentence in documented())


def test_memory_that_is_switched_off_says_so(root):
    import recollect

    with pytest.raises(MemoryDisabled) as caught:
        recollect.open(root, orchestrator="home", settings={"memory": {"enabled": False}})
    assert caught.value.code == "memory_disabled"
    assert not root.exists()

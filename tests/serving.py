"""A server in a process of its own, as users start it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx


class Served:
    """A server in a process of its own."""

    def __init__(self, place, root, *arguments, **environment):
        self.socket = f"/tmp/recollect-test-{os.getpid()}-{time.monotonic_ns()}.sock"
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "recollect",
                "serve",
                "--port",
                "0",
                "--socket",
                self.socket,
                "--orchestrator",
                "home",
                *arguments,
            ],
            env={
                **os.environ,
                "RECOLLECT_ROOT": str(place),
                "RECOLLECT_FILES": str(root),
                "RECOLLECT_USER": "alex",
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self._process.stdout.read()
        self.url = found.group(0)
        for _ in range(200):
            try:
                if httpx.get(f"{self.url}/health", timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)

    def post(self, path, data=None, token=None, **headers):
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        content = data if isinstance(data, bytes) else json.dumps({} if data is None else data).encode()
        return httpx.post(
            f"{self.url}{path}", content=content, headers={"Content-Type": "application/json", **headers}, timeout=30
        )

    def rpc(self, method, token=None, number=1, **params):
        return self.post("/rpc", {"jsonrpc": "2.0", "method": method, "params": params, "id": number}, token).json()

    def stop(self, how=signal.SIGTERM):
        self._process.send_signal(how)
        output, _ = self._process.communicate(timeout=30)
        return self._process.returncode, output

"""How long `import recollect`, `recollect --help` and the handshake of `recollect mcp` take.

Next to an empty interpreter, and the handshake next to the bare import of the SDK it speaks with.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 15


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def handshake(root: str) -> float:
    """From the start of the process to the answer to the first message."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    }
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp", "--root", root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RECOLLECT_USER": "alex"},
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        taken = time.perf_counter() - start
        assert answer["result"]["serverInfo"]["name"] == "recollect"
        process.stdin.close()
    return taken


def main() -> int:
    commands = {
        "empty interpreter": ("-c", "pass"),
        "import recollect": ("-c", "import recollect"),
        "import and use": ("-c", "import recollect; recollect.open"),
        "recollect --help": ("-m", "recollect", "--help"),
        "import mcp.server": ("-c", "import mcp.server"),
    }
    taken: dict[str, list[float]] = {name: [] for name in (*commands, "recollect mcp: handshake")}
    with tempfile.TemporaryDirectory() as root:
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(seconds(*command))
            taken["recollect mcp: handshake"].append(handshake(root))
    medians = {name: 1000 * statistics.median(values) for name, values in taken.items()}
    empty = medians["empty interpreter"]
    print(f"{'start-up, median of ' + str(ROUNDS):<34}{'ms':>12}{'over empty':>12}{'bound':>8}")
    bounds = {"import recollect": 150.0, "recollect --help": 300.0, "recollect mcp: handshake": 1000.0}
    passed = True
    for name, value in medians.items():
        figure = value if name.startswith("recollect") else value - empty
        passed &= figure <= bounds.get(name, figure)
        print(f"{name:<34}{value:>12.0f}{value - empty:>12.0f}{bounds.get(name, float('nan')):>8.0f}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

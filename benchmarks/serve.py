"""Load on loopback: many clients, nine recalls for one add, next to a bare FastAPI route in the same run.

python benchmarks/serve.py [MEMORIES [SECONDS [CLIENTS]]]        (default 100000 60 64)
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time

import httpx

import recollect
from recall import texts

BARE = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.post("/v1/recall")
async def recall(body: dict): return {"hits": []}
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


def fill(root: str, size: int) -> None:
    settings = {"storage": {"synchronous": "normal"}}
    with recollect.open(root, orchestrator="bench", settings=settings) as memory:
        for start in range(0, size, 5_000):
            drafts = [{"content": text, "verbatim": True} for text in texts(min(5_000, size - start), start)]
            memory.remember_many(drafts, user="alex")


async def load(url: str, seconds: float, clients: int, adds: bool) -> tuple[list[float], int]:
    queries = texts(500, 10**9, 3, 8)
    took: list[float] = []
    failed = 0
    end = time.monotonic() + seconds

    async def client(number: int) -> None:
        nonlocal failed
        async with httpx.AsyncClient(timeout=60) as http:
            step = number
            while time.monotonic() < end:
                step += 1
                path, body = "recall", {"query": queries[step % len(queries)]}
                if adds and step % 10 == 0:
                    path, body = (
                        "remember",
                        {"content": f"Client {number} noted line {step} about {queries[step % 500]}"},
                    )
                start = time.perf_counter()
                answer = await http.post(f"{url}/v1/{path}", json=body)
                took.append(1000 * (time.perf_counter() - start))
                failed += answer.status_code != 200

    await asyncio.gather(*(client(number) for number in range(clients)))
    return took, failed


def main() -> int:
    size, seconds, clients = [int(each) for each in sys.argv[1:]] + [100_000, 60, 64][len(sys.argv) - 1 :]
    environment = {
        **os.environ,
        "RECOLLECT_EMBEDDING__PROVIDER": "none",
        "RECOLLECT_SERVER__REQUESTS_PER_MINUTE": "0",
        "RECOLLECT_USER": "alex",
    }
    os.environ["RECOLLECT_EMBEDDING__PROVIDER"] = "none"
    with tempfile.TemporaryDirectory() as root:
        fill(root, size)
        command = [sys.executable, "-m", "recollect", "serve", "--root", root, "--orchestrator", "bench", "--port", "0"]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        url = found.group(0)
        time.sleep(2)
        took, failed = asyncio.run(load(url, seconds, clients, adds=True))
        server.terminate()
        server.wait(30)
        bare = subprocess.Popen([sys.executable, "-c", BARE, "18999"])
        time.sleep(3)
        plain, _ = asyncio.run(load("http://127.0.0.1:18999", min(seconds, 15), clients, adds=False))
        bare.terminate()
    print(f"{'':>10}{'requests/s':>12}{'p50 ms':>10}{'p95 ms':>10}{'errors':>8}")
    for name, values, span, wrong in (("recollect", took, seconds, failed), ("bare", plain, min(seconds, 15), 0)):
        ordered = sorted(values)
        print(
            f"{name:>10}{len(values) / span:>12.0f}{ordered[len(ordered) // 2]:>10.1f}{ordered[int(0.95 * len(ordered))]:>10.1f}{wrong:>8}"  # noqa: E501
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

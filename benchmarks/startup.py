"""How long `import recollect` and `recollect --help` take, next to an empty interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 15


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    commands = {
        "empty interpreter": ("-c", "pass"),
        "import recollect": ("-c", "import recollect"),
        "import and use": ("-c", "import recollect; recollect.open"),
        "recollect --help": ("-m", "recollect", "--help"),
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            taken[name].append(seconds(*command))
    medians = {name: 1000 * statistics.median(values) for name, values in taken.items()}
    empty = medians["empty interpreter"]
    print(f"{'start-up, median of ' + str(ROUNDS):<34}{'ms':>12}{'over empty':>12}{'bound':>8}")
    bounds = {"import recollect": 150.0, "recollect --help": 300.0}
    passed = True
    for name, value in medians.items():
        figure = value if name == "recollect --help" else value - empty
        passed &= figure <= bounds.get(name, figure)
        print(f"{name:<34}{value:>12.0f}{value - empty:>12.0f}{bounds.get(name, float('nan')):>8.0f}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

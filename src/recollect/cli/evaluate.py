"""The eval command: recall measured on a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.progress import Progress

if TYPE_CHECKING:
    from recollect.evaluation import Report

_SHOWN = ("recall@1", "recall@5", "recall@10", "recall@20", "all@10", "hit@10", "mrr", "ndcg@10", "n")


@click.command("eval")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--arm", "arms", multiple=True, metavar="ARM", help="Use only these arms (may be repeated).")
@click.option("--without", multiple=True, metavar="ARM", help="Leave these arms out (may be repeated).")
@click.option("--ablation", is_flag=True, help="Measure it without each arm, too.")
@click.option("--fusion", metavar="HOW", help="sum or rrf [as configured].")
@global_options
@pass_answer
def evaluate_command(
    answer: Answer, file: Path, arms: tuple[str, ...], without: tuple[str, ...], ablation: bool, fusion: str | None
) -> None:
    """Measure recall on a data set of conversations and questions (.json or .json.gz), in a store of its own.

    With --root postgresql://… it is measured there; the rows stay, so give it a database to throw away.
    """
    from recollect.evaluation import evaluate, load_dataset
    from recollect.recall import WEIGHTS
    from recollect.storage.open import server_url

    dataset = load_dataset(file)
    used = [arm for arm in (arms or tuple(WEIGHTS)) if arm not in without]
    settings = None if fusion is None else {"memory": {"retrieval": {"fusion": fusion}}}
    with Progress() as progress:
        report = evaluate(
            dataset, progress=progress, arms=used, settings=settings, ablate=ablation, server=server_url(answer.root)
        )
    answer.give(report, lambda: _table(report))


def _table(report: Report) -> str:
    lines = [f"{report.dataset}, embedded with {report.model or 'nothing'}", ""]
    lines.append(f"{'':<16}" + "".join(f"{name:>11}" for name in _SHOWN))
    for name, row in [("overall", report.overall), *report.categories.items()]:
        cells = "".join(f"{row.get(key, 0):>11.3f}" if key != "n" else f"{row.get(key, 0):>11.0f}" for key in _SHOWN)
        lines.append(f"{name:<16}{cells}")
    lines += [
        "",
        f"latency ms      p50 {report.latency_ms['p50']}, p95 {report.latency_ms['p95']}",
        (
            f"floor           silences {report.floor['silencedUnanswerable']:.1%} of unanswerable questions and "
            f"{report.floor['silencedAnswerable']:.1%} of answerable ones "
            f"(recall@10 without it {report.floor['recall@10WithoutFloor']:.3f})"
        ),
        f"context         {report.context['tokensMean']} tokens on average",
        (
            f"time            {report.seconds['store']} s to store, {report.seconds['ask']} s to ask; "
            f"{report.memory_mb} MB of memory"
        ),
    ]
    if report.ablation:
        lines += ["", f"{'without':<16}{'recall@5':>11}{'recall@10':>11}{'mrr':>11}"]
        for arm, row in sorted(report.ablation.items(), key=lambda item: item[1]["recall@10"]):
            lines.append(f"{arm:<16}" + "".join(f"{row[key]:>11.3f}" for key in ("recall@5", "recall@10", "mrr")))
    return "\n".join(lines)

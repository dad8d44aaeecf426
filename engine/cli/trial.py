"""`python -m engine trial FILE`: one's own prompts, put to variants of models and judged."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

from engine.batch.results import OutputError
from engine.cli.arguments import (
    GUIDE,
    Line,
    add_ranks,
    bar,
    positive,
    ranks_of,
    terminable,
    ways_dir,
)
from engine.engine import Engine
from engine.errors import EngineError
from engine.trial import plan
from engine.trial.plan import Trial
from engine.trial.report import TABLE, Table, write
from engine.trial.run import ANSWERS, Records, Run

_EACH_S = 5  # at least between two writings of what there is by then
DONE, SOME_FAILED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        f"{plan.__doc__}\n"
        "The folder gets answers.jsonl, table.csv, table.json and table.html. Interrupted in\n"
        "whatever way, the same command goes on where it was; prompts and variants that are new\n"
        "in the file are asked then.\n"
        "Exit status: 0 all are answered, 1 some could not be, 2 it could not run, 130 interrupted."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the trial, in TOML or JSON")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="for its results (FILE-results)")
    parser.add_argument("--concurrency", type=positive, default=8, metavar="N", help="at once (8)")
    parser.add_argument("--retry-failed", action="store_true", help="ask again what had an error")
    add_ranks(parser)


def main(options: argparse.Namespace) -> int:
    out = options.out or options.file.with_name(f"{options.file.stem}-results")
    try:
        trial = plan.read(options.file, str(GUIDE))
        out.mkdir(parents=True, exist_ok=True)
        with (
            terminable(),
            Records(out / ANSWERS) as records,
            Engine(ranks=ranks_of(options), ways_dir=ways_dir()) as engine,
        ):
            table = _run(engine, trial, records, options, out)
        _write(table, out)
    except KeyboardInterrupt:
        print("trial: interrupted; the same command goes on from here.", file=sys.stderr)
        return INTERRUPTED
    except (EngineError, OutputError, ValueError) as error:
        print(f"trial: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except OSError as error:
        what = error.filename or out
        print(f"trial: {what}: {error.strerror or error}", file=sys.stderr)
        return COULD_NOT_RUN
    print(table.text())
    failed = any(cell.error for cell in table.cells.values())
    return SOME_FAILED if failed else DONE


def _run(
    engine: Engine, trial: Trial, records: Records, options: argparse.Namespace, out: Path
) -> Table:
    line, due = Line(sys.stderr), 0.0

    def told(done: int, of: int) -> None:
        nonlocal due
        line.draw(f"{bar(done, of)} {done:,} of {of:,}")
        if (began := monotonic()) >= due:  # what a run that is killed leaves can be opened
            write(out / TABLE, run.table().to_json())
            due = monotonic() + max(_EACH_S, 20 * (monotonic() - began))

    try:
        run = Run(engine, trial, records, options.concurrency, told, options.retry_failed)
        return run.run()
    finally:
        line.clear()


def _write(table: Table, folder: Path) -> None:
    for name, text in (
        ("table.csv", table.to_csv()),
        (TABLE, table.to_json()),
        ("table.html", table.to_html()),
    ):
        write(folder / name, text)

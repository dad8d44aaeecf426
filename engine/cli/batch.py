"""`python -m engine batch IN.jsonl OUT.jsonl`: answer many requests from a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from engine.batch import requests
from engine.batch.requests import BatchRequest, RequestDefaults
from engine.batch.results import (
    BatchSummary,
    OutputError,
    ResultsFile,
    encode_record,
    format_duration,
)
from engine.batch.run import (
    BatchAnswer,
    BatchRunner,
    InvalidLine,
    LineParser,
    line_digest,
    read_lines,
)
from engine.cli import arguments
from engine.engine import Engine
from engine.errors import INVALID_REQUEST, EngineError
from engine.params import SamplingParams

ALL_ANSWERED, SOME_FAILED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130
_MAX_LISTED = 20  # maximum number of errors, and of ignored fields, to list

EPILOG = """\
A line is {"prompt": "…"} or {"messages": […]}, with optional "id", "system", "reasoning" and fields
of SamplingParams (temperature, top_p, max_tokens, stop, seed, json_schema, …); or OpenAI's batch
format {"custom_id", "method", "url", "body"}, which is answered in that format.
Unknown fields are ignored and listed. Answers are written as they arrive, and sorted by line at the
end of the run.

After an interruption, run the same command again to continue.
Exit status: 0 all lines are answered, 1 some failed (their records have an "error"), 2 the batch
could not run or continue, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("input", type=Path, metavar="IN.jsonl", help="one request per line")
    parser.add_argument("output", type=Path, metavar="OUT.jsonl", help="one answer per line")
    parser.add_argument(
        "--model",
        default=str(arguments.GUIDE),
        help="model folder, GGUF file or hub id (default: the bundled model)",
    )
    arguments.add_adapter(parser)
    arguments.add_draft(parser)
    arguments.add_ranks(parser)
    parser.add_argument(
        "--concurrency",
        type=arguments.positive_int,
        default=8,
        metavar="N",
        help="concurrent requests (default: 8)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="number from which each line's seed is derived (0)"
    )
    parser.add_argument(
        "--max-tokens", type=int, help="token limit for lines that do not set one (default: 2048)"
    )
    parser.add_argument(
        "--temperature",
        type=float,
        help="sampling temperature for lines that do not set one (default: model's)",
    )
    parser.add_argument(
        "--top-p", type=float, help="top-p for lines that do not set one (default: model's)"
    )
    parser.add_argument("--system", help="system message for lines without one")
    parser.add_argument(
        "--think",
        action=argparse.BooleanOptionalAction,
        help="let the model reason first, or not (default: model's)",
    )
    parser.add_argument(
        "--reproducible", action="store_true", help="bit-identical answers, which is slower"
    )
    parser.add_argument("--retry-failed", action="store_true", help="retry failed requests")
    parser.add_argument("--restart", action="store_true", help="delete earlier answers")
    parser.add_argument("--timings", action="store_true", help="also write each answer's times")
    parser.add_argument("--json", metavar="FILE", help="also write the summary; - for stdout")


def main(options: argparse.Namespace) -> int:
    try:
        ranks, ways = arguments.parse_ranks(options), arguments.cache_dir("ways")
        with arguments.sigterm_as_interrupt(), Engine(ranks=ranks, ways_dir=ways) as engine:
            return _batch(engine, options)
    except KeyboardInterrupt:
        print("batch: interrupted. Run the same command again to continue.", file=sys.stderr)
        return INTERRUPTED
    except (EngineError, OutputError, ValueError) as error:
        print(f"batch: {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"batch: {error.filename or options.output}: {error.strerror or error}. The answers "
            "so far are kept. Run the same command again to continue.",
            file=sys.stderr,
        )
    return COULD_NOT_RUN


def _batch(engine: Engine, options: argparse.Namespace) -> int:
    source, target = options.input, options.output
    if not source.is_file():
        raise OutputError(f"File {source} does not exist.")
    if target.exists() and target.samefile(source):
        raise OutputError(f"{target} is the input. Choose another file for the answers.")
    sampling = {k: getattr(options, k) for k in ("max_tokens", "temperature", "top_p")}
    settings = {k: v for k, v in sampling.items() if v is not None}
    SamplingParams(**settings)  # report invalid options once, not for every line
    model = engine.load(options.model, options.adapter, options.draft_model)
    defaults = RequestDefaults(
        {**model.defaults, **settings}, options.seed, options.system, options.think
    )
    salt = json.dumps([model.id, to_builtins(defaults), options.reproducible], sort_keys=True)
    results = ResultsFile(target, options.restart, options.retry_failed)
    try:
        count = results.check((n, line_digest(raw, salt)) for n, raw in read_lines(source))
        batch, parser = BatchRun(results, salt, options, count), LineParser(defaults, model)
        try:
            runner = BatchRunner(engine, model, options.concurrency, options.reproducible)
            batch.run(runner, read_lines(source), parser)
        finally:
            batch.print_summary(sorted(parser.ignored))
    finally:
        results.close()
    return SOME_FAILED if batch.summary.total_failed else ALL_ANSWERED


class BatchRun:
    def __init__(
        self, results: ResultsFile, salt: str, options: argparse.Namespace, count: int
    ) -> None:
        records = results.known.values()
        self.summary = BatchSummary(count, len(records), sum(k.failed for k in records))
        self._results = results
        self._salt = salt
        self._options = options
        self._progress = arguments.StatusLine(sys.stderr)
        self._listed_errors = 0
        self._digests: dict[int, str] = {}  # digests by line, while in progress

    def run(
        self, runner: BatchRunner, source: Iterator[tuple[int, bytes]], parse: LineParser
    ) -> None:
        def draw() -> None:
            self._progress.draw(_progress(self.summary, runner.tokens))

        draw()
        runner.run(
            self._requests(source, parse), self._write, draw if self._progress.shown else None
        )

    def print_summary(self, ignored: Sequence[str]) -> None:
        self._progress.clear()
        if ignored:
            field_names = ", ".join(ignored[:_MAX_LISTED])
            suffix = (
                f" and {len(ignored) - _MAX_LISTED:,} more" if len(ignored) > _MAX_LISTED else ""
            )
            print(f"batch: ignored fields: {field_names}{suffix}", file=sys.stderr)
        if self._listed_errors > _MAX_LISTED:
            print(
                f"batch: {self._listed_errors - _MAX_LISTED:,} more lines failed.", file=sys.stderr
            )
        print(self.summary.text(), file=sys.stderr)
        if self._options.json:
            text = json.dumps(self.summary.statistics(), indent=2)
            if self._options.json == "-":
                print(text)
            else:
                Path(self._options.json).write_text(text + "\n", encoding="utf-8")

    def _requests(
        self, source: Iterator[tuple[int, bytes]], parse: LineParser
    ) -> Iterator[BatchRequest]:
        for number, raw in source:
            line = parse(number, raw)
            if number in self._results.known:
                continue
            self._digests[number] = line_digest(raw, self._salt)
            if isinstance(line, BatchRequest):
                yield line
                continue
            with arguments.postpone_interrupts():
                self.summary.add_invalid_line()
                self._record(line, {"error": {"code": INVALID_REQUEST, "message": line.reason}})

    def _write(self, request: BatchRequest, answer: BatchAnswer) -> None:
        content = dict(answer.content)
        if self._options.timings and not answer.is_failure and not request.is_openai:
            content["ttft_s"] = round(answer.stats.ttft_s, 4)
            content["latency_s"] = round(answer.latency_s, 4)
        # Keep the summary, the file and its index consistent.
        with arguments.postpone_interrupts():
            self.summary.add(answer)
            self._record(request, content)

    def _record(self, line: BatchRequest | InvalidLine, content: dict[str, Any]) -> None:
        name = self._digests.pop(line.line)
        if "error" in content:
            self._listed_errors += 1
            if self._listed_errors <= _MAX_LISTED:
                self._progress.clear()
                print(f"batch: line {line.line}: {content['error']['message']}", file=sys.stderr)
        if not line.is_openai:
            content = {"id": line.id, **content}
        elif "error" in content:
            content = requests.failure_record(name, line.id, content["error"])
        else:
            content = requests.completion_record(name, line.id, content)
        self._results.write(line.line, encode_record(line.line, name, content))


def _progress(summary: BatchSummary, tokens: int) -> str:
    count, total = summary.done_lines, summary.lines
    seconds = max(summary.seconds, 1e-6)
    now = summary.answered + summary.failed
    remaining = f"{format_duration(seconds / now * (total - count))} left" if now else "…"
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    return (
        f"{arguments.progress_bar(count, total)} {count:,} of {total:,}{failed}  "
        f"{now / seconds:.2f}/s  {tokens / seconds:.0f} tokens/s  {remaining}"
    )

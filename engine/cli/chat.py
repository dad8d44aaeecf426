"""`python -m engine chat`: a terminal chat."""

from __future__ import annotations

import argparse
import sys

from engine.cli.arguments import add_adapter, add_draft
from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, PromptProgress, TextDelta
from engine.params import SamplingParams
from engine.reply import Reply

HELP = "Type a message. Ctrl+C stops the answer, /new starts over, /quit or Ctrl+D ends."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="model folder, GGUF file, or downloaded hub id")
    add_adapter(parser)
    add_draft(parser)
    parser.add_argument("--system", help="system message")
    parser.add_argument(
        "--temperature",
        type=float,
        help="sampling temperature; 0 takes the most probable token (default: model's)",
    )
    parser.add_argument("--top-p", type=float, help="top-p (default: model's)")
    parser.add_argument(
        "--max-tokens", type=int, default=2048, help="token limit of an answer (default: 2048)"
    )
    parser.add_argument("--seed", type=int, help="sampling seed (default: random)")
    parser.add_argument("--think", action="store_true", help="let the model reason first")
    parser.add_argument("--reproducible", action="store_true", help="bit-identical answers")


def main(options: argparse.Namespace) -> int:
    with Engine() as engine:
        try:
            model = engine.load(options.model, options.adapter, options.draft_model)
            sampling = {
                "temperature": options.temperature,
                "top_p": options.top_p,
                "max_tokens": options.max_tokens,
                "seed": options.seed,
            }
            settings = {k: v for k, v in sampling.items() if v is not None}
            params = SamplingParams(**{**model.defaults, **settings})
        except (EngineError, ValueError) as error:
            print(f"chat: {error}", file=sys.stderr)
            return 2

        def open_session() -> Session:
            return engine.open_session(
                model,
                system=options.system,
                reasoning=options.think,
                reproducible=options.reproducible,
            )

        print(f"{model.name}, {model.context_length:,} tokens of context. {HELP}")
        session = open_session()
        while True:
            try:
                line = input("\n> ").strip()
            except (EOFError, KeyboardInterrupt):
                print()
                return 0
            if line == "/quit":
                return 0
            if line == "/new":
                session.close()
                session = open_session()
            elif line:
                _print_reply(session.send(line, params))


def _print_reply(reply: Reply) -> None:
    """Print a reply as it streams. Ctrl+C only cancels the reply, not the chat."""
    kind = "answer"
    try:
        for event in reply:
            _print_event(event, kind)
            kind = event.kind if isinstance(event, TextDelta) else kind
    except KeyboardInterrupt:
        reply.cancel()
        for _ in reply:
            pass
        print("\n[stopped]")


def _print_event(event: Event, kind: str) -> None:
    if isinstance(event, TextDelta):
        if event.kind != kind:
            print("\n" if kind != "answer" else "", end="")
        dim = sys.stdout.isatty() and event.kind != "answer"
        print(f"\033[2m{event.text}\033[0m" if dim else event.text, end="", flush=True)
    elif isinstance(event, PromptProgress) and event.total - event.reused > 512:
        print(f"\r[reading {event.done:,} of {event.total:,} tokens]", file=sys.stderr)
    elif isinstance(event, Finished):
        s = event.stats
        print(
            f"\n[{s.tokens_per_s:.0f} tok/s, first token {s.ttft_s:.2f} s, "
            f"{s.generated_tokens} tokens, reused {s.reused_tokens:,}]",
            file=sys.stderr,
        )
    elif isinstance(event, Failed):
        print(f"\n{event.message}", file=sys.stderr)

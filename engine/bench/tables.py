"""Tables of the benchmarks' results."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from engine.bench.latency import FollowUp, LongPrompt, Many
from engine.bench.throughput import ThroughputRow
from engine.bench.traffic import LoadResult

Say = Callable[[str], None]


def decode_head(say: Say) -> None:
    say("\nDecode, all chats together, tokens/s")
    say(f"{'chats':>5}  {'lengths':<9} {'Stretto':>9} {'alone':>9} {'batch':>9}")


def decode(r: ThroughputRow, say: Say) -> None:
    say(
        f"{r.chats:>5}  {r.lengths:<9} {r.stretto:>9.1f} {r.alone:>9.1f} {r.batch:>9.1f}"
        f"   {r.over_alone:>5.2f}x alone  {r.over_batch:>5.2f}x BatchGenerator"
    )


def traffic_head(say: Say) -> None:
    say("\nWhole requests, prompts included: tokens/s over all, first tokens and gaps in ms")
    say("(with one long prompt the first tokens are those of the short ones), memory in MB")
    say(
        f"{'chats':>5}  {'traffic':<10} {'':<18} {'tok/s':>7} {'first p50':>10} {'max':>8} "
        f"{'long':>8} {'gap p50':>8} {'p99':>7} {'max':>7} {'memory':>7}"
    )


def traffic(loads: Sequence[LoadResult], say: Say) -> None:
    """Print the results for whole requests. Ratios above 1 mean that Stretto is faster."""
    for (clients, kind), group in itertools.groupby(loads, lambda f: (f.clients, f.traffic)):
        own_load: LoadResult | None = None
        for f in group:
            own_load = own_load or f
            sooner = (f.first_p50 or 0.0) / (own_load.first_p50 or 1.0)
            ratio = (
                ""
                if f is own_load
                else f"  {own_load.rate / f.rate:.2f}x, first {sooner:.1f}x sooner"
            )
            say(
                f"{clients:>5}  {kind:<10} {f.server:<18} {f.rate:>7.1f} "
                f"{_ms(f.first_p50):>10} {_ms(f.first_max):>8} {_ms(f.first_long):>8} "
                f"{_ms(f.gap_p50, 1):>8} {_ms(f.gap_p99, 1):>7} {_ms(f.gap_max):>7} "
                f"{f.memory / 1e6:>7.1f}{ratio}"
            )


def _ms(seconds: float | None, digits: int = 0) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.{digits}f}"


def long_prompt(gap: LongPrompt, say: Say) -> None:
    say(
        f"\nA prompt of {gap.prompt_tokens:,} tokens arrives while three chats stream\n"
        f"  gap between tokens before  {gap.median_before * 1e3:8.1f} ms (median)\n"
        f"  while it is read           {gap.median * 1e3:8.1f} ms (median)\n"
        f"                             {gap.p99 * 1e3:8.1f} ms (p99); twice the median and the "
        f"budget are {gap.budgeted * 1e3:.0f} ms\n"
        f"  the longest                {gap.longest * 1e3:8.1f} ms = "
        f"{gap.longest / gap.median_before:.1f}x the median before; bound 3x + 100 ms = "
        f"{gap.bound * 1e3:.0f} ms: {'held' if gap.longest <= gap.bound else 'BROKEN'}\n"
        f"  first token of the long    {gap.first_long:8.2f} s, with nothing next to it "
        f"{gap.first_alone:.2f} s ({gap.first_long / gap.first_alone:.2f}x)\n"
        f"  first token of a short one sent after it {gap.first_short:.2f} s"
    )


def follow_ups(turns: Sequence[FollowUp], say: Say) -> None:
    say("\nSecond turns")
    for t in turns:
        say(
            f"  after {t.history_tokens:>6,} tokens: {t.new_tokens} tokens read, first token after "
            f"{t.second_turn * 1e3:.0f} ms; the first turn took {t.first_turn * 1e3:.0f} ms "
            f"({t.first_turn / t.second_turn:.1f}x)"
        )
    if len(turns) > 1:
        say(
            f"  the longest history costs {turns[-1].second_turn / turns[0].second_turn:.2f}x the "
            "shortest"
        )


def many(results: Sequence[Many], say: Say) -> None:
    say("\nSeveral chats that go on from one text")
    for m in results:
        say(
            f"  {m.chats} {m.what + ',':<10} {m.tokens:,} tokens: first token of the last after "
            f"{m.last * 1e3:.0f} ms, of a single one after {m.one * 1e3:.0f} ms "
            f"({m.last / m.one:.2f}x); KV {m.nbytes / 1e6:.1f} MB against "
            f"{m.nbytes_one / 1e6:.1f} MB"
        )

"""Server metrics in Prometheus' text format.

They never include request or answer text, nor the names of keys.
"""

from __future__ import annotations

import bisect
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from engine.messages import Event, Failed, Finished, TextDelta

FIRST_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
GAP_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Histogram:
    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def note(self, value: float) -> None:
        self._counts[bisect.bisect_left(self._bounds, value)] += 1
        self.sum += value

    def buckets(self) -> list[tuple[str, float]]:
        """Return cumulative counts per upper bound, as Prometheus expects them."""
        names = [*(str(bound) for bound in self._bounds), "+Inf"]
        return [(name, float(n)) for name, n in zip(names, accumulate(self._counts), strict=True)]


class Metrics:
    """Counters since server start, overall and per key."""

    def __init__(self) -> None:
        self._by_key: dict[str, Metrics] = {}
        self.requests: Counter[tuple[str, str]] = Counter()  # counts by route and status
        # Counts by `FinishReason` or error code.
        self.replies: Counter[str] = Counter()
        # Number of `prompt`, `reused` and `generated` tokens in finished replies.
        self.tokens: Counter[str] = Counter()
        self.first = Histogram(FIRST_SECONDS)  # time to first token, in seconds
        self.gap = Histogram(GAP_SECONDS)  # delay between chunks, in seconds
        # Monotonic time of the latest engine event, if any.
        self.last_event: float | None = None

    def of(self, owner_id: str) -> Metrics:
        return self._by_key.setdefault(owner_id, Metrics())

    def count_request(self, route: str, status: str, owner_id: str) -> None:
        for metrics in (self, self.of(owner_id)):
            metrics.requests[(route, status)] += 1

    def note_event(self, owner_id: str, event: Event, waited_s: float, is_first: bool) -> None:
        """Count an event of a reply, overall and for its key.

        Args:
            waited_s: seconds since the reply's previous text, or since its start.
            is_first: True if the reply has no text yet.
        """
        for metrics in (self, self.of(owner_id)):
            metrics._note(event, waited_s, is_first)

    def _note(self, event: Event, waited_s: float, is_first: bool) -> None:
        self.last_event = time.monotonic()
        if isinstance(event, TextDelta):
            (self.first if is_first else self.gap).note(waited_s)
        elif isinstance(event, Finished):
            self.replies[str(event.reason)] += 1
            self.tokens["prompt"] += event.stats.prompt_tokens
            self.tokens["reused"] += event.stats.reused_tokens
            self.tokens["generated"] += event.stats.generated_tokens
        elif isinstance(event, Failed):
            self.replies[event.code] += 1


def exposition(metrics: Metrics, gauges: Mapping[str, tuple[str, float]]) -> tuple[bytes, str]:
    """Return all metrics in Prometheus' text format, and the media type.

    Args:
        gauges: (description, value) by name, without the `stretto_` prefix.
    """
    # Imported lazily, because it takes 0.1 s.
    from prometheus_client import generate_latest
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

    text: Any = generate_latest(_Collector(metrics, gauges))
    return bytes(text), CONTENT_TYPE_PLAIN_0_0_4


class _Collector:
    """Collector of the metrics, without a Prometheus registry."""

    def __init__(self, metrics: Metrics, gauges: Mapping[str, tuple[str, float]]) -> None:
        self._metrics = metrics
        self._gauges = gauges

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import (
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        m = self._metrics
        tokens = {kind: m.tokens[kind] for kind in ("prompt", "reused", "generated")}
        for name, description, labels, counts in (
            ("requests", "HTTP requests by route and status.", ("route", "status"), m.requests),
            ("replies", "Replies by finish reason.", ("reason",), m.replies),
            ("tokens", "Tokens of finished replies.", ("kind",), tokens),
        ):
            family = CounterMetricFamily(f"stretto_{name}", description, labels=labels)
            for key, count in sorted(counts.items()):
                family.add_metric((key,) if isinstance(key, str) else key, count)
            yield family
        for name, description, histogram in (
            ("first_token", "Time from a request to its first token.", m.first),
            ("gap", "Time between two pieces of an answer.", m.gap),
        ):
            yield HistogramMetricFamily(
                f"stretto_{name}_seconds",
                description,
                buckets=histogram.buckets(),
                sum_value=histogram.sum,
            )
        for name, (description, value) in self._gauges.items():
            yield GaugeMetricFamily(f"stretto_{name}", description, value=value)

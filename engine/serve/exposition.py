"""The server's figures in Prometheus' text. Imported at the first scrape: that takes 0.1 s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from engine.serve.metrics import Metrics

TYPE = CONTENT_TYPE_PLAIN_0_0_4


def text(metrics: Metrics, gauges: Mapping[str, tuple[str, float]]) -> bytes:
    """All figures of this moment.

    Args:
        gauges: a sentence and a value by name, without `stretto_`.
    """
    registry = CollectorRegistry()
    registry.register(_Collector(metrics, gauges))
    return bytes(generate_latest(registry))


class _Collector(Collector):
    def __init__(self, metrics: Metrics, gauges: Mapping[str, tuple[str, float]]) -> None:
        self._metrics = metrics
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        return [*self._counters(), *self._histograms(), *self._present()]

    def _counters(self) -> Iterator[Metric]:
        m = self._metrics
        requests = CounterMetricFamily(
            "stretto_requests", "HTTP requests by route and status.", labels=["route", "status"]
        )
        for (route, status), count in sorted(m.requests.items()):
            requests.add_metric([route, status], count)
        replies = CounterMetricFamily(
            "stretto_replies", "Replies by how they ended.", labels=["reason"]
        )
        for reason, count in sorted(m.replies.items()):
            replies.add_metric([reason], count)
        tokens = CounterMetricFamily(
            "stretto_tokens", "Tokens of replies that ended in order.", labels=["kind"]
        )
        for kind in ("prompt", "reused", "generated"):
            tokens.add_metric([kind], m.tokens[kind])
        yield from (requests, replies, tokens)

    def _histograms(self) -> Iterator[Metric]:
        m = self._metrics
        for name, says, found in (
            ("first_token", "From a request to its first token.", m.first),
            ("gap", "Between two pieces of one answer.", m.gap),
        ):
            yield HistogramMetricFamily(
                f"stretto_{name}_seconds", says, buckets=found.buckets(), sum_value=found.sum
            )

    def _present(self) -> Iterator[Metric]:
        for name, (says, value) in self._gauges.items():
            yield GaugeMetricFamily(f"stretto_{name}", says, value=value)

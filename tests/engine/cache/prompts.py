"""Parameters of replies, and the cost of their prompts."""

from __future__ import annotations

from engine import Reply, SamplingParams


def params(seed: int, tokens: int = 12) -> SamplingParams:
    # Keep the random model from thinking, because the template drops reasoning from the history.
    calm = {3: -1e9, 4: -1e9}
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed, logit_bias=calm)


def read(reply: Reply) -> int:
    reply.tokens(60)
    return reply.stats.prompt_tokens - reply.stats.reused_tokens

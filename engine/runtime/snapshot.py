"""Snapshot of the engine's state at the start of an iteration, for the scheduler."""

from __future__ import annotations

import logging

from msgspec.structs import replace

from engine.cache.ledger import CacheOffer
from engine.errors import describe_error
from engine.model import runner
from engine.model.drafting import Drafter
from engine.model.prompt_lookup import Lookup
from engine.runtime.draft_policy import MAX_LOOKUP
from engine.runtime.plan import LoadRequest, PendingEmbedding, Row, Status, View
from engine.runtime.request import MemoryNeeds, Request
from engine.runtime.state import State

log = logging.getLogger(__name__)


class RowError(Exception):
    def __init__(self, request: Request) -> None:
        super().__init__(request.id)
        self.request = request


def take_snapshot(
    state: State,
    load: LoadRequest | None,
    embedding: PendingEmbedding | None,
    relieve: bool = False,
) -> View:
    """Create the current view.

    Raises:
        RowError: if the row of a request can't be created.
    """
    rows = []
    for request in state.requests.values():
        try:
            rows.append(_row(state, request))
        except BaseException as error:
            raise RowError(request) from error
    decoding = [index for index, row in enumerate(rows) if row.decodes]
    if len(decoding) == 1 and rows[decoding[0]].drafts:
        row = rows[decoding[0]]
        rows[decoding[0]] = _with_drafter(row, state.requests[row.id])
    pending_bytes = load.preferred_bytes if load is not None else 0
    pending_bytes = max(pending_bytes, embedding.nbytes if embedding is not None else 0)
    return View(
        now=state.clock(),
        rows=rows,
        mixing=frozenset(i for i, m in state.models.items() if m.abilities.modes.mixes),
        joining=frozenset(
            i for i, m in state.models.items() if m.abilities.modes.mixes and m.ranks == 1
        ),
        exact=frozenset(i for i, m in state.models.items() if m.info.exact),
        faulty=frozenset(
            i for i, m in state.models.items() if not m.shared_step_breaker.is_enabled
        ),
        memory=state.memory.view(rows, pending_bytes, relieve),
        load=load,
        embedding=embedding,
        relieve=relieve,
        can_compute=state.leader is None or not state.leader.loading,
    )


def _with_drafter(row: Row, request: Request) -> Row:
    drafter = request.session.model.drafter
    if isinstance(drafter, Drafter):
        longest = request.prompt_length + request.limit
        return replace(
            row,
            behind=drafter.unread_count(request.tokens, request.session.domain),
            drafter_bytes=drafter.model.abilities.estimate.bytes(longest) - drafter.nbytes,
        )
    if isinstance(drafter, Lookup) and request.match_search.find():
        max_drafts = min(row.drafts, MAX_LOOKUP)
        return replace(row, lookup_chances=request.match_search.acceptance_chances(max_drafts))
    return row


def _row(state: State, request: Request) -> Row:
    session, kv = request.session, request.kv
    model, prepared = session.model, request.prompt is not None
    reading = request.status == Status.PREFILLING
    chunked = reading and not (request.apart or model.abilities.token_by_token)
    needs = request.memory_needs() if prepared else MemoryNeeds(0)
    halts = reading and kv.needs_snapshot
    pending = request.pending is not None
    sampled_tokens, lost_tokens = request.generated + pending, 0
    if request.status == Status.DECODING:
        lost_tokens = len(runner.lost_tokens(request))
    return Row(
        session.id,
        model.info.id,
        request.status,
        # The request waits for the user, an image, or a worker.
        request.paused or bool(request.awaited_images) or request.unsampled is not None,
        session.reproducible,
        apart=request.apart,
        can_mix_prefill=chunked and kv.can_mix,
        unwritten=reading and kv.is_fully_shared,
        # Other models would compute logits for all rows of the chunk (`output_rows`).
        can_feed_last=chunked and model.abilities.leaves_out_rows and model.ranks == 1,
        # A recurrent model may treat the first token differently.
        can_mix_decode=not (request.apart or session.kv_bits or lost_tokens) and kv.length > 0,
        one_shot=session.one_shot,
        priority=session.priority,
        program=session.program,
        share=session.share,
        length=kv.length if reading else 0,
        remaining=request.unread if reading else 0,
        waiting_since=request.waiting_since,
        ready_at=request.ready_at,
        begun=sampled_tokens > 0,
        pending=pending,
        awaits_first=sampled_tokens == 1 and pending,
        wants_more=sampled_tokens < request.limit,
        images=_unsplittable_spans(request) if reading and request.images else (),
        snapshot_at=request.prompt.boundary if halts and request.prompt is not None else -1,
        max_bytes=needs.own,
        slack_bytes=needs.slack,
        growth_bytes=needs.growth,
        at_limit=request.generated + 2 > request.limit,
        prefix_to_keep=request.prefix_to_keep,
        prefix_bytes=session.estimate.bytes(request.prefix_to_keep, step=1)
        if request.prefix_to_keep
        else 0,
        group=needs.group,
        shared=needs.shared,
        drafts=0 if model.drafter is None or lost_tokens else draft_room(request),
        lost_tokens=lost_tokens,
        kind=session.kind,
        prompt=request.prefilling.packed if reading else b"",
        system=request.prompt.system if request.prompt is not None else 0,
        needs_stops=halts and not session.reproducible,
        offer=_offer(state, request) if reading else None,
    )


def _unsplittable_spans(request: Request) -> tuple[tuple[int, int], ...]:
    """Return the spans of images that must be read in one pass, because their tokens attend to each
    other.

    Other images are split like text, because 2,000 tokens in one pass would delay streaming chats.
    """
    spans = ((at, at + len(sight.ids)) for at, sight in request.images if sight.whole)
    return tuple((start, end) for start, end in spans if end > request.kv.length)


def _offer(state: State, request: Request) -> CacheOffer | None:
    """Return the part of a prompt that can be copied from other caches, or None.

    The result is reused until it may have changed.
    """
    if not request.can_adopt:
        return None
    prefixes, kv = state.memory.prefixes, request.kv
    now = (prefixes.version, kv.length, kv.is_fully_shared)
    if request.latest_offer[0] != now:
        try:
            request.latest_offer = (now, prefixes.find_offer(request.prefilling))
        except BaseException as error:  # prefill the prompt instead of adopting the prefix
            log.warning("cannot look up other chats' caches: %s", describe_error(error))
            request.latest_offer = (now, None)
    return request.latest_offer[1]


def draft_room(request: Request) -> int:
    """Return the maximum number of tokens to draft after the last sampled token.

    0 for reproducible chats, because a pass over several tokens rounds differently than a step.
    """
    drafter = request.session.model.drafter
    sampled_tokens = request.generated + (request.pending is not None)
    if drafter is None or not drafter.breaker.is_enabled or not sampled_tokens or request.images:
        return 0
    if request.apart or not request.kv.can_roll_back:
        return 0
    if request.constraint is not None and request.constraint.is_slow:
        return 0  # a worker computes the masks token by token
    return max(0, request.limit - sampled_tokens - 1)  # one more token follows the draft

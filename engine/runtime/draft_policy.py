"""Policy for the number of drafted tokens, based on measured costs and gains.

A draft has to follow known tokens. MLX only launches a plain step, so before a draft, an iteration
waits for the token of the last plain step. With the CPU kernels, the step itself waits. A drafting
iteration drafts tokens, verifies them, and waits for the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

# Number of tokens in the first draft, and maximum: eight rows with the token before the draft.
FIRST_DRAFT, MAX_DRAFT = 3, 7

MAX_LOOKUP = 15  # maximum number of lookup tokens; with the token before them, a tile of 16 rows

MIN_EXPECTED = 1.5  # minimum expected number of accepted tokens for trying a lookup again

# Number of plain steps to time before the first draft, and again after `RETIME_TOKENS` tokens.
PLAIN_STEPS = 4

TRIAL_PASSES = 8  # number of drafting passes before drafts are judged

# Drafting may be given up after `MIN_PASSES` if the time per token exceeds the limit by the factor.
MIN_PASSES, EARLY_FACTOR = 3, 1.3

MAX_RELATIVE_TIME = 0.97  # maximum time per token with drafts, relative to plain steps

# Number of tokens after which plain steps are timed again. They get slower as the text grows.
RETIME_TOKENS = 512

FIRST_REST, LONGEST_REST = 64, 4096
"""Number of tokens that a chat decodes without drafts after drafts were slower than plain steps:
initial value and maximum.

Lookups that are predicted to be slower are also tried again after this number of tokens.
"""

# Maximum number of missed tokens that the draft model reads as part of a draft. If it has missed
# more, it reads up to `CATCH_UP_CHUNK` of them after each plain step.
MAX_CATCH_UP, CATCH_UP_CHUNK = 32, 128

MAX_ROW_COST = 2.0  # maximum cost of a row, in plain steps of a single chat

_DECAY = 0.9  # factor by which the weight of a pass decreases with each new pass


class Rate(Struct):
    """Time per token in seconds, as an average with exponentially decreasing weights."""

    passes: int = 0  # number of passes so far
    _seconds: float = 0.0
    _tokens: float = 0.0

    def add_pass(self, seconds: float, tokens: int) -> None:
        self.passes += 1
        self._seconds = self._seconds * _DECAY + seconds
        self._tokens = self._tokens * _DECAY + tokens

    def extend_pass(self, seconds: float, tokens: int) -> None:
        self._seconds += seconds
        self._tokens += tokens

    @property
    def per_token(self) -> float:
        return self._seconds / self._tokens if self._tokens else 0.0


class Costs(Struct):
    """Linear model for the cost of verifying lookup tokens: a cost per pass plus a cost per row.

    A least-squares fit with exponentially decreasing weights, including an extra pass with zero
    rows and zero cost. The unit is the time per token of a plain step.
    """

    # Sums of weights, rows, squared rows, costs, and costs times rows.
    sums: list[float] = field(default_factory=lambda: [0.0] * 5)
    # Tokens decoded since the last lookup pass. After `rest` tokens, lookups are tried again even
    # if they don't seem worth it.
    since_pass: float = 0.0
    rest: int = 0
    _rows: int = 0

    def add_pass(self, rows: int, cost: float) -> None:
        self.sums = [_DECAY * total for total in self.sums]
        self._rows, self.since_pass = rows, 0.0
        self.rest = min(LONGEST_REST, 2 * self.rest or FIRST_REST)
        self.sums[:3] = [a + b for a, b in zip(self.sums, (1, rows, rows * rows), strict=False)]
        self.extend_pass(cost)

    def extend_pass(self, cost: float) -> None:
        """Add to the cost of the last pass."""
        self.sums[3:] = self.sums[3] + cost, self.sums[4] + cost * self._rows

    @property
    def pass_and_row_cost(self) -> tuple[float, float]:
        """Cost of a pass (0 after a single pass), and cost of each extra row."""
        weight, rows, squares, cost, product = self.sums
        divisor = (weight + 1.0) * squares - rows * rows
        if not divisor:
            return 0.0, 0.0
        row_cost = max(0.0, ((weight + 1.0) * product - rows * cost) / divisor)
        return max(0.0, (cost - row_cost * rows) / (weight + 1.0)), row_cost

    def choose_count(self, chances: Sequence[float]) -> int:
        """Choose the number of lookup tokens from their acceptance probabilities."""
        (fixed, row_cost), speed = self.pass_and_row_cost, 1.0
        # The count depends on the speed (tokens per plain step) that it leads to, so iterate. The
        # cost of a row is the number of tokens that could be generated in the same time.
        for _ in range(3):
            count = sum(chance * MAX_RELATIVE_TIME > row_cost * speed for chance in chances)
            gain = sum(chances[:count])
            cost = fixed + row_cost * count
            speed = max(1.0, (1 + gain) / (1 + cost))
        if self.sums[0] and gain * MAX_RELATIVE_TIME > cost:
            self.rest = 0
            return count
        if self.since_pass < self.rest or sum(chances[:FIRST_DRAFT]) <= MIN_EXPECTED:
            return 0
        return len(chances[:FIRST_DRAFT])


class _Record(Struct):
    """Statistics of a model for steps of a single chat."""

    plain: Rate = field(default_factory=Rate)
    since_plain: int = 0  # number of tokens since a plain step was timed
    count: int = FIRST_DRAFT
    drafting: Rate = field(default_factory=Rate)
    tokens_to_rest: int = 0  # number of tokens that a chat still decodes without drafts
    rest: int = FIRST_REST  # number of tokens without drafts after the next loss
    looked_up: bool = False  # the last draft came from prompt lookup


class DraftStatistics:
    """Statistics of all models with drafts, for steps of a single chat.

    Draft models are judged by their measured gain. The gain of a lookup is predicted, and only the
    cost of its rows is measured.
    """

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        self._costs: dict[str, Costs] = {}
        # Model of the last pass, and True if we have waited for all of its results. None if the
        # last iteration did more than a step of one chat, so that the next pass isn't timed.
        self.last: tuple[str, bool] | None = None

    def draft_length(self, model: str) -> int:
        record = self._records.get(model)
        if record is None or record.plain.passes < PLAIN_STEPS or record.tokens_to_rest:
            return 0
        return record.count

    def lookup_length(self, model: str, chances: Sequence[float]) -> int:
        """Return the number of lookup tokens for the next pass.

        Args:
            chances: result of `MatchSearch.acceptance_chances`.
        """
        record = self._records.get(model)
        if record is None or record.plain.passes < PLAIN_STEPS:
            return 0
        return self._costs.setdefault(model, Costs()).choose_count(chances)

    def forget(self, model: str) -> None:
        """Discard the gains of a model whose draft model changed, but not the cost of rows."""
        self._records.pop(model, None)

    def record_wait(self) -> None:
        self.last = self.last and (self.last[0], True)

    def observe(
        self,
        model: str,
        seconds: float,
        tokens: int,
        drafted: int = 0,
        accepted: int = 0,
        looked_up: bool = False,
    ) -> None:
        """Update the statistics after a pass.

        Args:
            drafted: number of drafted tokens; 0 for a plain step.
            looked_up: True if the draft was looked up, False if it's from a draft model.
        """
        record = self._records.setdefault(model, _Record())
        costs = self._costs.setdefault(model, Costs())
        before, self.last = self.last, (model, drafted > 0)
        if not drafted:
            record.tokens_to_rest = max(0, record.tokens_to_rest - tokens)
            costs.since_pass += tokens
            if before == (model, False) and tokens:
                record.plain.add_pass(seconds, tokens)
                record.since_plain = 0
            return
        record.since_plain += tokens
        record.looked_up = looked_up
        if before is not None and before[0] == model and tokens:
            if not looked_up:
                record.drafting.add_pass(seconds, tokens)
            elif record.plain.per_token:
                # If the measured cost is higher, another program must be the cause.
                max_cost = MAX_ROW_COST * (1 + drafted)
                costs.add_pass(drafted, min(max_cost, seconds / record.plain.per_token) - 1)
        if looked_up:
            record.plain = Rate() if record.since_plain >= RETIME_TOKENS else record.plain
            return
        record.count = (
            min(MAX_DRAFT, record.count + 1) if accepted == drafted else max(1, accepted + 1)
        )
        _judge(record)

    def observe_repetition(self, model: str, seconds: float) -> None:
        """Update the statistics after a step that repeated tokens lost to a rejected draft."""
        record = self._records.get(model)
        if record is None:
            return
        if not record.looked_up:
            record.drafting.extend_pass(seconds, 1)
        elif record.plain.per_token:
            self._costs[model].extend_pass(min(MAX_ROW_COST, seconds / record.plain.per_token) - 1)


def _judge(record: _Record) -> None:
    passes = record.drafting.passes
    if passes < MIN_PASSES:
        return
    bar = MAX_RELATIVE_TIME if passes >= TRIAL_PASSES else MAX_RELATIVE_TIME * EARLY_FACTOR
    if record.drafting.per_token > record.plain.per_token * bar:
        record.tokens_to_rest, record.rest = record.rest, min(LONGEST_REST, 2 * record.rest)
        record.drafting, record.count = Rate(), FIRST_DRAFT
    elif passes >= TRIAL_PASSES:
        record.rest = FIRST_REST
        if record.since_plain >= RETIME_TOKENS:
            record.plain = Rate()

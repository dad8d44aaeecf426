"""Circuit breaker for features of a model that may fail."""

MIN_PAUSE_PASSES = 256  # length of the first pause, doubled after each further failure

MAX_PAUSE_PASSES = 1 << 16

RECOVERY_PASSES = 1024  # number of consecutive successful passes that offset a failure


class CircuitBreaker:
    """Switch that pauses a feature after repeated failures.

    Pauses are counted in passes. The feature is tried again after a pause, because the cause may
    have been temporary or specific to one reply. Each further failure doubles the pause.

    Args:
        allowed: number of failures that triggers a pause.
    """

    def __init__(self, max_faults: int) -> None:
        self.faults = 0  # total number of failures
        self.is_enabled = True  # False during a pause
        self._max_faults = max_faults
        self._recent_faults = 0  # failures that haven't been offset
        self._successes = 0  # successful passes since `_recent_faults` last changed
        self._next_pause = MIN_PAUSE_PASSES
        self._pause_left = 0

    def record_failure(self) -> None:
        self.faults += 1
        self._recent_faults += 1
        self._successes = 0
        if self._recent_faults >= self._max_faults:
            self._pause_left, self.is_enabled = self._next_pause, False
            self._next_pause = min(2 * self._next_pause, MAX_PAUSE_PASSES)

    def record_success(self) -> None:
        if self._pause_left:
            self._pause_left -= 1
            if not self._pause_left:
                self.is_enabled = True
                # A single failure triggers the next pause.
                self._recent_faults = self._max_faults - 1
        elif self._recent_faults:
            self._successes += 1
            if self._successes >= RECOVERY_PASSES:
                self._successes, self._recent_faults = 0, self._recent_faults - 1
                if not self._recent_faults:
                    self._next_pause = MIN_PAUSE_PASSES

"""Circuit breaker for features of a model that may fail."""

MIN_PAUSE_PASSES = 256  # length of the first pause, doubled after each further failure

MAX_PAUSE_PASSES = 1 << 16

RECOVERY_PASSES = 1024  # number of consecutive successful passes after which failures are forgotten


class CircuitBreaker:
    """Switch that pauses a feature after repeated failures.

    Pauses are counted in passes. The feature is tried again after a pause, because the cause may
    have been temporary or specific to one reply. Each further failure doubles the pause.

    Args:
        max_faults: number of failures that triggers a pause.
    """

    def __init__(self, max_faults: int) -> None:
        self.faults = 0  # total number of failures
        self.is_enabled = True  # False during a pause
        self._max_faults = max_faults
        self._recent_faults = 0  # failures that haven't been forgotten
        self._successes = 0  # successful passes since the last failure
        self._pause_left = 0

    def record_failure(self) -> None:
        self.faults += 1
        self._recent_faults += 1
        self._successes = 0
        further_faults = self._recent_faults - self._max_faults
        if further_faults >= 0:
            self._pause_left = min(MIN_PAUSE_PASSES << further_faults, MAX_PAUSE_PASSES)
            self.is_enabled = False

    def record_success(self) -> None:
        if self._pause_left:
            self._pause_left -= 1
            self.is_enabled = not self._pause_left
        elif self._recent_faults:
            self._successes += 1
            if self._successes >= RECOVERY_PASSES:
                self._recent_faults = 0

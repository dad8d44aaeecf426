"""The confined child's beginning; see `engine.core.confined.process` for how it is started."""

import sys

from engine.core.confined.child import main

sys.exit(main(sys.argv[1:]))

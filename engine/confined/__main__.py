"""The confined child's beginning; see `engine.confined.process` for how it is started."""

import sys

from engine.confined.child import main

sys.exit(main(sys.argv[1:]))

"""A rank's beginning; see `engine.core.ranks.processes` for how it is started."""

import sys

from engine.core.ranks.child import main

sys.exit(main(sys.argv[1:]))

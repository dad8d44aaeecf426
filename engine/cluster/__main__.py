"""Entry point of a rank's process. `engine.cluster.processes` starts it."""

import sys

from engine.cluster.rank import main

sys.exit(main(sys.argv[1:]))

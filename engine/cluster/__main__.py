"""Where a rank's process starts; see `engine.cluster.processes`."""

import sys

from engine.cluster.rank import main

sys.exit(main(sys.argv[1:]))

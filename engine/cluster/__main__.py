"""Entry point of a rank process. Started by `engine.cluster.processes`."""

import sys

from engine.cluster.rank import main

sys.exit(main(sys.argv[1:]))

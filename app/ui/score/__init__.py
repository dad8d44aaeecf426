"""What the engine does, live: a lane for each chat."""

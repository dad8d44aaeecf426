"""Models: chosen, found on the hub, downloaded."""

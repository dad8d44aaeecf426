"""What sessions' KV caches hold, share, and keep on disk."""

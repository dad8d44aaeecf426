"""The model: loaded, probed, run for many sessions at once, sampled from."""

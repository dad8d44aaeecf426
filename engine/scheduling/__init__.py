"""Every decision about order, size, fairness and memory. Pure Python: numbers in, plans out."""

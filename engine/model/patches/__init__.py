"""Every place where a function of mlx-lm or MLX is replaced."""

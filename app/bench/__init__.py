"""The window measured and photographed with the real engine, without a person."""

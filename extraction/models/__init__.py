"""Model weights on this machine."""

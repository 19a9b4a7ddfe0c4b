"""What can be seen from outside of what the service does: logs, numbers, traces. No document text, no secrets."""

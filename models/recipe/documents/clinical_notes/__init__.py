"""Clinical notes: letters, charts, summaries and forms about patients."""

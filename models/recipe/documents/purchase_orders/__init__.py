"""Purchase orders, changes to them, and the order confirmations of suppliers."""

"""Reviews of products, places, services and works."""

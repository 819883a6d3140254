"""tsikhanovich2011."""

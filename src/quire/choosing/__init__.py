"""How many topics: several ways to find out, and what they say together."""

"""How learning goes: distances, shares and ranges, with one look for every method and one line a seed."""

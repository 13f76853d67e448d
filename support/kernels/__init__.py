"""Compiled inner loops. Each stands beside the name of the plain function that it must agree with."""

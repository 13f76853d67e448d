"""Agents: methods named as the field names them. They know games only through the interface."""

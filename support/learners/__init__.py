"""Methods that learn any game they fit, each with its compiled form beside it."""

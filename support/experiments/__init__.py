"""One module a chapter: a frozen configuration in, a result out."""

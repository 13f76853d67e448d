"""From the chapters to the site: check the pairs, execute the chapters, judge the verdicts, build the pages."""

import sys

# Importing nbformat imports jsonschema, which would make a parser of addresses from their grammar. That takes 1.4 of
# the import's 1.6 seconds, in each process of a build, and no notebook format needs such a parser.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None: not to be found

"""From the chapters to the site: pairs checked, chapters executed, verdicts judged, pages built from what passed."""

import sys

# Importing nbformat ends in jsonschema, which would make a parser of addresses from their grammar, for 1.4 of the 1.6
# seconds that all of it takes: in each process of a build. No format of a notebook asks for one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None: not to be found

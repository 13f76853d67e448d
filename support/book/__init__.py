"""From the chapters to the site: pairs checked, chapters executed, verdicts judged, pages built from what passed."""

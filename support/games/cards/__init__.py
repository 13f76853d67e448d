"""Card games of one bet: ace-king-queen (chapter 3) and Kuhn's poker."""

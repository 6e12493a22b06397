"""The same work given to other backgammon programs in one run: ``python -m benchmarks.peers``."""

"""Training of networks, from random weights to a file that `vrhcaby.evaluate` takes. The command is ``vrhcaby train``.

Needs PyTorch, which comes with the extra ``train``; recipes are read and written without it.
"""

from vrhcaby.training.recipe import Recipe, read_recipe, standard_recipe, write_recipe
from vrhcaby.training.run import Listener, train

__all__ = ["Listener", "Recipe", "read_recipe", "standard_recipe", "train", "write_recipe"]

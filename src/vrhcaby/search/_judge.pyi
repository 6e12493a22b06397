import os
from typing import final

from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["Judge"]

@final
class Judge:
    def __new__(
        cls,
        evaluator: Network | IncrementalNetwork | str | os.PathLike[str] | None,
        variant: str | Variant,
        *,
        bear_off: bool = True,
    ) -> Judge: ...
    @property
    def network(self) -> Network | IncrementalNetwork: ...

from typing import final

from vrhcaby.evaluation._network import Network
from vrhcaby.variants import Variant

__all__ = ["SelfPlay", "duel"]

@final
class SelfPlay:
    def __new__(
        cls, network: Network, variant: str | Variant, *, seed: int, trace: float, played: int = 0
    ) -> SelfPlay: ...
    @property
    def result(self) -> Network: ...
    @property
    def played(self) -> int: ...
    def play(self, games: int, rate: float) -> None: ...

def duel(
    network: Network, opponent: Network | None, variant: str | Variant, *, games: int, seed: int
) -> tuple[float, float]: ...

"""`import vrhcaby` is cheap: NumPy and the core, nothing that only some uses need."""

import json
import subprocess
import sys
from pathlib import Path

# The audit hook sees every file that is opened, by the import system or by hand.
PROBE = """
import json, sys
opened = []
sys.addaudithook(lambda event, details: opened.append(str(details[0])) if event == "open" else None)
import vrhcaby
print(json.dumps({"modules": sorted(sys.modules), "opened": opened}))
"""
HEAVY = ("asyncio", "concurrent.futures", "cyclopts", "multiprocessing", "rich", "torch", "xml")


def test_import_loads_nothing_heavy_and_opens_no_weights(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=tmp_path, capture_output=True, text=True, check=True)
    probe = json.loads(run.stdout)
    assert "vrhcaby" in probe["modules"]
    loaded = [m for m in probe["modules"] if any(m == heavy or m.startswith(heavy + ".") for heavy in HEAVY)]
    assert loaded == []
    assert [path for path in probe["opened"] if path.endswith((".npz", ".npy"))] == []

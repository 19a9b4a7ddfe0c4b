"""Several processes, one set of numbers."""

import subprocess
import sys

from api.observability.sharing import find_shared_metrics, shared_metrics

COUNT = "from api.observability.metrics import count_job; count_job('DONE')"
READ = "from api.observability.metrics import _collect; print(_collect().decode())"


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_workers_add_up_while_they_are_shared() -> None:
    assert find_shared_metrics() is None
    with shared_metrics():
        folder = find_shared_metrics()
        assert folder is not None
        for _ in range(3):
            run(COUNT)
        text = run(READ)

    assert 'cogniverse_jobs_total{status="DONE"} 3.0' in text
    assert find_shared_metrics() is None
    assert not folder.exists()
    assert 'status="DONE"' not in run(READ)

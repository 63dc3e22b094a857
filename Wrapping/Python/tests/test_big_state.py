# SPDX-License-Identifier: Apache-2.0
"""Work that was ended, killed or damaged, and is gone on with from its folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import brickccl
from volumes import check_table, grains

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


KILLED = """
    import os, signal, sys
    import brickccl.big

    if __name__ == "__main__":
        folder, stop, executor = sys.argv[1], float(sys.argv[2]), sys.argv[3]

        def progress(fraction):
            if fraction >= stop:
                os.kill(os.getpid(), signal.SIGKILL)

        brickccl.big.label(f"{folder}/image.zarr", f"{folder}/labels.zarr", brick=8, state=f"{folder}/state",
                           executor=executor, workers=2, table=f"{folder}/table.csv", progress=progress)
"""


@pytest.mark.parametrize("stop", [0.2, 0.5, 0.7, 0.95])
def test_a_killed_run_is_gone_on_with(tmp_path, stop):
    image = grains((24, 24, 24))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(KILLED))
    done = subprocess.run([sys.executable, program, tmp_path, str(stop), "threads"], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    records = tmp_path / "state" / "records"
    times = {path.name: path.stat().st_mtime_ns for path in records.iterdir() if not path.name.endswith(".part")}
    assert times
    arguments = {"brick": 8, "state": tmp_path / "state", "table": tmp_path / "table.csv", "return_table": True}
    found = big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", **arguments)
    labels, table = brickccl.label(image, return_table=True)
    np.testing.assert_array_equal(found.labels[:], labels)
    check_table(found.table, table)
    assert zarr.open(tmp_path / "labels.zarr").attrs["brickccl"]["complete"]
    assert all((records / name).stat().st_mtime_ns == time for name, time in times.items())
    assert len(list(records.iterdir())) >= 27


def test_worker_processes_end_with_a_killed_run(tmp_path):
    zarr.create_array(tmp_path / "image.zarr", data=grains((24, 24, 24)), chunks=(8, 8, 8))
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(KILLED))
    # It returns when the last process that holds the pipes has ended, or fails in a minute.
    done = subprocess.run([sys.executable, program, tmp_path, "0.2", "processes"], capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_what_killed_writers_left_half_written_is_removed(tmp_path):
    image, go_on = begun(tmp_path, 0.7)
    labels = tmp_path / "labels.zarr"
    left = [labels / f"{name}.{'0f' * 16}.partial" for name in ("zarr", "0")]
    another = labels / "mine.partial"
    for path in (*left, another):
        path.write_bytes(b"half")
    np.testing.assert_array_equal(go_on().labels[:], brickccl.label(image))
    assert not any(path.exists() for path in left) and another.exists()


def begun(tmp_path, stop=2.0):
    """A finished work, or one that ended at a fraction."""
    image = grains((12, 12, 12))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(4, 4, 4), overwrite=True)

    def progress(fraction):
        if fraction >= stop:
            raise InterruptedError

    def go_on(progress=None, **arguments):
        arguments = {"brick": 4, "state": tmp_path / "state", "columns": "surface", "return_table": True, **arguments}
        return big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", progress=progress, **arguments)

    if stop < 1:
        with pytest.raises(InterruptedError):
            go_on(progress)
    else:
        go_on()
    return image, go_on


def test_other_work_in_the_folder_is_refused(tmp_path):
    image, go_on = begun(tmp_path, 0.3)
    for arguments, text in (
        ({"connectivity": 26}, "options.connectivity was None and is 26"),
        ({"minimum_size": 3}, "options.minimum_size was 0 and is 3"),
        ({"brick": 8}, "brick"),
        ({"dtype": "uint32"}, "target.dtype was 'auto' and is 'uint32'"),
        ({"mask": image}, "mask"),
    ):
        with pytest.raises(ValueError, match="another problem") as caught:
            go_on(**arguments)
        assert text in str(caught.value)
    zarr.open(tmp_path / "image.zarr")[0, 0, 0] = 1 - image[0, 0, 0]
    with pytest.raises(ValueError, match="source.contents was"):
        go_on()


@pytest.mark.parametrize("stop", [0.3, 0.7, 2.0])
def test_lost_and_damaged_files_of_the_state_are_made_again(tmp_path, stop):
    image, go_on = begun(tmp_path, stop)
    random = np.random.default_rng(1)
    for name in ("records", "runs", "maps", "counts", "written"):
        files = sorted((tmp_path / "state" / name).iterdir())
        for number, path in enumerate(files):
            if number % 5 == 1:
                path.unlink()
            elif number % 5 == 2:
                path.write_bytes(path.read_bytes()[:-3])
            elif number % 5 == 3:
                data = bytearray(path.read_bytes())
                data[int(random.integers(0, len(data)))] ^= 0x10
                path.write_bytes(data)
    found = go_on()
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    check_table(found.table, brickccl.find(image).table("surface"))


def test_a_lost_target_is_written_again_and_a_damaged_plan_refused(tmp_path):
    image, go_on = begun(tmp_path)
    shutil.rmtree(tmp_path / "labels.zarr")
    np.testing.assert_array_equal(go_on().labels[:], brickccl.label(image))
    plan = tmp_path / "state" / "plan.json"
    plan.write_text(plan.read_text().replace("12", "13", 1))
    with pytest.raises(big.DamagedState, match="plan.json.*checksum"):
        go_on()


def test_errors_of_the_disk_name_the_brick(tmp_path):
    image = grains((12, 12, 12))
    state = tmp_path / "state"

    def put_in_the_way(fraction):
        (state / "records" / "1-0-2" / "in the way").mkdir(parents=True, exist_ok=True)

    with pytest.raises(OSError, match=r"brick 11 \(voxels \[4:8, 0:4, 8:12\]\)"):
        big.label(image, tmp_path / "labels", brick=4, chunks=4, state=state, workers=1, progress=put_in_the_way)
    program = """
        import resource, sys
        import numpy as np, brickccl.big
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        image = (np.random.default_rng(1).random((60, 60, 60)) < 0.3).astype(np.uint8)
        brickccl.big.label(image, sys.argv[1] + "/full", brick=30, chunks=30, state=sys.argv[1] + "/fullstate")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), tmp_path], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"brick \d+ \(voxels .*File too large: '.*/fullstate/runs/", done.stderr), done.stderr
    assert not (tmp_path / "full").exists()
    assert not [name for name in os.listdir(tmp_path / "fullstate" / "runs") if name.endswith(".part")]


def test_processes_that_are_killed_change_nothing(tmp_path):
    import multiprocessing

    image = grains((24, 24, 24))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    killed = []

    def progress(fraction):
        if fraction > 0.1 + 0.3 * len(killed) and len(killed) < 2:
            children = multiprocessing.active_children()
            if children:
                killed.append(children[0].pid)
                os.kill(children[0].pid, signal.SIGKILL)

    arguments = {"brick": 8, "executor": "processes", "workers": 2, "progress": progress}
    found = big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", **arguments)
    assert len(killed) == 2
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))


def test_workers_of_dask_that_are_killed_change_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask.array")
    image = grains((24, 24, 24))
    stored = zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    expected = brickccl.label(image)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        # Workers without a nanny: who is killed stays away.
        command = [sys.executable, "-m", "dask", "worker", cluster.scheduler_address, "--no-nanny", "--nthreads", "1"]
        workers = [subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.DEVNULL) for _ in range(2)]
        try:
            client.wait_for_workers(2)
            with pytest.raises(ValueError, match="state="):
                big.label(stored, tmp_path / "labels.zarr", executor=client)

            def progress(fraction):
                if fraction > 0.2:
                    workers[0].kill()

            arguments = {"brick": 8, "executor": client, "state": tmp_path / "state"}
            found = big.label(stored, tmp_path / "labels.zarr", progress=progress, **arguments)
            assert workers[0].wait() == -signal.SIGKILL and workers[1].poll() is None
            np.testing.assert_array_equal(found.labels[:], expected)
            assert big.label(stored, tmp_path / "labels.zarr", **arguments).count == found.count
            arguments = {"brick": 8, "executor": client, "state": tmp_path / "another"}
            computed = big.label(dask.from_zarr(stored) + 0, tmp_path / "computed.zarr", **arguments)
            np.testing.assert_array_equal(computed.labels[:], expected)
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()

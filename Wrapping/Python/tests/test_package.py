# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: what importing it costs, its types, its documentation."""

import doctest
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import brickccl

FOLDER = pathlib.Path(brickccl.__file__).parent
MODULES = [name for _, name, _ in pkgutil.walk_packages([str(FOLDER)], "brickccl.") if not name.endswith(("_core", "_files"))]


def test_an_import_brings_numpy_and_the_standard_library_alone():
    script = (
        "import sys, brickccl\n"
        "brickccl.label([1, 0, 1])\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(roots - set(sys.stdlib_module_names)))"
    )
    result = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    found = {name for name in eval(result.stdout) if not name.startswith(("_", "sitecustomize", "distutils"))}
    assert found == {"brickccl", "numpy", "nanobind_backend"}


def test_modules_are_there_without_an_import_of_their_own():
    script = (
        "import sys, brickccl\n"
        "assert not {'brickccl.io', 'brickccl.big', 'brickccl.compat'} & set(sys.modules)\n"
        "print(brickccl.io.read.__name__, brickccl.compat.threads, hasattr(brickccl, 'oi'))"
    )
    result = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["read", "None", "False"]


def test_nothing_of_the_engine_is_left_when_python_ends():
    # As if a library held the functions: what their caches hold must go anyway.
    script = (
        "import ctypes, brickccl\n"
        "from brickccl import _rules, _volume\n"
        "for size in range(9):\n"
        "    brickccl.label([[1, 0, 1]], minimum_size=size)\n"
        "for function in (_rules._make_once, _volume._plain_geometry):\n"
        "    assert function.cache_info().currsize > 0\n"
        "    ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "leaked" not in result.stderr, result.stderr


def test_the_version_is_that_of_the_library():
    assert brickccl.__version__ == brickccl.info()["version"]
    assert importlib.metadata.version("brickccl") == brickccl.__version__


@pytest.mark.parametrize("name", ["_core", "_files"])
def test_the_stub_is_that_of_the_module(tmp_path, name):
    pytest.importorskip("nanobind")
    if importlib.util.find_spec(f"brickccl.{name}") is None:
        pytest.skip(f"the package was built without {name}")
    stub = tmp_path / f"{name}.pyi"
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("make_stub.py"), stub], check=True)
    assert stub.read_text(encoding="utf-8") == (FOLDER / stub.name).read_text(encoding="utf-8"), (
        f"run python Wrapping/Python/tests/make_stub.py Wrapping/Python/brickccl/{name}.pyi"
    )
    assert (FOLDER / "py.typed").exists()


#: Code that a type checker accepts, and code that it refuses.
RIGHT_PROGRAM = (
    "import numpy as np, brickccl\n"
    "table: brickccl.Table = brickccl.find(np.ones(3), connectivity=1).table(['shape'])\n"
    "count: int = brickccl.find(np.ones(3)).count\n"
    "image = np.ones((4, 4), np.uint8)\n"
    "labels: np.ndarray = brickccl.label(image, order='size', threads=-1)\n"
    "labels, count = brickccl.label(image, return_count=True)\n"
    "labels, table = brickccl.label(image, return_table=True)\n"
    "labels, count, table = brickccl.label(image, return_count=True, return_table=True)\n"
    "labels, count = brickccl.label([[1, 0]], return_count=bool(count))\n"
    "count = brickccl.find(image, split=True).count + int(brickccl.label(image, split=0.5).max())\n"
    "labels, mapping = brickccl.relabel(labels, order='raster', return_mapping=True)\n"
    "number: int = mapping[1]\n"
    "areas: np.ndarray = brickccl.statistics(labels, names='skimage')['area']\n"
    "table = brickccl.statistics(labels)\n"
    "filled, holes = brickccl.fill_holes(image, return_count=True)\n"
    "cleaned, report = brickccl.clean(image, return_report=True)\n"
    "removed: int = report[0].removed_components + holes\n"
    "merged: brickccl.Table = brickccl.merge_tables(table, table, [])\n"
)
WRONG_PROGRAM = (
    "import numpy as np, brickccl\n"
    "count: str = brickccl.find([1]).count\n"
    "brickccl.find(np.ones(3), conectivity=1)\n"
    "brickccl.find(np.ones(3), order='sizes')\n"
    "brickccl.label(np.ones(3), order='sizes')\n"
    "labels: np.ndarray = brickccl.label(np.ones(3), return_count=True)\n"
    "brickccl.relabel(np.ones(3, int), order='place')\n"
    "brickccl.statistics(np.ones(3, int), names='itk')\n"
    "brickccl.voxel_graph(np.ones(3), criterion='same')\n"
    "brickccl.label(np.ones(3), split=[1])\n"
)


def test_types_are_checked_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(RIGHT_PROGRAM)
    # SimpleITK and nibabel are not fully typed.
    settings = tmp_path / "mypy.ini"
    settings.write_text(
        "[mypy]\nstrict = True\nignore_missing_imports = True\ndisallow_untyped_calls = False\n"
        f"cache_dir = {tmp_path}/cache\n"
    )
    command = [sys.executable, "-m", "mypy", "--config-file", settings]
    result = subprocess.run([*command, "-p", "brickccl"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert subprocess.run([*command, program], cwd=tmp_path).returncode == 0
    program.write_text(WRONG_PROGRAM)
    result = subprocess.run([*command, program], cwd=tmp_path, capture_output=True, text=True)
    wrong = {int(number) for number in re.findall(r"program\.py:(\d+): error:", result.stdout)}
    assert wrong == set(range(2, 11)), result.stdout


def pyright(folder, *arguments):
    """Its answer as JSON. It finds packages through the first Python of the path."""
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-m", "basedpyright", "--outputjson", *map(str, arguments)]
    # Whatever encoding libraries have set: SimpleITK's writer of DICOM leaves the one of C.
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
    return json.loads(result.stdout)


def test_types_are_checked_by_pyright(tmp_path):
    pytest.importorskip("basedpyright")
    program = tmp_path / "program.py"
    program.write_text(RIGHT_PROGRAM)
    # napari makes methods of its viewer while it runs, which only mypy's `ignore_missing_imports` lets pass.
    names = [str(path) for path in FOLDER.rglob("*.py*") if path.suffix in (".py", ".pyi") and path.parent.name != "napari"]
    settings = {"include": [*names, str(program)], "typeCheckingMode": "standard"}
    settings |= {"reportMissingImports": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    found = pyright(tmp_path)
    assert found["summary"]["filesAnalyzed"] == len(names) + 1
    assert [item for item in found["generalDiagnostics"] if item["severity"] == "error"] == []
    program.write_text(WRONG_PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({**settings, "include": [str(program)]}))
    errors = pyright(tmp_path)["generalDiagnostics"]
    assert {item["range"]["start"]["line"] + 1 for item in errors} == set(range(2, 11)), errors


def test_the_usual_arguments_come_first():
    names = list(inspect.signature(brickccl.label).parameters)
    usual, other = re.split(r"\n *Other Parameters\n", brickccl.label.__doc__)
    documented = re.findall(r"^    (\w+(?:, \w+)*) : ", usual.partition("Returns\n")[0], re.MULTILINE)
    first = [name for line in documented for name in line.split(", ")]
    assert len(first) == 12 and names[:12] == first
    assert all(f"    {name}" in other or f", {name} : " in other for name in names[12:])


def test_all_public_types_are_known(tmp_path):
    pytest.importorskip("basedpyright")
    found = pyright(tmp_path, "--verifytypes", "brickccl", "--ignoreexternal")["typeCompleteness"]
    counts = found["exportedSymbolCounts"]
    assert counts["withKnownType"] > 50
    unknown = [symbol["name"] for symbol in found["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]]
    assert counts["withUnknownType"] == counts["withAmbiguousType"] == 0, unknown


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_documentation_run(name):
    if name == "brickccl.__main__":
        pytest.skip("no examples")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_documentation_is_built_without_warnings(tmp_path):
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name)
    root = pathlib.Path(__file__).parents[3]
    # The C++ pages, which Doxygen makes, are one link.
    (tmp_path / "html" / "cpp").mkdir(parents=True)
    (tmp_path / "html" / "cpp" / "index.html").touch()
    options = ["-q", "-W", "-d", tmp_path / "trees", "-c", root / "Wrapping/Python/docs"]
    command = [sys.executable, "-m", "sphinx", *options, root, tmp_path / "html"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "html" / "python" / "reference.html").read_text(encoding="utf-8")
    assert all(f'id="brickccl.{name}"' in page for name in brickccl.__all__ if name != "__version__")


def test_the_page_of_the_package_index_stands_alone():
    folder = pathlib.Path(__file__).parents[1]
    page, readme = ((folder / name).read_text(encoding="utf-8") for name in ("PYPI.md", "README.md"))
    assert len(page.split()) <= 500
    for kind in ("python", "text"):
        block = re.compile(f"```{kind}\n.*?```", re.DOTALL)
        assert block.search(page)[0] == block.search(readme)[0]


def test_links_of_the_page_of_the_package_index_are_absolute(monkeypatch):
    folder = pathlib.Path(__file__).parents[1]
    spec = importlib.util.spec_from_file_location("page_of_index", folder / "page_of_index.py")
    page_of_index = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page_of_index)
    link = re.compile(r"\]\(([^)]*)\)")
    monkeypatch.setenv("BRICKCCL_ADDRESS", "https://example.org/project/")
    urls = page_of_index.dynamic_metadata("urls", {})
    links = link.findall(page_of_index.dynamic_metadata("readme", {})["text"])
    assert len(links) >= 5
    for address in (*links, urls["Changes"]):
        root, name = address.split("/blob/HEAD/")
        assert root == urls["Source"] == "https://example.org/project"
        assert (folder.parents[1] / name).exists(), name
    monkeypatch.setenv("BRICKCCL_ADDRESS", "")
    assert page_of_index.dynamic_metadata("urls", {}) == {}
    text = page_of_index.dynamic_metadata("readme", {})["text"]
    assert not link.findall(text) and "Read more" not in text and "License: Apache-2.0" in text


def test_every_function_is_documented_with_an_example():
    for module in (brickccl, *map(importlib.import_module, ("brickccl.compat.scipy", "brickccl.compat.skimage", "brickccl.compat.cc3d"))):
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.isfunction(thing):
                continue
            assert thing.__doc__, f"{module.__name__}.{name}"
            if "Not supported" not in thing.__doc__:
                assert ">>>" in thing.__doc__, f"{module.__name__}.{name}"
            documented = thing.__doc__.replace("*", "")
            for parameter in inspect.signature(thing).parameters:
                if "Parameters\n" in thing.__doc__:
                    assert parameter in documented, f"{module.__name__}.{name}: {parameter}"

# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel, looks into it, installs it into an environment of its own and passes the tests.

    python run.py BUILD_FOLDER [STEP] [--files] [--cuda | --aarch64] [OPTIONS OF PYTEST]

STEP is `environment` (installs the packages that the others need), `wheel` (builds, checks and installs the wheel), `test` (runs
pytest on all tests or on the named files) or `all`, the default. `--files` builds the wheel with the command and its readers of
image files; it needs the libraries that the command is built from. `--cuda` and `--aarch64` build another wheel in a folder next to
BUILD_FOLDER and try it without installing it: with CUDA, as the package brickccl-cuda13 (of CUDA 13), or cross-compiled for
64-bit ARM (Testing/install-arm.sh), in an emulator.

Exits with 77 (skipped) where the packages that this needs cannot be had. The environment and the build are kept in
BUILD_FOLDER, so that a second run takes seconds. The interpreter that runs this file is the one that is tested.
"""

import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

STEPS = ("environment", "wheel", "test", "all")
PACKAGE = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77
SYSTEM_FOR_ARM = PACKAGE.parents[1] / "build" / "aarch64-packages"
#: Debian 12's compiler and ITK need this symbol of libstdc++; older ones have it by the third name. Red Hat Enterprise Linux 9 has
#: GLIBCXX_3.4.29.
WAIT, NEWER, OLDER = "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "GLIBCXX_3.4.30", "GLIBCXX_3.4.11"
#: Where wheels that Debian 12 makes run; its libraries for image files need no later glibc.
OLDEST_SYSTEM = "manylinux_2_34"
#: Megabytes of the wheel of this machine and of the others.
LARGEST_WHEELS = {"": 20, "cuda": 60, "aarch64": 20}


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def requirements():
    """What builds and tests the package, from its pyproject.toml, and what tests use where it can be had."""
    text = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    lists = dict(re.findall(r"^(requires|test|test-more) = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL))
    needed, more = lists["requires"] + "," + lists["test"], lists["test-more"]
    return re.findall(r'"([^"]+)"', needed), re.findall(r'"([^"]+)"', more)


def make_environment(folder, may_install):
    """Returns its interpreter, or None if the packages cannot be had or are not installed and may not be."""
    wanted, more = requirements()
    mark = folder / "requirements"
    state = hashlib.sha256("\n".join([sys.version, *wanted, *more]).encode()).hexdigest()
    python = folder / "bin" / "python"
    if mark.exists() and mark.read_text(encoding="utf-8") == state:
        return python
    if not may_install:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", folder)
    # Fails where the package index cannot be reached; a package that the index does not have is a mistake here.
    probe = subprocess.run(
        [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder / "probe", "nanobind-backend"],
        capture_output=True,
        text=True,
    )
    if probe.returncode != 0:
        print(probe.stderr)
        return None
    # Modules are compiled where a test imports them (PYTHONPYCACHEPREFIX below): not half of them are imported.
    install = (python, "-m", "pip", "install", "--quiet", "--no-compile")
    run(*install, *wanted)
    for package in more:
        if subprocess.run([*install, package]).returncode != 0:
            print(f"{package} cannot be installed: its tests are skipped")
    mark.write_text(state)
    return python


def build_wheel(python, folder, with_files, variant):
    wheels = folder / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    environment = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    # As deep below the sources as the builds of presets: a compiler cache that has those has most of this, too.
    build = ("--config-settings", f"build-dir={folder}")
    strict = ("--config-settings", "cmake.define.BRICKCCL_WARNINGS_AS_ERRORS=ON")
    if variant == "aarch64":
        environment |= {"CMAKE_TOOLCHAIN_FILE": str(PACKAGE / "aarch64.cmake"), "_PYTHON_HOST_PLATFORM": "linux-aarch64"}
    if variant == "cuda":
        # Code for 80 also runs on 86 and 89. Drivers compile the code for 90 for later GPUs.
        environment.setdefault("CUDAARCHS", "75-real;80-real;90")
    values = {"IO": with_files, "COMMAND": with_files, "CUDA": variant == "cuda"}
    # The build folder remembers them.
    chosen = [
        f"--config-settings=cmake.define.BRICKCCL_PYTHON_{name}={'ON' if value else 'OFF'}" for name, value in values.items()
    ]
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels)
    run(python, "-m", "pip", "wheel", *options, *build, *strict, *chosen, PACKAGE, env=environment)
    (wheel,) = wheels.glob("*.whl")
    return name_after_cuda(python, wheel, folder) if variant == "cuda" else wheel


def name_after_cuda(python, wheel, folder):
    """The wheel as a package of another name, whose extras ask for itself and not for the package without CUDA."""
    (compiler,) = folder.glob("CMakeFiles/*/CMakeCUDACompiler.cmake")
    version = re.search(r'CMAKE_CUDA_COMPILER_VERSION "(\d+)', compiler.read_text(encoding="utf-8"))[1]
    run(python, "-m", "wheel", "unpack", "--dest", wheel.parent, wheel)
    wheel.unlink()
    (unpacked,) = wheel.parent.iterdir()
    (information,) = unpacked.glob("*.dist-info")
    metadata = information / "METADATA"
    text = metadata.read_text(encoding="utf-8")
    text = re.sub(r"^(Name: |Requires-Dist: )brickccl(?=$|\[)", rf"\1brickccl-cuda{version}", text, flags=re.MULTILINE)
    metadata.write_text(text, encoding="utf-8")
    information.rename(unpacked / information.name.replace("brickccl", f"brickccl_cuda{version}"))
    run(python, "-m", "wheel", "pack", "--dest-dir", wheel.parent, unpacked)
    shutil.rmtree(unpacked)
    (wheel,) = wheel.parent.glob("*.whl")
    return wheel


def check_contents(wheel, with_files):
    """The modules, the stub, the mark of typed packages and the library; nothing else."""
    assert re.fullmatch(r"brickccl(_cuda\d+)?-[0-9.]+-cp310-abi3-linux_\w+\.whl", wheel.name), wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        size = sum(item.file_size for item in archive.infolist())
    expected = {
        str(path.relative_to(PACKAGE))
        for sources in (PACKAGE / "brickccl", PACKAGE / "brickccl_command")
        for path in sources.rglob("*")
        if path.suffix in (".py", ".pyi", ".yaml") or path.name == "py.typed"
    }
    expected.add("brickccl/_core.abi3.so")
    if with_files:
        expected |= {"brickccl/_files.abi3.so", "brickccl_command/brickccl"}
    assert {name for name in names if not name.startswith("brickccl_command/lib")} == expected, names ^ expected
    assert {"brickccl/_core.pyi", "brickccl/py.typed", "brickccl/compat/cc3d.py"} <= names
    check_exports(wheel, [name for name in names if name.endswith(".abi3.so")])
    print(f"{wheel.name}: {len(names)} files, {size / 1e6:.1f} MB")


def check_exports(wheel, modules):
    """Modules show their entry alone, so that no template of theirs stands for one of another library's."""
    if shutil.which("nm") is None:
        return
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        for name in modules:
            listed = subprocess.run(
                ["nm", "--dynamic", "--defined-only", archive.extract(name, folder)], check=True, capture_output=True, text=True
            )
            symbols = [line.split()[-1] for line in listed.stdout.splitlines()]
            entry = "PyInit_" + pathlib.Path(name).name.split(".")[0]
            assert symbols == [entry], f"{name} exports {len(symbols)} symbols, among them {symbols[:3]}"


def version_hash(name):
    """As the System V ABI has it."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value.to_bytes(4, "little")


def serve_older_systems(python, wheel, environment):
    """The wheel with OLDER in the place of NEWER, and the tag that this allows."""
    run(python, "-m", "wheel", "unpack", "--dest", wheel.parent, wheel)
    wheel.unlink()
    (unpacked,) = wheel.parent.iterdir()
    for file in unpacked.rglob("*"):
        if not file.is_file() or f"\0{NEWER}\0".encode() not in (content := file.read_bytes()):
            continue
        listed = subprocess.run(["nm", "--dynamic", file], check=True, capture_output=True, text=True).stdout
        asked = {line.split()[-1] for line in listed.splitlines() if line.endswith(NEWER)}
        assert asked == {f"{WAIT}@{NEWER}"}, f"{file} needs {asked}"
        for old, new in ((f"\0{NEWER}\0".encode(), f"\0{OLDER}\0".encode()), (version_hash(NEWER), version_hash(OLDER))):
            assert content.count(old) == 1, f"{file} has {content.count(old)} times {old}"
            content = content.replace(old, new)
        file.write_bytes(content)
    run(python, "-m", "wheel", "pack", "--dest-dir", wheel.parent, unpacked)
    shutil.rmtree(unpacked)
    shown = subprocess.run([python.parent / "auditwheel", "show", wheel], check=True, capture_output=True, text=True, env=environment)
    print(shown.stdout)
    tag = re.search(r'platform\s+tag:\s+"(\w+)"', shown.stdout)[1]
    assert tag.startswith(OLDEST_SYSTEM) or platform.libc_ver() != ("glibc", "2.36"), f"the wheel is for {tag}, not {OLDEST_SYSTEM}"
    run(python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel)


def repair(python, wheel, folder, variant):
    """The wheel with the libraries that it needs beside it; checks that it keeps to the stable interface."""
    scripts = python.parent
    # Packages have this instead of a library under the GNU General Public License (Source/Files/CMakeLists.txt).
    bundled = folder / "engine" / "bundled"
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "LD_LIBRARY_PATH": str(bundled)}
    run(scripts / "abi3audit", "--strict", wheel)
    repaired = wheel.parent / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    places = ()
    if variant == "aarch64":
        places = ("--ldpaths", f"{bundled}:{SYSTEM_FOR_ARM}/usr/lib/aarch64-linux-gnu")
    run(scripts / "auditwheel", "repair", *places, "--wheel-dir", repaired, wheel, env=environment)
    serve_older_systems(python, next(repaired.iterdir()), environment)
    (result,) = repaired.glob("*.whl")
    with zipfile.ZipFile(result) as archive:
        names = archive.namelist()
    assert any(name.endswith("licenses/LICENSE") for name in names), "the wheel has no license"
    if variant == "cuda":
        assert any(name.endswith("licenses/nvidia-cuda-runtime") for name in names), "the wheel has no license of NVIDIA's"
    libraries = {pathlib.Path(name).name.split("-")[0] for name in names if ".libs/lib" in name}
    assert not libraries & {"libcurl", "libgnutls"}, "HDF5 brings the libraries that it reads the web with"
    size = result.stat().st_size / 1e6
    assert size <= LARGEST_WHEELS[variant], f"the wheel has {size:.1f} MB, more than {LARGEST_WHEELS[variant]}"
    print(f"{result.name}: {size:.2f} MB, libraries {' '.join(sorted(libraries))}")
    return result


def try_in_empty_environment(python, wheel, folder):
    """The README's first script, with numpy alone, and the command, where the path has a space and is too long for a script's first
    line."""
    environment = folder / f"an environment {'x' * 130}"
    shutil.rmtree(environment, ignore_errors=True)
    run(python, "-m", "venv", "--without-pip", environment)
    run(python, "-m", "pip", "--python", environment / "bin" / "python", "install", "--quiet", "--no-deps", wheel)
    # What the wheel depends on, without asking the package index.
    (packages,) = environment.glob("lib/python*/site-packages")
    (installed,) = python.parent.parent.glob("lib/python*/site-packages")
    for name in ("numpy", "numpy.libs", "nanobind_backend"):
        (packages / name).symlink_to(installed / name)
    run(environment / "bin" / "python", "-B", PACKAGE / "tests" / "try_wheel.py")
    log = PACKAGE.parents[1] / "Data" / "log.nrrd"
    labels = []
    for number, command in enumerate((environment / "bin" / "brickccl", os.environ.get("BRICKCCL"))):
        if command:
            labels.append(folder / f"cracks-{number}.nrrd")
            run(command, "label", log, labels[-1], "--range", "-inf", "-750", "--connectivity", "full")
    assert len({path.read_bytes() for path in labels}) == 1, "the wheel's command writes other bytes than the build's"
    shutil.rmtree(environment)


def try_variant(python, wheel, folder, variant):
    """The script of the README, tests of labels and the command, from the wheel with CUDA or in an emulator of ARM."""
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    packages, prefix = [wheel], []
    interpreter, target = python, ()
    if variant == "aarch64":
        packages += ["numpy", "nanobind-backend", "pytest"]
        prefix = ["qemu-aarch64", "-L", SYSTEM_FOR_ARM]
        interpreter = SYSTEM_FOR_ARM / "usr" / "bin" / "python3.11"
        systems = [f"--platform=manylinux_2_{version}_aarch64" for version in range(17, 37)]
        target = ("--python-version=3.11", "--only-binary=:all:", *systems)
    else:
        target = ("--no-deps",)
    run(python, "-m", "pip", "install", "--quiet", *target, "--target", site, *packages)
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    tests = PACKAGE / "tests"
    shown = "import brickccl; i = brickccl.info(); print(i); assert ('CUDA ON' in i['build']) == %s" % (variant == "cuda")
    run(*prefix, interpreter, "-c", shown, cwd=site, env=environment)
    run(*prefix, interpreter, tests / "try_wheel.py", cwd=site, env=environment)
    # Those that need no other package.
    options = ("-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tests)
    run(*prefix, interpreter, *options, tests / "test_label.py", tests / "test_io.py", cwd=site, env=environment)
    log, labels = PACKAGE.parents[1] / "Data" / "log.nrrd", []
    for number, command in enumerate(([*prefix, site / "brickccl_command" / "brickccl"], [os.environ.get("BRICKCCL")])):
        if command[-1]:
            labels.append(folder / f"cracks-{number}.nrrd")
            # Processors compress differently.
            run(*command, "label", log, labels[-1], "--range", "-inf", "-750", "--connectivity", "full", "--no-compression")
    assert len({path.read_bytes() for path in labels}) == 1, "the wheel's command writes other bytes than the build's"


def build_source_distribution(python, folder):
    """It holds the engine. Testing/Install builds it where nothing else is."""
    target = folder / "sdist"
    shutil.rmtree(target, ignore_errors=True)
    run(python, "-m", "build", "--sdist", "--no-isolation", "--outdir", target, PACKAGE)
    (archive,) = target.glob("*.tar.gz")
    with tarfile.open(archive) as stream:
        names = {name.partition("/")[2] for name in stream.getnames()}
    needed = ("LICENSE", "CMakeLists.txt", "engine/CMakeLists.txt", "engine/Source/Engine/Core/Version.h", "brickccl/__init__.py")
    assert names.issuperset(needed), set(needed) - names
    return archive


def install_wheel(python, folder, with_files, variant):
    wheel = build_wheel(python, folder, with_files, variant)
    check_contents(wheel, with_files)
    repaired = repair(python, wheel, folder, variant)
    if variant:
        run(python, "-m", "twine", "check", "--strict", repaired)
        try_variant(python, repaired, folder, variant)
        return
    run(python, "-m", "twine", "check", "--strict", repaired, build_source_distribution(python, folder))
    if with_files:
        try_in_empty_environment(python, repaired, folder)
    run(python, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", repaired)


def test(python, folder, options):
    tests = PACKAGE / "tests"
    chosen = [] if any(option.endswith(".py") for option in options) else [tests]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "pycache"), "QT_API": "pyqt6"}
    display = []
    if chosen or any("napari" in option for option in options):
        if shutil.which("xvfb-run"):
            display = ["xvfb-run", "-a", "-s", "-screen 0 1440x1000x24 +extension GLX"]
    else:
        # Only the tests in a window need plugins of pytest, which take 4 seconds to load.
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [*display, python, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", tests, *chosen, *options]
    return subprocess.run(command, cwd=folder, env=environment).returncode


def main(folder, options):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    step = options.pop(0) if options and options[0] in STEPS else "all"
    if sys.version_info < (3, 10):
        print(f"skipped: the package needs Python 3.10 or later, this is {sys.version.split()[0]}")
        return SKIPPED
    python = make_environment(folder / "environment", may_install=step in ("environment", "all"))
    if python is None:
        print("skipped: pip cannot reach the packages that the build needs")
        return SKIPPED
    with_files = "--files" in options
    variant = "cuda" if "--cuda" in options else "aarch64" if "--aarch64" in options else ""
    if step in ("wheel", "all"):
        install_wheel(python, folder.with_name(f"{folder.name}-{variant}") if variant else folder, with_files, variant)
    words = [option for option in options if option not in ("--files", "--cuda", "--aarch64")]
    return test(python, folder, words) if step in ("test", "all") else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

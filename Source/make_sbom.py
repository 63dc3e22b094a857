# SPDX-License-Identifier: Apache-2.0
"""Prints a list of the libraries that the files of a release contain, as CycloneDX 1.5 has it:

    make_sbom.py VERSION MOMENT BUILD FILE[=LICENSES] ...

FILE is a wheel, the zip for Windows, or another file with LICENSES, the folder of license texts that copy-notices.sh filled: each
text has the name of a package of this system. For ARM and Windows, the folders aarch64-packages and mingw-packages in BUILD give
the versions. nanobind has the version that is installed for the Python that runs this."""

import datetime
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid
import zipfile


def texts_of(file, licenses):
    """The license texts of a file by the names of the packages."""
    if licenses:
        return {path.name: path.read_bytes() for path in sorted(pathlib.Path(licenses).iterdir())}
    with zipfile.ZipFile(file) as wheel:
        names = [name for name in sorted(wheel.namelist()) if re.search(r"^[^/]+/licenses/(?!LICENSE$)[^/]+$", name)]
        return {name.rpartition("/")[2]: wheel.read(name) for name in names}


def built_for_windows(name, build):
    """The version of a source package of Debian that Testing/install-mingw.sh built; None if it did not."""
    built = pathlib.Path(build, "mingw-packages/complete").read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(name)}_(.+)\.dsc$", built, re.MULTILINE)
    return found and found[1]


def version_and_address(name, file, build):
    if name == "nanobind":
        version = importlib.metadata.version(name)
        return version, f"pkg:pypi/{name}@{version}"
    if name == "nvidia-cuda-runtime":
        version = re.search(r"_cuda(\d+)-", file)[1]
        return version, f"pkg:generic/{name}@{version}"
    if file.endswith("aarch64.whl"):
        (archive,) = pathlib.Path(build, "aarch64-packages/var/cache/apt/archives").glob(f"{name}_*.deb")
        version, architecture = urllib.parse.unquote(archive.stem).split("_")[1:]
    elif file.endswith(".zip") and (source := built_for_windows(name, build)):
        version, architecture = source, "source"
    else:
        shown = subprocess.run(["dpkg-query", "-W", "-f=${Version} ${Architecture}\n", name], capture_output=True, text=True, check=True)
        version, architecture = shown.stdout.split("\n")[0].split()
    system = re.search(r"^ID=(\w+)", pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)[1]
    return version, f"pkg:deb/{system}/{name}@{version}?arch={architecture}"


def component(name, text, file, build):
    version, address = version_and_address(name, file, build)
    # Machine-readable copyright files name a license in each paragraph.
    names = re.findall(r"^License:[ \t]*(\S.*)$", text.decode("utf-8", errors="replace"), re.MULTILINE)
    return {
        "type": "library", "bom-ref": address, "name": name, "version": version, "purl": address,
        "licenses": [{"license": {"name": each.strip()}} for each in sorted(set(names))] or
                    [{"license": {"name": f"see licenses/{name}"}}],
    }


def main(version, moment, build, files):
    libraries, dependencies = {}, []
    for argument in files:
        path, _, licenses = argument.partition("=")
        file = pathlib.Path(path).name
        found = [component(name, text, file, build) for name, text in texts_of(path, licenses).items()]
        libraries |= {each["bom-ref"]: each for each in found}
        dependencies.append({"ref": file, "dependsOn": [each["bom-ref"] for each in found]})
    parts = [{"type": "file", "bom-ref": each["ref"], "name": each["ref"], "version": version} for each in dependencies]
    dependencies.insert(0, {"ref": "brickccl", "dependsOn": [each["bom-ref"] for each in parts]})
    components = parts + [libraries[address] for address in sorted(libraries)]
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components) + version)),
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(int(moment), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "brickccl", "name": "brickccl", "version": version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": components,
        "dependencies": dependencies,
    }, indent=2))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:4], sys.argv[4:])

# SPDX-License-Identifier: Apache-2.0
"""Prints a list of the libraries that a release contains, as CycloneDX 1.5 has it: make_sbom.py LICENSES VERSION MOMENT

LICENSES is the folder of license texts that copy-notices.sh filled: each file has the name of a package of this system."""

import datetime
import json
import pathlib
import re
import subprocess
import sys
import uuid


def component(text, system):
    shown = subprocess.run(["dpkg-query", "-W", "-f=${Version} ${Architecture}\n", text.name], capture_output=True, text=True, check=True)
    version, architecture = shown.stdout.split("\n")[0].split()
    address = f"pkg:deb/{system}/{text.name}@{version}?arch={architecture}"
    # Machine-readable copyright files name a license in each paragraph.
    names = re.findall(r"^License:[ \t]*(\S.*)$", text.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    return {
        "type": "library", "bom-ref": address, "name": text.name, "version": version, "purl": address,
        "licenses": [{"license": {"name": name.strip()}} for name in sorted(set(names))] or
                    [{"license": {"name": f"see licenses/{text.name}"}}],
    }


def main(folder, version, moment):
    system = re.search(r"^ID=(\w+)", pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)[1]
    components = [component(text, system) for text in sorted(pathlib.Path(folder).iterdir())]
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components) + version)),
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(int(moment), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "brickccl", "name": "brickccl", "version": version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": components,
        "dependencies": [{"ref": "brickccl", "dependsOn": [each["bom-ref"] for each in components]}],
    }, indent=2))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

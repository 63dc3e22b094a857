# SPDX-License-Identifier: Apache-2.0
"""``python -m brickccl``: info, label and stats of image files through `brickccl.io`, and big for `brickccl.big`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import brickccl

from ._arguments import background_of, number_of


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m brickccl",
        description="Connected components of image files. The brickccl command does more, and reads files itself.",
    )
    parser.add_argument("--version", action="version", version=f"brickccl {brickccl.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="show version, build options, devices and algorithms")
    info.add_argument("--json", action="store_true", help="print one JSON object")

    label = commands.add_parser("label", help="label the components of an image")
    label.add_argument("input", metavar="IMAGE")
    label.add_argument("output", metavar="LABELS")
    label.add_argument("--connectivity", type=int, metavar="N", help="4, 8, 6, 18, 26, or a rank; by faces if not given")
    label.add_argument("--range", nargs=2, type=number_of, metavar=("LOW", "HIGH"), help="foreground is LOW..HIGH")
    label.add_argument("--equal-value", action="store_true", help="join neighbors of equal value")
    label.add_argument("--tolerance", type=number_of, metavar="D", help="join neighbors that differ by at most D")
    label.add_argument("--background", default="0", metavar="V", help="background value, or none (default: 0)")
    label.add_argument("--mask", metavar="FILE", help="voxels where it is 0 are ignored")
    label.add_argument("--minimum-size", type=int, default=0, metavar="VOXELS")
    label.add_argument("--minimum-volume", type=number_of, metavar="MM3")
    label.add_argument("--largest", type=int, metavar="K", help="keep only the K largest")
    label.add_argument("--order", choices=("raster", "size"), default="raster")
    label.add_argument("--statistics", metavar="CSV", help="write the component table")
    label.add_argument("--intensity", metavar="FILE", help="image for the table's intensity columns")

    stats = commands.add_parser("stats", help="measure the components of a label map")
    stats.add_argument("input", metavar="LABELS")
    stats.add_argument("-o", "--output", required=True, metavar="CSV", help="component table")
    stats.add_argument("--intensity", metavar="FILE")

    for command in (label, stats):
        command.add_argument("--columns", metavar="GROUPS", help="groups of columns: shape,feret ...")
        command.add_argument("--spacing", type=number_of, nargs="+", metavar="MM", help="size of a voxel, x first")
        command.add_argument("--threads", type=int, metavar="N")
        command.add_argument("--series", metavar="UID", help="DICOM series, if there are several: UID or number in the list")
        command.add_argument("--accept-irregular-slices", action="store_true", help="accept series and slice images with gaps")
        command.add_argument("--accept-sheared", action="store_true", help="accept axes that are not at right angles")

    from brickccl.big._command import add_parser

    add_parser(commands)
    return parser


def _spacing(arguments: argparse.Namespace) -> Sequence[float] | None:
    return None if arguments.spacing is None else arguments.spacing[::-1]


def _read(arguments: argparse.Namespace, name: str, as_labels: bool = False) -> Any:
    from brickccl import io

    return io.read(
        name,
        accept_irregular_slices=arguments.accept_irregular_slices,
        accept_sheared=arguments.accept_sheared,
        series=arguments.series if os.path.isdir(name) else None,
        as_labels=as_labels,
        threads=arguments.threads,
    )


def _info(arguments: argparse.Namespace) -> None:
    info = brickccl.info()
    if arguments.json:
        print(json.dumps(info, indent=2))
        return
    print(f"BrickCCL {info['version']}\nbuild: {info['build']}\ndevices:")
    for device in info["devices"]:
        print(f"  {device}")
    print("algorithms:")
    for algorithm in info["algorithms"]:
        print(f"  {algorithm['name']} ({', '.join(algorithm['runs_on'])}): {algorithm['summary']}")


def _check_outputs(inputs: Sequence[str | None], outputs: Sequence[str | None]) -> None:
    taken = {os.path.realpath(name): name for name in inputs if name}
    for output in outputs:
        if output is None:
            continue
        if os.path.realpath(output) in taken:
            raise ValueError(f"the output '{output}' is also '{taken[os.path.realpath(output)]}'; choose another name")
        taken[os.path.realpath(output)] = output
        if not os.path.isdir(os.path.dirname(output) or "."):
            raise ValueError(f"there is no folder for the output '{output}'")


def _label(arguments: argparse.Namespace) -> None:
    from brickccl import io

    for option, value in (("--intensity", arguments.intensity), ("--columns", arguments.columns)):
        if value and not arguments.statistics:
            raise ValueError(f"{option} needs --statistics")
    _check_outputs(
        [arguments.input, arguments.mask, arguments.intensity], [arguments.output, arguments.statistics]
    )
    image = _read(arguments, arguments.input)
    intensity = _read(arguments, arguments.intensity) if arguments.intensity else None
    labeling = brickccl.find(
        image,
        connectivity=arguments.connectivity,
        criterion="equal" if arguments.equal_value else "foreground",
        range=tuple(arguments.range) if arguments.range else None,
        background=background_of(arguments.background),
        tolerance=arguments.tolerance,
        mask=_read(arguments, arguments.mask) if arguments.mask else None,
        minimum_size=arguments.minimum_size,
        minimum_volume=arguments.minimum_volume,
        largest=arguments.largest,
        order=arguments.order,
        spacing=_spacing(arguments),
        threads=arguments.threads,
    )
    table = labeling.table(arguments.columns, intensity=intensity) if arguments.statistics else None
    io.write(arguments.output, labeling.labels("smallest"), spacing=_spacing(arguments))
    if table is not None:
        table.to_csv(arguments.statistics)
    print(f"{labeling.count} components: {arguments.output}")


def _stats(arguments: argparse.Namespace) -> None:
    _check_outputs([arguments.input, arguments.intensity], [arguments.output])
    table = brickccl.statistics(
        _read(arguments, arguments.input, as_labels=True),
        intensity=_read(arguments, arguments.intensity) if arguments.intensity else None,
        columns=arguments.columns,
        spacing=_spacing(arguments),
        threads=arguments.threads,
    )
    table.to_csv(arguments.output)
    print(f"{table.row_count} labels measured: {arguments.output}")


def _big(arguments: argparse.Namespace) -> None:
    from brickccl.big._command import run

    run(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status: 0 if everything was written."""
    chosen = _parser().parse_args(arguments)
    try:
        {"info": _info, "label": _label, "stats": _stats, "big": _big}[chosen.command](chosen)
    except (ValueError, TypeError, OverflowError, NotImplementedError, OSError, ImportError, MemoryError) as error:
        # Errors name the arguments of functions; here they are options.
        text = str(error).replace("accept_irregular_slices=True", "--accept-irregular-slices")
        text = text.replace(" of brickccl.io.read", "").replace("accept_sheared=True", "--accept-sheared")
        text = text.replace("series=", "--series ")
        print(f"error: {text}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

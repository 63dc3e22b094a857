#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pores of a casting in space.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting scan.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1
brickccl label scan.nrrd pores.nrrd --pores --connectivity full --minimum-volume 0.02 --quiet
brickccl label scan.nrrd part.nrrd --threshold otsu --largest 1 --fill-holes --quiet

brickccl render pores.nrrd --style surface --part part.nrrd --color-by volume_mm3 --size 900x680 -o surface-pores.png
brickccl render pores.nrrd --style montage --intensity scan.nrrd -o montage.png
brickccl render pores.nrrd --style slices --intensity scan.nrrd --where "volume_mm3 > 1" -o large-pores.png

brickccl mesh scan.nrrd scan.stl --iso iso50 --quiet
brickccl mesh pores.nrrd pores.vtp --iso otsu --intensity scan.nrrd --columns surface --quiet
brickccl mesh pores.nrrd pores.glb --color-by volume_mm3 --triangles 10000 --quiet

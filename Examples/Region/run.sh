#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the porosity of a core and of the ring around it, also as a zone, and cuts out a pore.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1 --seed 2

brickccl label part.nrrd core.nrrd --pores --cylinder z:8mm,8mm,3mm --minimum-size 8 --picture region.png

brickccl label part.nrrd ring.nrrd --pores --cylinder z:8mm,8mm,6mm --cylinder not:z:8mm,8mm,3mm --minimum-size 8

brickccl label part.nrrd zones.nrrd --background none --cylinder z:8mm,8mm,3mm --quiet
brickccl label part.nrrd all.nrrd --pores --minimum-size 8 --zones zones.nrrd

brickccl crop part.nrrd pore.nii.gz --labels core.nrrd --component 8 --margin 0.5mm

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scores a recipe by a scan whose defects are known.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf prints report

mkdir prints
brickccl phantom print prints/p.nrrd --truth truth.nrrd --spacing 0.02 0.02 0.02 --diameters 2 3 4 5 --noise 400 --blur 1.1

brickccl batch print-porosity prints -o report

brickccl score report/items/p/labels.nrrd truth.nrrd

brickccl render report/items/p/labels.nrrd found.png --intensity prints/p.nrrd

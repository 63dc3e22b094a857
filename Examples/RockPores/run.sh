#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the pore space of a rock, and what of it leads through.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom balls rock.nrrd --size 160 160 160 --density 0.8 --spacing 0.005 0.005 0.005

brickccl label rock.nrrd pores.nrrd --range 0 0 --order size --statistics pores.csv --columns place \
  --picture rock-pores.png

brickccl select pores.nrrd through.nrrd --where "touches_z_min == 1 and touches_z_max == 1" --keep \
  --print --columns voxel_count,volume_mm3

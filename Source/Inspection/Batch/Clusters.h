// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_CLUSTERS_H
#define BRICKCCL_BATCH_CLUSTERS_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <vector>

namespace brickccl::batch
{

/** Components that count as one, as their places in the table, in ascending order. */
using Cluster = std::vector<std::size_t>;

/** Joins two components if the gap between their surfaces, voxels taken as boxes, is less than the reach of one of
 *  them. One that is joined to no other one is a cluster of its own.
 *  \param runs    labels are places in the table from 1 on
 *  \param reach   for each component, in mm; below 0 for those that do not count and are in no cluster
 *  \return the clusters in the order of their first members. \throws Canceled. */
std::vector<Cluster> FindClusters(const ComponentTable &      table,
                                  const RunVolume &           runs,
                                  const std::vector<double> & reach,
                                  const HostContext &         context);

/** For each cluster, the largest distance between the centers of two of its voxels, in mm, as the column
 *  feret_diameter_mm has it for a component. */
std::vector<double>
SizesOfClusters(const ComponentTable & table, const RunVolume & runs, const std::vector<Cluster> & clusters);

} // namespace brickccl::batch

#endif

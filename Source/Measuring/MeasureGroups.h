#ifndef BRICKCCL_MEASURING_MEASUREGROUPS_H
#define BRICKCCL_MEASURING_MEASUREGROUPS_H

#include "BrickCCL/Tables/ComponentTable.h"

/** The steps of MeasureComponents: each fills its group of a table whose components have been counted. Runs' labels are
 *  places in the table, from 1 on, or 0. */
namespace brickccl
{

/** Moments and axes of a component from its exact sums; the table has its row. */
void FinishMoments(ComponentTable & table, std::size_t component);

/** The intensities' sums, without which there are no distributions. */
void MeasureIntensities(const RunVolume &   volume,
                        const ImageView &   intensity,
                        const HostContext & context,
                        ComponentTable &    table);
void MeasureDistributions(const RunVolume &   volume,
                          const ImageView &   intensity,
                          const HostContext & context,
                          ComponentTable &    table);
void MeasureExtents(const RunVolume & volume, const HostContext & context, ComponentTable & table);
/** From the candidates in `hull`. */
void FinishExtent(ComponentTable & table, std::size_t component);
/** \param touchingAreJoined  whether runs that touch have the same label (TouchingRunsAreJoined), which is faster. */
void
MeasureSurfaces(const RunVolume & volume, bool touchingAreJoined, const HostContext & context, ComponentTable & table);
void
MeasureTopology(const RunVolume & volume, bool touchingAreJoined, const HostContext & context, ComponentTable & table);
void MeasureThickness(const RunVolume & volume, const HostContext & context, ComponentTable & table);
void MeasureNeighbours(const RunVolume & volume, const HostContext & context, ComponentTable & table);
void MeasurePartDistances(const RunVolume &   volume,
                          const ImageView &   part,
                          const HostContext & context,
                          ComponentTable &    table);

} // namespace brickccl

#endif

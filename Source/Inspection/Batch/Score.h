// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl::batch
{

struct ScoreOptions
{
  /** True defects of fewer voxels need not be found, but what is found there is right. */
  std::uint64_t minimumSize = 0;
  /** A pair of defects matches if it shares at least so large a part of the smaller one's voxels, and one voxel. */
  double leastOverlap = 0;
  /** If given, pairs match one to one instead, from the largest intersection over union (IoU) down to this one. */
  std::optional<double> leastIou;
  /** Whether the components of the labels are the defects, as in the truth. */
  bool areComponents = false;
};

struct ScoreMatch
{
  /** The number of the true defect, in the raster order of first voxels. */
  std::uint64_t truth = 0;
  std::uint64_t truthVoxels = 0;
  /** The diameter of a ball (in 2-D a disc) of the same volume, in mm. */
  double truthDiameter = 0;
  /** The label that shares most voxels with it, of equal ones the smallest; none if nothing matches. */
  std::optional<std::uint64_t> label;
  std::uint64_t                labelVoxels = 0;
  std::uint64_t                commonVoxels = 0;

  /** Intersection over union; 0 if nothing matches. */
  double Iou() const;
};

struct Score
{
  /** True defects that count, and how many of them are found. */
  std::uint64_t trueDefects = 0;
  std::uint64_t foundDefects = 0;
  /** Labels, and how many of them match a true defect of any size. */
  std::uint64_t labels = 0;
  std::uint64_t rightLabels = 0;
  /** Voxels of true defects of any size, of labels, and of both. */
  std::uint64_t trueVoxels = 0;
  std::uint64_t labelVoxels = 0;
  std::uint64_t commonVoxels = 0;
  /** One for each true defect that counts. */
  std::vector<ScoreMatch> matches;

  /** Not a number where there is nothing to find, nothing found or neither. */
  double Recall() const;
  double Precision() const;
  double Dice() const;
  /** Twice the found defects over these, missed defects and wrong labels. */
  double F1() const;
  /** The mean over found defects. */
  double MeanIou() const;
  /** Voxels of the labels divided by voxels of the truth, minus 1. */
  double VolumeError() const;
};

/** Compares label maps defect by defect.
 *  \param labels  every value but 0 is one defect, or each of its components
 *  \param truth   a defect is a component of equal values, connected by faces, edges and corners; 0 is background
 *  \throws InvalidArgument if the extents differ; Canceled. */
Score ScoreLabels(const LoadedImage &  labels,
                  const LoadedImage &  truth,
                  const ScoreOptions & options,
                  const HostContext &  context);

} // namespace brickccl::batch

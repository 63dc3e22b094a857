// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_DISPATCH_IMAGEONDEVICE_H
#define BRICKCCL_DISPATCH_IMAGEONDEVICE_H

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace brickccl
{

/** An image that stays in memory of a CUDA device and is labeled there again and again. Only runs and slices come to
 * the host. Results equal the CPU's. One thread uses it at a time. Every function \throws cuda::DeviceError. */
class ImageOnDevice
{
public:
  virtual ~ImageOnDevice() = default;

  /** Copies an image to a device. \return null for the CPU, and in builds without CUDA. \throws Canceled */
  static std::unique_ptr<ImageOnDevice>
  Keep(const ImageView & image, const Device & device, const HostContext & context);

  enum class Of
  {
    Image,
    /** The part that MarkPart found; the criterion does not count. */
    Part,
    Pores
  };
  /** Labels by a plain connectivity, without a mask. \throws as brickccl::Label */
  virtual void Label(Of what, const LabelOptions & options, Labeling & result) = 0;

  /** Labels all voxels outside of the largest piece of material, by faces. \return the sizes of these components by
   *  label, with 0 for label 0; an empty list without material */
  virtual std::vector<std::uint64_t> LabelAir(const Criterion & material) = 0;
  /** The labels of LabelAir in a slice, the lower axis fastest; 0 in the piece. */
  virtual std::vector<std::uint32_t> SliceOfAir(int axis, std::int64_t index) = 0;
  /** By these labels, how many lines along an axis are within the component from end to end. */
  virtual std::vector<std::uint64_t> LinesOfAir(int axis) = 0;
  /** Marks the part: the piece and the air that is not outside, by label. Its voxels without material are pores. */
  virtual void MarkPart(const std::vector<std::uint8_t> & isOutside) = 0;
};

} // namespace brickccl

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_ARRAYS_H
#define BRICKCCL_PYTHON_ARRAYS_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace nb = nanobind;

/** An array that is only read, of any type; one that is not laid out in C order is refused, never copied. */
using InputArray = nb::ndarray<nb::ro, nb::device::cpu>;
using OutputArray = nb::ndarray<nb::device::cpu>;

/** The voxels of an array whose last axis is x. \throws InvalidArgument if it is not laid out in C order, Unsupported
 *  for other types than integers, bool, float32 and float64. */
ImageView                ViewOf(const InputArray & array);
std::optional<ImageView> ViewOf(const std::optional<InputArray> & array);

/** The type of an array to be written. \throws InvalidArgument unless it has this extent, in C order. */
ScalarType CheckOutput(const OutputArray & array, const Extent & extent);

/** A Python or numpy number as the engine takes it, exactly. \throws nb::type_error that begins with the name. */
Number NumberOf(nb::handle value, const char * name);

/** The type of a property `shape` in stubs. */
inline const auto ShapeSignature = nb::for_getter(nb::sig("def shape(self, /) -> tuple[int, ...]"));

/** The sizes of the axes in the order of an array's, x last. */
nb::tuple ShapeOf(const Extent & extent);

/** Values that an array takes over without a copy. */
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>>
ArrayOf(std::vector<T> && values)
{
  auto *            owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void * pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
  return { owned->data(), { owned->size() }, owner };
}

} // namespace brickccl::python

#endif

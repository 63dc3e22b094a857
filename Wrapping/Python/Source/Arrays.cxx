// SPDX-License-Identifier: Apache-2.0
#include "Arrays.h"

#include <algorithm>
#include <string>

namespace brickccl::python
{

namespace
{

template <typename TArray>
Extent
ExtentOf(const TArray & array)
{
  const std::size_t dimension = array.ndim();
  if (dimension < 1 || dimension > MaximumDimension)
  {
    throw InvalidArgument("the array has " + std::to_string(dimension) + " dimensions; it must have 1 to " +
                          std::to_string(MaximumDimension));
  }
  std::int64_t sizes[MaximumDimension] = { 1, 1, 1, 1 };
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    const std::size_t place = dimension - 1 - axis;
    sizes[axis] = static_cast<std::int64_t>(array.shape(place));
    if (sizes[axis] > 1 && array.stride(place) != stride)
    {
      throw InvalidArgument("the array is not in C order; use numpy.ascontiguousarray");
    }
    stride *= sizes[axis];
  }
  return Extent(static_cast<int>(dimension), sizes);
}

ScalarType
TypeOf(const nb::dlpack::dtype & type)
{
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  const bool isSigned = code == nb::dlpack::dtype_code::Int;
  if (type.lanes == 1 && code == nb::dlpack::dtype_code::Float && type.bits >= 32)
  {
    return type.bits == 32 ? ScalarType::Float32 : ScalarType::Float64;
  }
  if (type.lanes == 1 && (isSigned || code == nb::dlpack::dtype_code::UInt || code == nb::dlpack::dtype_code::Bool))
  {
    switch (type.bits)
    {
    case 8:
      return isSigned ? ScalarType::Int8 : ScalarType::UInt8;
    case 16:
      return isSigned ? ScalarType::Int16 : ScalarType::UInt16;
    case 32:
      return isSigned ? ScalarType::Int32 : ScalarType::UInt32;
    case 64:
      return isSigned ? ScalarType::Int64 : ScalarType::UInt64;
    default:
      break;
    }
  }
  throw Unsupported("unsupported array type; it must be bool, integer, float32 or float64");
}

} // namespace

ImageView
ViewOf(const InputArray & array)
{
  return { array.data(), TypeOf(array.dtype()), ExtentOf(array), 1 };
}

std::optional<ImageView>
ViewOf(const std::optional<InputArray> & array)
{
  return array ? std::optional<ImageView>(ViewOf(*array)) : std::nullopt;
}

ScalarType
CheckOutput(const OutputArray & array, const Extent & extent)
{
  const Extent own = ExtentOf(array);
  if (own != extent)
  {
    throw InvalidArgument("the array for the result has the extent " + own.ToString() + "; it must have the image's, " +
                          extent.ToString());
  }
  return TypeOf(array.dtype());
}

Number
NumberOf(nb::handle value, const char * name)
{
  if (PyIndex_Check(value.ptr()) != 0)
  {
    const auto      number = nb::steal(PyNumber_Index(value.ptr()));
    int             overflow = 0;
    const long long narrow = number.is_valid() ? PyLong_AsLongLongAndOverflow(number.ptr(), &overflow) : 0;
    if (!number.is_valid())
    {
      throw nb::python_error();
    }
    if (overflow == 0)
    {
      return static_cast<Number>(narrow);
    }
    if (overflow > 0)
    {
      const unsigned long long wide = PyLong_AsUnsignedLongLong(number.ptr());
      if (PyErr_Occurred() == nullptr)
      {
        return static_cast<Number>(wide);
      }
      PyErr_Clear();
    }
    // Beyond every integer type: as good as the nearest double.
    const double nearest = PyLong_AsDouble(number.ptr());
    if (PyErr_Occurred() != nullptr)
    {
      throw nb::python_error();
    }
    return static_cast<Number>(nearest);
  }
  if (PyNumber_Check(value.ptr()) == 0)
  {
    throw nb::type_error((std::string(name) + " must be a number").c_str());
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr)
  {
    throw nb::python_error();
  }
  return static_cast<Number>(number);
}

nb::tuple
ShapeOf(const Extent & extent)
{
  nb::list shape;
  for (int axis = extent.dimension - 1; axis >= 0; --axis)
  {
    shape.append(extent.size[axis]);
  }
  return nb::tuple(shape);
}

} // namespace brickccl::python

#ifndef BRICKCCL_CORE_SCALARTYPE_H
#define BRICKCCL_CORE_SCALARTYPE_H

#include "BrickCCL/Core/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace brickccl
{

/** Types of one channel of a voxel. */
enum class ScalarType
{
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  Float64
};

/** Types of a label map. `Auto` asks for the smallest one that holds the number of components. */
enum class LabelType
{
  Auto,
  UInt8,
  UInt16,
  UInt32,
  UInt64
};

template <typename T>
struct TypeTag
{
  using Type = T;
};

/** Calls `function(TypeTag<T>{})` with the C++ type T that `type` names. */
template <typename TFunction>
decltype(auto)
VisitScalarType(ScalarType type, TFunction && function)
{
  switch (type)
  {
  case ScalarType::Int8:
    return function(TypeTag<std::int8_t>{});
  case ScalarType::UInt8:
    return function(TypeTag<std::uint8_t>{});
  case ScalarType::Int16:
    return function(TypeTag<std::int16_t>{});
  case ScalarType::UInt16:
    return function(TypeTag<std::uint16_t>{});
  case ScalarType::Int32:
    return function(TypeTag<std::int32_t>{});
  case ScalarType::UInt32:
    return function(TypeTag<std::uint32_t>{});
  case ScalarType::Int64:
    return function(TypeTag<std::int64_t>{});
  case ScalarType::UInt64:
    return function(TypeTag<std::uint64_t>{});
  case ScalarType::Float32:
    return function(TypeTag<float>{});
  case ScalarType::Float64:
    return function(TypeTag<double>{});
  }
  throw InvalidArgument("unknown scalar type " + std::to_string(static_cast<int>(type)));
}

/** As VisitScalarType; \throws InvalidArgument for LabelType::Auto, which names no type. */
template <typename TFunction>
decltype(auto)
VisitLabelType(LabelType type, TFunction && function)
{
  switch (type)
  {
  case LabelType::UInt8:
    return function(TypeTag<std::uint8_t>{});
  case LabelType::UInt16:
    return function(TypeTag<std::uint16_t>{});
  case LabelType::UInt32:
    return function(TypeTag<std::uint32_t>{});
  case LabelType::UInt64:
    return function(TypeTag<std::uint64_t>{});
  case LabelType::Auto:
    break;
  }
  throw InvalidArgument("a label type must be chosen here: uint8, uint16, uint32 or uint64");
}

/** The scalar type with the size, signedness and kind of the arithmetic type T (so `long` is Int64 on Linux). */
template <typename T>
constexpr ScalarType
ScalarTypeOf()
{
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "a voxel channel is an integer or floating type");
  if constexpr (std::is_floating_point_v<T>)
  {
    return sizeof(T) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  }
  else
  {
    constexpr bool isSigned = std::is_signed_v<T>;
    switch (sizeof(T))
    {
    case 1:
      return isSigned ? ScalarType::Int8 : ScalarType::UInt8;
    case 2:
      return isSigned ? ScalarType::Int16 : ScalarType::UInt16;
    case 4:
      return isSigned ? ScalarType::Int32 : ScalarType::UInt32;
    default:
      return isSigned ? ScalarType::Int64 : ScalarType::UInt64;
    }
  }
}

std::size_t SizeOf(ScalarType type);

/** The scalar type of a label map; \throws InvalidArgument for LabelType::Auto. */
ScalarType ScalarTypeOfLabel(LabelType type);

/** "int16", "float32" ... */
const char * NameOf(ScalarType type);

/** "auto", "uint8" ... */
const char * NameOf(LabelType type);

/** The largest label that a type holds. Auto counts as uint64. */
std::uint64_t MaximumLabel(LabelType type);

/** The smallest label type that holds `componentCount` labels and the background 0. */
LabelType SmallestLabelType(std::uint64_t componentCount);

/** \throws InvalidArgument, which lists the valid names. */
LabelType LabelTypeFromName(const std::string & name);

} // namespace brickccl

#endif

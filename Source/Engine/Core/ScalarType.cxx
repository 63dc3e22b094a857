// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/VolumeView.h"

#include "BrickCCL/Core/NearestName.h"
#include <limits>

namespace brickccl
{

std::size_t
SizeOf(ScalarType type)
{
  return VisitScalarType(type, [](auto tag) { return sizeof(typename decltype(tag)::Type); });
}

ScalarType
ScalarTypeOfLabel(LabelType type)
{
  return VisitLabelType(type, [](auto tag) { return ScalarTypeOf<typename decltype(tag)::Type>(); });
}

const char *
NameOf(ScalarType type)
{
  static const char * const names[] = { "int8",   "uint8", "int16",  "uint16",  "int32",
                                        "uint32", "int64", "uint64", "float32", "float64" };
  return names[static_cast<int>(type)];
}

const char *
NameOf(LabelType type)
{
  static const char * const names[] = { "auto", "uint8", "uint16", "uint32", "uint64" };
  return names[static_cast<int>(type)];
}

std::uint64_t
MaximumLabel(LabelType type)
{
  if (type == LabelType::Auto)
  {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return VisitLabelType(type, [](auto tag) -> std::uint64_t {
    return std::numeric_limits<typename decltype(tag)::Type>::max();
  });
}

LabelType
SmallestLabelType(std::uint64_t componentCount)
{
  for (const LabelType type : { LabelType::UInt8, LabelType::UInt16, LabelType::UInt32 })
  {
    if (componentCount <= MaximumLabel(type))
    {
      return type;
    }
  }
  return LabelType::UInt64;
}

LabelType
LabelTypeFromName(const std::string & name)
{
  for (const LabelType type :
       { LabelType::Auto, LabelType::UInt8, LabelType::UInt16, LabelType::UInt32, LabelType::UInt64 })
  {
    if (name == NameOf(type))
    {
      return type;
    }
  }
  throw InvalidArgument("label type " + Quoted(name) + " is unknown; choose auto, uint8, uint16, uint32 or uint64" +
                        DidYouMean(name, { "auto", "uint8", "uint16", "uint32", "uint64" }));
}

} // namespace brickccl

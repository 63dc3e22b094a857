// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickProblem.h"

#include <cstdio>

namespace brickccl
{

/** A number as text that reads back the same. */
static std::string
TextOf(Number number)
{
  char text[64];
  std::snprintf(text, sizeof(text), number.Rest() == 0 ? "%a" : "%a %a", number.Nearest(), number.Rest());
  return text;
}

static Number
ReadNumber(ByteReader & reader)
{
  const std::string text = reader.Text();
  const auto        blank = text.find(' ');
  const auto        nearest = Number::FromText(text.substr(0, blank));
  const auto        rest = blank == std::string::npos ? Number(0) : Number::FromText(text.substr(blank + 1));
  reader.FailIf(!nearest || !rest, "'" + text + "' is not a number");
  return *rest == 0 ? *nearest : Number::Sum(nearest->Nearest(), rest->Nearest());
}

BrickProblem::BrickProblem(const Connectivity &   connectivity,
                           const Criterion &      imageCriterion,
                           ScalarType             imageType,
                           int                    imageChannels,
                           const PeriodicAxes &   periodicAxes,
                           const RelabelOptions & relabelOptions)
  : dimension(connectivity.Dimension())
  , criterion(imageCriterion)
  , type(imageType)
  , channels(imageChannels)
  , periodic(periodicAxes)
  , relabel(relabelOptions)
{
  for (int code = 0; code < StepCount; ++code)
  {
    const int step[MaximumDimension] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
    if (connectivity.Has(step))
    {
      m_Steps[code / 64] |= std::uint64_t{ 1 } << (code % 64);
    }
  }
}

bool
BrickProblem::Uses(int axis) const
{
  for (int code = 0; code < StepCount; ++code)
  {
    const int step[MaximumDimension] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
    if (step[axis] != 0 && Has(step))
    {
      return true;
    }
  }
  return false;
}

void
BrickProblem::Write(ByteWriter & writer) const
{
  writer.Number(static_cast<std::uint64_t>(dimension));
  writer.Fixed(m_Steps[0]);
  writer.Fixed(m_Steps[1]);
  writer.Number(static_cast<std::uint64_t>(criterion.joining));
  writer.Byte(static_cast<std::uint8_t>((criterion.background ? 1 : 0) + (criterion.range ? 2 : 0)));
  writer.Text(TextOf(criterion.background.value_or(0)));
  writer.Text(TextOf(criterion.range ? criterion.range->low : 0));
  writer.Text(TextOf(criterion.range ? criterion.range->high : 0));
  writer.Text(TextOf(criterion.tolerance));
  writer.Number(static_cast<std::uint64_t>(type));
  writer.Number(static_cast<std::uint64_t>(channels));
  writer.Number(periodic.Bits());
  writer.Number(static_cast<std::uint64_t>(relabel.order));
  writer.Number(relabel.minimumSize);
  writer.Number(relabel.maximumSize);
  writer.Number(relabel.largest);
  writer.Signed(relabel.largestAcross.value_or(-1));
}

PeriodicAxes
ReadPeriodicAxes(ByteReader & reader)
{
  const std::uint64_t bits = reader.Number();
  reader.FailIf(bits >= 1u << MaximumDimension, "its periodic axes have the unknown value " + std::to_string(bits));
  PeriodicAxes periodic;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    if ((bits >> axis & 1) != 0)
    {
      periodic.Add(axis);
    }
  }
  return periodic;
}

BrickProblem
BrickProblem::Read(ByteReader & reader)
{
  const auto choice = [&reader](int last) {
    const std::uint64_t value = reader.Number();
    reader.FailIf(value > static_cast<std::uint64_t>(last), "an option has the unknown value " + std::to_string(value));
    return static_cast<int>(value);
  };
  BrickProblem problem;
  problem.dimension = choice(MaximumDimension);
  problem.m_Steps[0] = reader.Fixed();
  problem.m_Steps[1] = reader.Fixed();
  problem.criterion.joining = static_cast<Criterion::Joining>(choice(static_cast<int>(Criterion::Joining::Tolerance)));
  const std::uint8_t has = reader.Byte();
  const Number       background = ReadNumber(reader);
  const Number       low = ReadNumber(reader);
  const Number       high = ReadNumber(reader);
  problem.criterion.background = (has & 1) != 0 ? std::optional<Number>(background) : std::nullopt;
  problem.criterion.range =
    (has & 2) != 0 ? std::optional<Criterion::Range>(Criterion::Range{ low, high }) : std::nullopt;
  problem.criterion.tolerance = ReadNumber(reader);
  problem.type = static_cast<ScalarType>(choice(static_cast<int>(ScalarType::Float64)));
  problem.channels = choice(1 << 30);
  problem.periodic = ReadPeriodicAxes(reader);
  problem.relabel.order = static_cast<LabelOrder>(choice(static_cast<int>(LabelOrder::Size)));
  problem.relabel.minimumSize = reader.Number();
  problem.relabel.maximumSize = reader.Number();
  problem.relabel.largest = reader.Number();
  if (const std::int64_t axis = reader.Signed(); axis >= 0 && axis < MaximumDimension)
  {
    problem.relabel.largestAcross = static_cast<int>(axis);
  }
  return problem;
}

std::string
BrickProblem::DifferenceFrom(const BrickProblem & other) const
{
  return dimension != other.dimension                                     ? "dimension"
       : m_Steps[0] != other.m_Steps[0] || m_Steps[1] != other.m_Steps[1] ? "connectivity"
       : criterion != other.criterion                                     ? "criterion"
       : type != other.type                                               ? "voxel type"
       : channels != other.channels                                       ? "number of channels"
       : periodic != other.periodic                                       ? "set of periodic axes"
       : relabel.order != other.relabel.order                             ? "order of labels"
       : relabel.minimumSize != other.relabel.minimumSize                 ? "minimum size"
       : relabel.maximumSize != other.relabel.maximumSize                 ? "maximum size"
       : relabel.largest != other.relabel.largest || relabel.largestAcross != other.relabel.largestAcross
         ? "number of largest components"
         : "";
}

} // namespace brickccl

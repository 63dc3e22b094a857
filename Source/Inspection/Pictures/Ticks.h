// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl
{

/** Where an axis has ticks, in ascending order, and what is written there. */
struct Ticks
{
  std::vector<double>      places;
  std::vector<std::string> texts;
};

/** Ticks at round numbers within [low, high], at most `maximum` of them.
 *  \param whole  places them only at whole numbers */
Ticks LinearTicks(double low, double high, int maximum, bool whole = false);

/** Ticks at powers of ten within [low, high], both above 0, and at 2 and 5 times them if these are few. */
Ticks LogarithmicTicks(double low, double high);

/** A number with at most this many significant digits and without needless zeros: "1200", "0.25", "3e-07". */
std::string ShortNumber(double value, int digits = 4);

/** A length in the unit that suits it: "20 mm", "500 µm", "1.5 m". */
std::string LengthText(double millimeters);

/** A unit with raised digits: "mm³" for "mm^3". */
std::string RaiseDigits(std::string unit);

/** "volume" for the column volume_mm3 in mm^3. */
std::string WithoutUnit(std::string column, const std::string & unit);

} // namespace brickccl

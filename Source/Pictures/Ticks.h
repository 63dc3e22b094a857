#ifndef BRICKCCL_PICTURES_TICKS_H
#define BRICKCCL_PICTURES_TICKS_H

#include <string>
#include <vector>

namespace brickccl
{

/** The largest of 1, 2 and 5 times the powers of ten that is not above `most`, which is above 0. */
double LargestRoundNumber(double most);

/** Where an axis has ticks, ascending, and what stands there. */
struct Ticks
{
  std::vector<double>      places;
  std::vector<std::string> texts;
};

/** Ticks at round numbers within [low, high], `most` at most.
 *  \param whole  at whole numbers only. */
Ticks LinearTicks(double low, double high, int most, bool whole = false);

/** Ticks at powers of ten within [low, high], both above 0; of them and of 2 and 5 times them where these are few. */
Ticks LogarithmicTicks(double low, double high);

/** A number with up to so many significant digits, without needless zeros: "1200", "0.25", "3e-07". */
std::string ShortNumber(double value, int digits = 4);

/** A length in the unit that suits it: "20 mm", "500 µm", "1.5 m". */
std::string LengthText(double millimetres);

} // namespace brickccl

#endif

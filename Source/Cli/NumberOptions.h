#ifndef BRICKCCL_CLI_NUMBEROPTIONS_H
#define BRICKCCL_CLI_NUMBEROPTIONS_H

#include "BrickCCL/Criteria/Criterion.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

/** How numbers on the command line are written, one rule for all options; what breaks it is an error before any work.
 *  Counts are digits alone: no sign, no 1e3, no 0x10. Other numbers are decimal fractions, as 0.5, -1000 or 2.5e-3;
 *  where there is no limit also inf and -inf. */
namespace brickccl::cli
{

inline constexpr std::uint64_t AnyCount = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t MostThreads = 4096;

/** Takes counts of `least` to `most` alone. */
CLI::Validator Count(std::uint64_t least, std::uint64_t most = AnyCount);

/** Takes numbers, inf, -inf and nan among them. */
CLI::Validator AnyNumber();

/** Takes finite numbers that are at least 0, or above 0. */
CLI::Validator NumberFromZero();
CLI::Validator NumberAboveZero();

/** A number, "inf" and "-inf" included. \throws InvalidArgument that names the option. */
Number ParseNumber(const std::string & text, const std::string & option);

} // namespace brickccl::cli

#endif

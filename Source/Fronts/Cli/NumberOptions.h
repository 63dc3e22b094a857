#ifndef BRICKCCL_CLI_NUMBEROPTIONS_H
#define BRICKCCL_CLI_NUMBEROPTIONS_H

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

/** How numbers on the command line are written. One rule holds for all options; what breaks it is an error before any
 *  work begins. A count has digits alone: no sign, no 1e3, no 0x10. Other numbers are decimal fractions, such as 0.5,
 *  -1000 or 2.5e-3. Where there is no limit, inf and -inf are numbers as well. */
namespace brickccl::cli
{

inline constexpr std::uint64_t AnyCount = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t MaximumThreads = 4096;

/** Accepts only counts from `minimum` to `maximum`. */
CLI::Validator Count(std::uint64_t minimum, std::uint64_t maximum = AnyCount);

/** Accepts an amount of memory of at least so many bytes (0 or 1): "4GiB", "500 MB", "1.5G" (as GiB), "2000000". It
 *  becomes the number of bytes. */
CLI::Validator MemorySize(std::uint64_t minimum);

/** Accepts a count of neighbours, "faces" or "full". */
CLI::Validator NeighbourCount();

/** Accepts any number, including inf, -inf and nan. */
CLI::Validator AnyNumber();

/** These accept finite numbers that are at least 0, and above 0. */
CLI::Validator NumberFromZero();
CLI::Validator NumberAboveZero();

/** Accepts numbers from 0 to 1. */
CLI::Validator NumberUpToOne();

/** Reads a number, which may be "inf" or "-inf". \throws InvalidArgument that names the option. */
Number ParseNumber(const std::string & text, const std::string & option);

} // namespace brickccl::cli

#endif

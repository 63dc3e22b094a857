// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

#include <string>
#include <vector>

namespace brickccl
{

/** Every algorithm: the rows of all folders of Algorithms/, in the order in which Source/CMakeLists.txt adds them. For
 *  a backend, `Auto` takes the first one that supports the problem and prefers it. */
const std::vector<Algorithm> & Algorithms();

/** An algorithm as a caller asked for it, or as it was chosen for a problem. */
struct AlgorithmChoice
{
  /** Null for `Auto`. */
  const Algorithm * algorithm = nullptr;
  OptionValues      options;
};

/** The choice for "Auto", "Name" or "Name:option=value,...".
 *  \throws InvalidArgument, which lists the names or the options. */
AlgorithmChoice ParseAlgorithm(const std::string & text);

/** Where an algorithm runs. */
enum class Backend
{
  Cpu,
  Cuda
};

/** The algorithm that labels a problem: the one that was asked for, or the one that `Auto` takes.
 *  \param wholeConnectivity  what the problem's connectivity is the plain part of, for the message; null: itself
 *  \throws Unsupported, which lists the algorithms that support the problem. */
AlgorithmChoice ChooseAlgorithm(const AlgorithmChoice & asked,
                                const ProblemTraits &   problem,
                                Backend                 backend,
                                const Connectivity *    wholeConnectivity = nullptr);

/** The first algorithm that labels every connectivity that has whole rows on the CPU. */
AlgorithmChoice ChooseForWholeRows();

} // namespace brickccl

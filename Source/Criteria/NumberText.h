#ifndef BRICKCCL_CRITERIA_NUMBERTEXT_H
#define BRICKCCL_CRITERIA_NUMBERTEXT_H

#include "BrickCCL/Criteria/Criterion.h"

#include <string>

namespace brickccl
{

/** A number for a message: every digit of a whole number of up to 64 bits, 10 digits of others. */
std::string TextOf(Number value);

} // namespace brickccl

#endif

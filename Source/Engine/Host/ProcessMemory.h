// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace brickccl
{

/** From now on, this process keeps large memory that it has freed and uses it again, since the system clears memory
 *  that it hands out. So it holds on to the most that it has had at a time. */
void KeepMemory();

/** From now on, PeakMemoryBytes reports only later peaks, if the system supports this. */
void ForgetPeakMemory();

} // namespace brickccl

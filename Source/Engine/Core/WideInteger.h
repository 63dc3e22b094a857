// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace brickccl
{

__extension__ typedef __int128          Int128;
__extension__ typedef unsigned __int128 UInt128;

} // namespace brickccl

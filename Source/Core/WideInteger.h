#ifndef BRICKCCL_CORE_WIDEINTEGER_H
#define BRICKCCL_CORE_WIDEINTEGER_H

#if !defined(__SIZEOF_INT128__) || defined(BRICKCCL_PORTABLE_WIDE_INTEGER)
#  include "BrickCCL/Core/PortableWideInteger.h"
#endif

namespace brickccl
{

#if defined(__SIZEOF_INT128__) && !defined(BRICKCCL_PORTABLE_WIDE_INTEGER)
__extension__ typedef __int128          Int128;
__extension__ typedef unsigned __int128 UInt128;
#else
using Int128 = PortableWideInteger<true>;
using UInt128 = PortableWideInteger<false>;
#endif

} // namespace brickccl

#endif

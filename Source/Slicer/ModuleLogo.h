#ifndef BRICKCCL_SLICER_MODULELOGO_H
#define BRICKCCL_SLICER_MODULELOGO_H

#include <ostream>

namespace brickccl::slicer
{

/** Writes the modules' logo as the option --logo of Slicer's modules does: the word LOGO, then width, height, bytes of
 * a pixel, the length of the text that follows, and the pixels, compressed by zlib, in base 64. */
void WriteLogo(std::ostream & stream);

} // namespace brickccl::slicer

#endif

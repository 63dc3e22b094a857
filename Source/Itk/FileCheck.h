#ifndef BRICKCCL_ITK_FILECHECK_H
#define BRICKCCL_ITK_FILECHECK_H

#include <cstdint>
#include <string>

namespace brickccl
{

/** Tells whether an image file holds all of its voxels, where ITK's reader passes over a truncated file in silence
 *  (MetaImage, NIfTI).
 *  \param reader  the name of the ITK class that reads the file, "NiftiImageIO" say
 *  \param bytes   the size of all voxels
 *  \return what is missing, or nothing. */
std::string WhatIsMissing(const std::string & path, const std::string & reader, std::uint64_t bytes);

/** Collects the errors of the TIFF library for as long as it lives; ITK's reader passes over them. */
class TiffErrors
{
public:
  TiffErrors();
  ~TiffErrors();
  TiffErrors(const TiffErrors &) = delete;
  TiffErrors & operator=(const TiffErrors &) = delete;

  /** The first error, or nothing. */
  std::string First() const;

private:
  void (*m_Previous)(const char *, const char *, __builtin_va_list);
  void (*m_PreviousWarnings)(const char *, const char *, __builtin_va_list);
};

} // namespace brickccl

#endif

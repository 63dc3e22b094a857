// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats.h"

#include <cctype>

namespace brickccl::files
{

namespace
{

bool
HoldsAll(ScalarType)
{
  return true;
}

bool
HoldsPngTypes(ScalarType type)
{
  return type == ScalarType::UInt8 || type == ScalarType::UInt16;
}

} // namespace

const std::vector<Format> &
AllFormats()
{
  static const std::vector<Format> formats = {
    { "NRRD", ".nrrd .nhdr", IsNrrd, ReadNrrd, WriteNrrd, FilesBesideNrrd, 4, HoldsAll, true },
    { "NIfTI",
      ".nii.gz .nii .hdr .img .hdr.gz .img.gz",
      IsNifti,
      ReadNifti,
      WriteNifti,
      FilesBesideNifti,
      4,
      HoldsAll,
      true },
    { "MetaImage", ".mha .mhd", IsMetaImage, ReadMetaImage, WriteMetaImage, FilesBesideMetaImage, 4, HoldsAll, true },
    { "TIFF", ".tif .tiff", IsTiff, ReadTiff, WriteTiff, nullptr, 3, HoldsAll, true },
    { "PNG", ".png", IsPng, ReadPng, WritePng, nullptr, 2, HoldsPngTypes },
    { "JPEG", ".jpg .jpeg", IsJpeg, ReadJpeg, nullptr, nullptr, 0, nullptr },
    { "BMP", ".bmp", IsBmp, ReadBmp, nullptr, nullptr, 0, nullptr },
    { "MRC", ".mrc .map .rec .st", IsMrc, ReadMrc, nullptr, nullptr, 0, nullptr },
    { "HDF5",
      ".h5 .hdf5 .hdf .nxs",
      IsHdf5,
      ReadHdf5,
      nullptr,
      nullptr,
      0,
      nullptr,
      true,
      "FILE.h5::/DATASET names one of several" },
    { "VGI",
      ".vgi",
      IsVgi,
      ReadVgi,
      nullptr,
      nullptr,
      0,
      nullptr,
      true,
      "Volume Graphics; FILE.vgi::/volume2 names one of several" },
    { "NumPy", ".npy", IsNpy, ReadNpy, nullptr, nullptr, 0, nullptr, true },
    { "ISQ", ".isq", IsIsq, ReadIsq, nullptr, nullptr, 0, nullptr, true, "Scanco" },
    { "MGH",
      ".mgz .mgh .mgh.gz",
      IsMgh,
      ReadMgh,
      nullptr,
      nullptr,
      0,
      nullptr,
      true,
      "FreeSurfer; .mgz is read whole" },
    { "GIPL", ".gipl", IsGipl, ReadGipl, nullptr, nullptr, 0, nullptr, true },
    { "DICOM", ".dcm", IsDicom, ReadDicom, nullptr, nullptr, 0, nullptr, true },
  };
  return formats;
}

bool
HasExtension(const std::string & path, const char * extensions)
{
  const std::string list = std::string(extensions) + ' ';
  for (std::size_t begin = 0, end = 0; (end = list.find(' ', begin)) != std::string::npos; begin = end + 1)
  {
    const std::size_t length = end - begin;
    bool              same = path.size() > length;
    for (std::size_t i = 0; i < length && same; ++i)
    {
      const auto letter = static_cast<unsigned char>(path[path.size() - length + i]);
      same = std::tolower(letter) == list[begin + i];
    }
    // A name that is only an extension (".png") has no extension.
    if (same && path[path.size() - length - 1] != '/')
    {
      return true;
    }
  }
  return false;
}

const Format *
FormatOfFile(const FileBytes & file, const ReadOptions & options)
{
  static const Format raw = { "raw", RawExtensions, nullptr, ReadRaw, nullptr, nullptr, 0, nullptr, true };
  for (const Format & format : AllFormats())
  {
    const bool isNamed = HasExtension(file.Path(), format.extensions) && !HasExtension(file.Path(), RawExtensions);
    if ((options.raw.empty() || isNamed) && format.recognizes(file))
    {
      return &format;
    }
  }
  return options.raw.empty() ? nullptr : &raw;
}

const Format *
FormatOfName(const std::string & path)
{
  for (const Format & format : AllFormats())
  {
    if (HasExtension(path, format.extensions))
    {
      return &format;
    }
  }
  return nullptr;
}

} // namespace brickccl::files

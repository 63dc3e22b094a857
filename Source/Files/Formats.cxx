// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Files/HeaderText.h"

#include <algorithm>
#include <sstream>

namespace brickccl::files
{

constexpr const char * NiftiExtensions = ".nii.gz .nii .hdr .img .hdr.gz .img.gz";

static bool
HoldsAll(ScalarType)
{
  return true;
}

static bool
HoldsPngTypes(ScalarType type)
{
  return type == ScalarType::UInt8 || type == ScalarType::UInt16;
}

static bool
IsUnsigned(ScalarType type)
{
  return type == ScalarType::UInt32 || type == ScalarType::UInt64 || HoldsPngTypes(type);
}

const std::vector<Format> &
AllFormats()
{
  static const std::vector<Format> formats = {
    { "NRRD", ".nrrd .nhdr", IsNrrd, ReadNrrd, true, nullptr, WriteNrrd, FilesBesideNrrd, 4, HoldsAll },
    { "NIfTI", NiftiExtensions, IsNifti, ReadNifti, true, nullptr, WriteNifti, FilesBesideNifti, 4, HoldsAll },
    { "MetaImage",
      ".mha .mhd",
      IsMetaImage,
      ReadMetaImage,
      true,
      nullptr,
      WriteMetaImage,
      FilesBesideMetaImage,
      4,
      HoldsAll },
    { "TIFF", ".tif .tiff", IsTiff, ReadTiff, true, nullptr, WriteTiff, nullptr, 3, HoldsAll },
    { "PNG", ".png", IsPng, ReadPng, false, nullptr, WritePng, nullptr, 2, HoldsPngTypes },
    { "JPEG", ".jpg .jpeg", IsJpeg, ReadJpeg },
    { "BMP", ".bmp", IsBmp, ReadBmp },
    { "HDF5", ".h5 .hdf5 .hdf .nxs", IsHdf5, ReadHdf5, true, "FILE.h5::/DATASET names one of several" },
    { "VGI", ".vgi", IsVgi, ReadVgi, true, "Volume Graphics; FILE.vgi::/volume2 names one of several" },
    { "VTK", ".vti .vtk", IsVtk, ReadVtk, true, "images; FILE.vti::/NAME names one of several" },
    { "NumPy", ".npy", IsNpy, ReadNpy, true },
    { "Zarr", ".ome.zarr .zarr", IsZarr, ReadZarr, true, "a folder: Zarr 2 or 3, OME-Zarr" },
    { "ISQ", ".isq", IsIsq, ReadIsq, true, "Scanco" },
    { "TXM", ".txm .xrm", IsTxm, ReadTxm, true, "Zeiss, Xradia" },
    { "VFF", ".vff", IsVff, ReadVff, true, "GE, SunVision" },
    { "MGH", ".mgz .mgh .mgh.gz", IsMgh, ReadMgh, true, "FreeSurfer" },
    { "GIPL", ".gipl", IsGipl, ReadGipl, true },
    { "DICOM", ".dcm", IsDicom, ReadDicom, true, nullptr, WriteDicom, nullptr, 3, IsUnsigned },
  };
  return formats;
}

std::string
ExtensionOf(const std::string & path, const char * extensions)
{
  std::istringstream list(extensions);
  for (std::string extension; list >> extension;)
  {
    const std::size_t length = extension.size();
    // A name that is only an extension (".png") has no extension.
    if (path.size() > length && path[path.size() - length - 1] != '/' &&
        LowerCase(path.substr(path.size() - length)) == extension)
    {
      return extension;
    }
  }
  return {};
}

const Format *
FormatOfFile(const FileBytes & file, const ReadOptions & options)
{
  static const Format raw = { "raw", RawExtensions, nullptr, ReadRaw, true };
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
  const auto & all = AllFormats();
  const auto   isNamed = [&](const Format & format) { return HasExtension(path, format.extensions); };
  const auto   found = std::find_if(all.begin(), all.end(), isNamed);
  return found == all.end() ? nullptr : &*found;
}

} // namespace brickccl::files

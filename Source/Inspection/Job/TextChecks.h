// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Job/Value.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Smoothing.h"
#include "BrickCCL/Splitting/Split.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

/** Checks of texts that are values of parameters. */
namespace brickccl::job
{

// Each returns what would be right, or nothing if the text is.

inline std::string
CheckNeighborhood(const std::string & text)
{
  std::error_code failure;
  return IsNeighborhoodText(text) || std::filesystem::is_regular_file(text, failure)
         ? ""
         : "a file or a neighborhood, such as 8+z";
}

inline std::string
CheckPeriodic(const std::string & text)
{
  std::string letters = text;
  const auto  isBetween = [](char letter) { return letter == ',' || letter == ' '; };
  letters.erase(std::remove_if(letters.begin(), letters.end(), isBetween), letters.end());
  std::sort(letters.begin(), letters.end());
  const bool isTwice = std::adjacent_find(letters.begin(), letters.end()) != letters.end();
  const bool isGood = !letters.empty() && !isTwice && letters.find_first_not_of("xyzt") == std::string::npos;
  return isGood ? "" : "axes, each once, such as x,y,z";
}

inline std::string
CheckHoles(const std::string & text)
{
  Amount volume;
  return !SetValue(AnyVolume, { text }, &volume) ? ""
                                                 : "a number of at least 0; after "
                                                   "--fill-holes comes a volume in mm3, another option or nothing" +
                                                     HintOnNumber(text);
}

/** \param height  gets the height of a split: none for auto \return whether the text is one */
inline bool
ReadSplit(const std::string & given, std::optional<SplitHeight> & height)
{
  const std::string text = files::Trimmed(given);
  const bool        isPercent = std::count(text.begin(), text.end(), '%') == 1 && text.back() == '%';
  double            value = 0;
  const bool        isNumber =
    isPercent ? !SetValue({ Kind::Above, -Finite, Finite }, { text.substr(0, text.find_last_not_of(" %") + 1) }, &value)
                     : text != "auto" && !SetValue(AnyLength, { text }, &value);
  height = isNumber ? std::optional(SplitHeight(value, isPercent)) : std::nullopt;
  return text == "auto" || (isNumber && (!isPercent || value < 100));
}

inline std::string
CheckSplit(const std::string & text)
{
  std::optional<SplitHeight> height;
  return ReadSplit(text, height) ? ""
                                 : "a height in mm of at least 0, a share of the smaller peak above 0 and below 100 % "
                                   "(10%), or auto for 0.75 of the smallest spacing" +
                                     HintOnNumber(text);
}

inline std::string
CheckEnd(const std::string & text, const std::string & extension)
{
  const bool isGood =
    text.size() > extension.size() && text.compare(text.size() - extension.size(), extension.size(), extension) == 0;
  return isGood ? "" : "a file name that ends in " + extension;
}

inline std::string
CheckRawText(const std::string & text)
{
  CheckRaw(text);
  return "";
}

inline std::string
CheckSmoothing(const std::string & text)
{
  SmoothingOf(text);
  return "";
}

/** The same of a recipe, where numbers may have keys of their own. */
inline std::string
CheckSmoothingKey(const std::string & text)
{
  try
  {
    return text == "none" || text == "median" || text == "gaussian" ? "" : CheckSmoothing(text);
  }
  catch (const InvalidArgument &)
  {
    return "none, median, gaussian, or filters as \"nlm:40\" and \"median:1,bilateral:0.1:200\"";
  }
}

inline std::string
CheckParts(const std::string & text)
{
  int        count = 0;
  const Form form = { Kind::Whole, 1, static_cast<double>(MaximumParts) };
  return text == "largest" || text == "all" || !SetValue(form, { text }, &count)
         ? ""
         : "all, largest or " + RightValue(form);
}

/** A text that pages and cells of Excel hold. */
inline std::string
CheckShown(const std::string & text)
{
  constexpr std::size_t longest = 32767;
  ThrowIf<InvalidArgument>(text.size() > longest,
                           "a text of the report has " + std::to_string(text.size()) + " bytes; it may have " +
                             std::to_string(longest));
  return IsUtf8(text) ? "" : "a text in UTF-8";
}

inline std::string
CheckLogo(const std::string & text)
{
  return files::HasExtension(text, ".png .jpg .jpeg .svg") ? "" : "a .png, .jpg or .svg";
}

} // namespace brickccl::job

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Report/Report.h"

#include <string>

namespace brickccl::report
{

/** Fills a page. [[text]] is said in the page's language, [[slices of {1};;item]] with members of `data`. {{name}} is a
 *  member, or one of the data around it, and {{&name}} one that is HTML already. Text between {{#name}} and {{/name}}
 *  is repeated for each element of a list, which then is the data; it is there once for another value, and is left out
 *  for null, false and "". */
std::string FillPage(const std::string & page, const nlohmann::ordered_json & data, const job::Language & language);

/** Puts pictures into a page. They are JPEGs so small that the page has 5 MB for 20 items and 25 MB for 200; a page has
 *  no more of them beyond MaximumPictureBytes. */
class PagePictures
{
public:
  PagePictures(std::string folder, std::size_t items);

  /** Begins an item, which has its share of the page. */
  void
  BeginItem()
  {
    m_Left = m_BytesOfItem;
  }

  /** A file of the folder: its `width` and `height`, and `data`, "data:image/jpeg;base64,...", or else `link`, if there
   *  is no room for it. \param share  of what the item has left, 0 to 1 */
  nlohmann::ordered_json Take(const std::string & file, double share);

private:
  std::string m_Folder;
  double      m_BytesOfItem;
  double      m_Left = 0;
  double      m_All = 0;
};

inline constexpr double MaximumPictureBytes = 64e6;

/** A file as the address of an image. \param type  "png" */
std::string DataAddress(const std::string & type, const std::string & bytes);

/** The items as data for FillPage: their summaries, with pictures and rules in words. */
nlohmann::ordered_json DataOfItems(const std::string &       folder,
                                   const std::vector<Item> & items,
                                   const batch::Recipe &     recipe,
                                   const job::Language &     language);

/** "✓ pass" in the page's language. */
std::string VerdictWord(const std::string & verdict, const job::Language & language);

} // namespace brickccl::report

// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_REPORT_PAGEPICTURES_H
#define BRICKCCL_REPORT_PAGEPICTURES_H

#include <cstddef>
#include <string>

namespace brickccl::report
{

/** The bytes of a file as text, four characters for three bytes. */
std::string Base64(const std::string & bytes);

/** A picture in the page. */
struct PagePicture
{
  /** "data:image/jpeg;base64,..."; empty if the page has no room for it. */
  std::string data;
  /** Its size in the file, in pixels. */
  std::string width;
  std::string height;
};

/** Puts pictures into a page. They are JPEGs so small that the page has 5 MB for 20 items and 25 MB for 200; beyond
 *  MaximumPictureBytes the page has no more of them. */
class PagePictures
{
public:
  PagePictures(std::string folder, std::size_t items);

  /** Begins an item, which has its share of the page. */
  void BeginItem();

  /** Puts in a file of the folder. \param share  of what the item has left, 0 to 1 */
  PagePicture Take(const std::string & file, double share);

private:
  std::string m_Folder;
  double      m_BytesOfItem;
  double      m_Left = 0;
  double      m_All = 0;
};

inline constexpr std::size_t MaximumPictureBytes = std::size_t{ 64 } << 20;

} // namespace brickccl::report

#endif

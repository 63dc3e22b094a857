// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Printable.h"

#include <gtest/gtest.h>

namespace brickccl
{
namespace
{

TEST(Printable, ControlCharactersAreWrittenAsNumbers)
{
  EXPECT_EQ(Printable("a\nb\tc\x1b[31m\x7f"), "a\\x0ab\\x09c\\x1b[31m\\x7f");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a\\x00b");
  // U+009B, which some terminals take for an escape, in UTF-8.
  EXPECT_EQ(Printable("a\xc2\x9b"), "a\\x9b");
  // A line separator, and a mark that reverses the text behind it.
  EXPECT_EQ(Printable("a\xe2\x80\xa8"
                      "b\xe2\x80\xae"
                      "c"),
            "a\\xe2\\x80\\xa8b\\xe2\\x80\\xaec");
}

TEST(Printable, OtherLettersStay)
{
  EXPECT_EQ(Printable("scan 1 (\xc3\xa4).nrrd"), "scan 1 (\xc3\xa4).nrrd");
  EXPECT_EQ(Printable("1 \xff\x9b.nrrd"), "1 \\xff\\x9b.nrrd");
  EXPECT_EQ(Printable("\xc2"), "\\xc2");
}

TEST(Printable, BackslashesStay)
{
  EXPECT_EQ(Quoted("C:\\scans\\a.nrrd"), "'C:\\scans\\a.nrrd'");
  EXPECT_EQ(Printable("a\\x0a"), "a\\x0a");
}

TEST(Printable, KeepsWhatItIsTold)
{
  EXPECT_EQ(Printable("a\\b\nc\rd", "\\\n"), "a\\b\nc\\x0dd");
}

TEST(Printable, NamesOfFilesAreQuoted)
{
  EXPECT_EQ(Quoted("a\nb"), "'a\\x0ab'");
}

} // namespace
} // namespace brickccl

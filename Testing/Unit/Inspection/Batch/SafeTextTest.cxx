// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/SafeText.h"

#include "BrickCCL/Core/TextLists.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace brickccl::batch
{

namespace
{

TEST(SafeText, CellsOfCsvAreNoFormulas)
{
  EXPECT_EQ(CsvCell("pore 3"), "pore 3");
  EXPECT_EQ(CsvCell(""), "");
  for (const char * const formula : { "=1+1", "+1", "-1", "@sum", "\tx" })
  {
    const std::vector<std::string> cells = CsvCells(CsvCell(formula));
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0], std::string("'") + formula);
  }
}

TEST(SafeText, CellsOfCsvComeBack)
{
  for (const std::string text : { "a,b", "say \"x\"", "two\nlines", ",", "\"" })
  {
    EXPECT_EQ(CsvCells("first," + CsvCell(text) + ",last"), (std::vector<std::string>{ "first", text, "last" }));
  }
}

TEST(SafeText, FolderNamesStayInTheirFolder)
{
  EXPECT_EQ(FolderName("part-1.v2"), "part-1.v2");
  EXPECT_EQ(FolderName("../x"), "_.._x");
  EXPECT_EQ(FolderName("/etc/passwd"), "_etc_passwd");
  EXPECT_EQ(FolderName("<script>"), "_script_");
  EXPECT_EQ(FolderName("-rf"), "_-rf");
  EXPECT_EQ(FolderName(""), "_");
  EXPECT_EQ(FolderName("."), "_.");
  EXPECT_EQ(FolderName("\xC3\xA4"), "_");
  EXPECT_EQ(FolderName(std::string(300, 'a')).size(), 100u);
  EXPECT_EQ(FolderName(std::string("a\0b", 3)), "a_b");
}

TEST(SafeText, FolderNamesDifferWithoutRegardToCase)
{
  EXPECT_EQ(FolderNames({ "a b", "a_b", "A_B", "a_b-2" }),
            (std::vector<std::string>{ "a_b", "a_b-2", "A_B-3", "a_b-2-2" }));
}

} // namespace

} // namespace brickccl::batch

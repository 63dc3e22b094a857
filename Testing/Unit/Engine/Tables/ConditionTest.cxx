// SPDX-License-Identifier: Apache-2.0
// The conditions of `brickccl select --where`: grammar, exact numbers, tolerance, and what is said about wrong ones.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Tables/Condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace brickccl
{
namespace
{

/** Components of 1, 2 and 3 voxels in a row, with the given labels. */
ComponentTable
ThreeRuns(double spacing = 1, const std::vector<std::uint64_t> & labels = {})
{
  const std::vector<std::uint8_t> voxels = { 1, 0, 1, 1, 0, 1, 1, 1 };
  LabelOptions                    options;
  options.geometry.spacing[0] = options.geometry.spacing[1] = options.geometry.spacing[2] = spacing;
  ComponentTable table = Label(ImageView(voxels.data(), Extent{ 8, 1, 1 }), options).Measure();
  if (!labels.empty())
  {
    SetLabels(table, labels);
  }
  return table;
}

/** Which of the three it holds for, as "101". */
std::string
Held(const std::string & text, const ComponentTable & table = ThreeRuns())
{
  std::string held;
  for (const bool holds : Condition(text).Evaluate(table))
  {
    held += holds ? '1' : '0';
  }
  return held;
}

/** The error for a wrong condition; empty if there is none. */
std::string
Complaint(const std::string & text)
{
  try
  {
    Condition{ text };
  }
  catch (const InvalidArgument & error)
  {
    return error.what();
  }
  return {};
}

std::string
Repeated(const std::string & text, int times)
{
  std::string all;
  for (int i = 0; i < times; ++i)
  {
    all += text;
  }
  return all;
}

TEST(Condition, AndBindsCloserThanOrAndNotCloserThanAnd)
{
  EXPECT_EQ(Held("voxel_count == 1 or voxel_count == 2 and voxel_count == 3"), "100");
  EXPECT_EQ(Held("(voxel_count == 1 or voxel_count == 2) and voxel_count == 2"), "010");
  EXPECT_EQ(Held("not voxel_count == 1 and voxel_count == 2"), "010");
  EXPECT_EQ(Held("not (voxel_count == 1 and voxel_count == 2)"), "111");
  EXPECT_EQ(Held("not voxel_count == 1 or voxel_count == 1"), "111");
}

TEST(Condition, ProductsBindCloserThanSumsAndSumsThanComparisons)
{
  EXPECT_EQ(Held("1 + 2 * voxel_count == 5"), "010");
  EXPECT_EQ(Held("(1 + 2) * voxel_count == 6"), "010");
  EXPECT_EQ(Held("voxel_count - 1 < voxel_count * 2 - 2"), "011");
  EXPECT_EQ(Held("-voxel_count + 3 == 1"), "010");
  EXPECT_EQ(Held("--voxel_count == 2"), "010");
}

TEST(Condition, EqualOperatorsWorkFromLeftToRight)
{
  EXPECT_EQ(Held("8 - 4 - 2 == voxel_count"), "010");
  EXPECT_EQ(Held("8 / 4 / 2 == voxel_count"), "100");
  EXPECT_EQ(Held("8 / 4 * 2 == 4 and 8 - 4 + 2 == 6"), "111");
}

TEST(Condition, WordsAndSignsSayTheSame)
{
  EXPECT_EQ(Held("voxel_count == 1 || voxel_count == 3"), Held("voxel_count == 1 or voxel_count == 3"));
  EXPECT_EQ(Held("voxel_count > 1 && voxel_count < 3"), Held("voxel_count > 1 and voxel_count < 3"));
  EXPECT_EQ(Held("!(voxel_count > 1)"), "100");
  EXPECT_EQ(Held("! voxel_count > 1"), "100");
  EXPECT_EQ(Held("\tvoxel_count\n>=2 "), "011");
  EXPECT_EQ(Held("voxel_count!=2"), "101");
}

TEST(Condition, FunctionsTakeSums)
{
  EXPECT_EQ(Held("abs(voxel_count - 2) == 1"), "101");
  EXPECT_EQ(Held("sqrt(voxel_count + 1) == 2"), "001");
  EXPECT_EQ(Held("min(voxel_count, 2) == 2 and max(voxel_count, 2, 1) == 2"), "010");
  EXPECT_THROW(Condition("min(voxel_count) == 3"), InvalidArgument) << "the extreme of a column is asked for";
  EXPECT_EQ(Held("sqrt(-voxel_count) == sqrt(-voxel_count)"), "000") << "what is not a number equals nothing";
  EXPECT_EQ(Held("sqrt(-voxel_count) != 1"), "111");
}

TEST(Condition, NamesEachColumnOnce)
{
  const Condition condition("volume_mm3 > 1 and label < volume_mm3 or label == 2");
  EXPECT_EQ(condition.ColumnNames(), (std::vector<std::string>{ "volume_mm3", "label" }));
  EXPECT_TRUE(Condition("1 < 2").ColumnNames().empty());
  EXPECT_THROW(Condition("intensity_mean > 1").Evaluate(ThreeRuns()), InvalidArgument);
  const std::uint8_t background = 0;
  EXPECT_TRUE(Condition("label > 1").Evaluate(Label(ImageView(&background, Extent{ 1 })).Measure()).empty());
}

TEST(Condition, WholeNumbersAreExactBeyondDoubles)
{
  const std::uint64_t  big = std::uint64_t{ 1 } << 53;
  const ComponentTable table = ThreeRuns(1, { big, big + 1, ~std::uint64_t{ 0 } });
  EXPECT_EQ(Held("label == 9007199254740993", table), "010");
  EXPECT_EQ(Held("label - 1 == 9007199254740992", table), "010");
  EXPECT_EQ(Held("label == 18446744073709551615", table), "001");
  EXPECT_EQ(Held("label < 18446744073709551615", table), "110");
  EXPECT_EQ(Held("-label == -9007199254740993", table), "010");
  EXPECT_EQ(Held("voxel_count == 2.0 or voxel_count == 3e0", ThreeRuns()), "011");
}

TEST(Condition, MeasuresAreEqualUpToTheirLastDigits)
{
  const ComponentTable table = ThreeRuns(0.1);
  EXPECT_EQ(Held("volume_mm3 == 0.003", table), "001") << "0.0030000000000000005";
  EXPECT_EQ(Held("volume_mm3 >= 0.003", table), "001");
  EXPECT_EQ(Held("volume_mm3 > 0.003", table), "000");
  EXPECT_EQ(Held("volume_mm3 < 0.003", table), "110");
  EXPECT_EQ(Held("volume_mm3 == 0.003000000001", table), "000");
}

TEST(Condition, InfiniteNumbersCompareAsSuch)
{
  EXPECT_EQ(Held("voxel_count / 0 > 1e308"), "111");
  EXPECT_EQ(Held("-voxel_count / 0 < voxel_count"), "111");
  EXPECT_EQ(Held("voxel_count / 0 == 1 / 0"), "111");
  EXPECT_EQ(Held("0 / 0 == 0 / 0 or 0 / 0 < 1 or 0 / 0 >= 1"), "000");
}

TEST(Condition, ComplaintsShowWhere)
{
  const std::string complaint = Complaint("voxel_count > 2 and volume_mm3 = 3");
  EXPECT_NE(complaint.find("'=' is not a comparison; write '=='"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("character 32"), std::string::npos) << complaint;
  // The sign below stands where the third line's '=' is.
  const std::size_t line = complaint.find("\n  voxel");
  const std::size_t mark = complaint.find('^');
  ASSERT_NE(line, std::string::npos);
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(mark - complaint.rfind('\n', mark), 3 + std::string("voxel_count > 2 and volume_mm3 ").size());
}

TEST(Condition, ComplaintsAboutLongOnesShowThePlaceAlone)
{
  const std::string complaint = Complaint(Repeated("1 > 0 or ", 1000) + "label = 2" + Repeated(" or 1 > 0", 1000));
  EXPECT_NE(complaint.find("label = 2"), std::string::npos) << complaint;
  EXPECT_LT(complaint.size(), 400u);
  EXPECT_EQ(complaint.size() - 1 - complaint.rfind('\n'), 2 + 60 + 1u) << complaint;
}

TEST(Condition, WrongOnesAreRefused)
{
  const std::vector<std::pair<std::string, std::string>> wrong = {
    { "", "missing at the end" },
    { "  ", "missing at the end" },
    { "label >", "missing at the end" },
    { "label", "this is a number" },
    { "label + 1", "this is a number" },
    { "label and 1 > 0", "this is a number" },
    { "1 > 0 or label", "this is a number" },
    { "not label", "this is a number" },
    { "(label > 1) + 1 > 0", "a number is needed" },
    { "(label > 1) > 0", "a number is needed" },
    { "-(label > 1) > 0", "a number is needed" },
    { "abs(label > 1) > 0", "expected ',' or ')'" },
    { "1 < label < 3", "do not chain" },
    { "label == 1 == 1", "expected an operator" },
    { "label > 2 label", "expected an operator" },
    { "(label > 2", "expected ')'" },
    { "label > 2)", "expected an operator" },
    { "label > 2x", "not a number" },
    { "label > 0x10", "not a number" },
    { "label > 1.2.3", "expected an operator" },
    { "label > .", "not a number" },
    { "label > 2 mm", "expected an operator" },
    { "label > 1e-400", "too close to 0" },
    { "label < 1e400", "too large" },
    { "label < " + Repeated("9", 400), "too large" },
    { "abs label > 2", "expected '('" },
    { "abs() > 2", "expected a number" },
    { "abs(1, 2) > 2", "one argument" },
    { "sqrt(1, 2) > 2", "one argument" },
    { "label > and", "expected a number" },
    { "label > 2 and", "missing at the end" },
    { "and label > 2", "expected a number" },
    { "label > 2 & label < 3", "expected an operator" },
    { "label => 2", "write '=='" },
    { "label > 'a'", "expected a number" },
    { "label; 1 > 0", "expected an operator" },
    { "$(label) > 1", "expected a number" },
    { "label > 1 \xc2\xb5", "not '\xc2\xb5'" },
  };
  for (const auto & [text, said] : wrong)
  {
    EXPECT_NE(Complaint(text).find(said), std::string::npos) << "'" << text << "': " << Complaint(text);
  }
}

TEST(Condition, HostileOnesEndInAnError)
{
  EXPECT_NE(Complaint(Repeated("(", 100000) + "1 > 0" + Repeated(")", 100000)).find("too many levels"),
            std::string::npos);
  EXPECT_NE(Complaint(Repeated("-", 100000) + "1 > 0").find("too many levels"), std::string::npos);
  EXPECT_NE(Complaint(Repeated("not ", 100000) + "1 > 0").find("too many levels"), std::string::npos);
  EXPECT_NE(Complaint(Repeated("abs(", 100000)).find("too many levels"), std::string::npos);
  EXPECT_NE(Complaint("1" + Repeated(" + 1", 1000000) + " > 0").find("sums and products"), std::string::npos);
  EXPECT_NE(Complaint("1" + Repeated(" * 1", 1000000) + " > 0").find("sums and products"), std::string::npos);
  EXPECT_NE(Complaint(std::string("label > 1\0 or 1 > 0", 19)).find("expected an operator"), std::string::npos);
}

TEST(Condition, NamesAreComparedAsText)
{
  ComponentTable table = ThreeRuns();
  EXPECT_THROW(Condition("name == 'a'").Evaluate(table), InvalidArgument) << "no component has a name";
  table.texts.emplace_back().name = "name";
  table.texts[0].texts = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{ "a", "b c", "a" });
  EXPECT_EQ(Held("name == 'a'", table), "101");
  EXPECT_EQ(Held("label != \"a\" or label == 3", table), "011");
  EXPECT_EQ(Held("label == 'b c' and label == 2", table), "010");
  EXPECT_EQ(Held("name == 'A' or name == '' or name == \"'\"", table), "000");
  EXPECT_EQ(Condition("label == 'a' or name != 'b' or name == 'a'").Names(), (std::vector<std::string>{ "a", "b" }));
  for (const char * const wrong : { "name > 'a'", "name == label", "name + 1 > 2", "abs(name) > 1", "name == 1" })
  {
    EXPECT_NE(Complaint(wrong).find("compare the name"), std::string::npos) << Complaint(wrong);
  }
  EXPECT_NE(Complaint("name").find("compare it"), std::string::npos);
  EXPECT_NE(Complaint("label == 'a").find("quotation mark"), std::string::npos);
  EXPECT_NE(Complaint("'a' == label").find("expected a number or a column"), std::string::npos);
}

TEST(Condition, LongOnesWork)
{
  EXPECT_EQ(Held("label == 1" + Repeated(" or label == 2", 100000)), "110");
  EXPECT_EQ(Held("label > 1" + Repeated(" and label < 3", 100000)), "010");
  EXPECT_EQ(Held("max(1" + Repeated(", label", 100000) + ") == 3"), "001");
  EXPECT_EQ(Held("1" + Repeated(" + 1 - 1", 900) + " == label"), "100");
  EXPECT_EQ(Held(Repeated("(", 150) + "label == 1" + Repeated(")", 150)), "100");
  EXPECT_EQ(Held("label < " + Repeated("9", 300)), "111") << "beyond all whole numbers of 128 bits";
  EXPECT_EQ(Held("label == 1" + Repeated("0", 100)), "000");
}

} // namespace
} // namespace brickccl

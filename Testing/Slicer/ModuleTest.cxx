// SPDX-License-Identifier: Apache-2.0
// Cases that tests running the modules cannot reach: XML that no module has, and more labels than fit a volume of a
// test.

#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Slicer/ModuleDescription.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

using namespace brickccl;

std::string
XmlOf(const std::string & parameters)
{
  return "<?xml version=\"1.0\"?><executable><title>T</title><parameters><label>L</label>" + parameters +
         "</parameters></executable>";
}

TEST(ModuleDescription, ReadsParameters)
{
  const std::string xml = XmlOf("<integer><name>count</name><longflag>count</longflag><default>3</default><constraints>"
                                "<minimum>1</minimum></constraints></integer>"
                                "<double><name>share</name><channel>output</channel></double>");
  const auto        module = slicer::ParseModuleDescription(xml.c_str());
  EXPECT_EQ(module.title, "T");
  ASSERT_NE(module.Find("count"), nullptr);
  EXPECT_EQ(module.Find("count")->minimum, "1");
  EXPECT_EQ(module.Find("count")->defaultValue, "3");
  EXPECT_FALSE(module.Find("count")->IsReturnValue());
  EXPECT_TRUE(module.Find("share")->IsReturnValue());
  EXPECT_EQ(module.Find("other"), nullptr);
}

TEST(ModuleDescription, RefusesDamagedXml)
{
  EXPECT_THROW(slicer::ParseModuleDescription(XmlOf("<integer>").c_str()), Error);
  EXPECT_THROW(slicer::ParseModuleDescription("<module/>"), Error);
}

TEST(ModuleWords, LabelsOfParametersStandForOptions)
{
  const std::string         xml = XmlOf("<integer><name>minimumSize</name><label>Fewest voxels</label>"
                                        "<longflag>minimumSize</longflag></integer>"
                                        "<table><name>outputTable</name><label>Output table</label>"
                                        "<channel>output</channel><longflag>outputTable</longflag></table>"
                                        "<string-enumeration><name>joining</name><label>Joined</label>"
                                        "<longflag>joining</longflag><default>All</default><element>All</element>"
                                        "<element>Equal</element></string-enumeration>");
  const auto                module = slicer::ParseModuleDescription(xml.c_str());
  const slicer::ModuleWords words(module, { { "--output", "outputTable" }, { "--equal-value", "joining=Equal" } });
  EXPECT_EQ(words.Translate("--minimum-size 3, or --output"), "'Fewest voxels' 3, or 'Output table'");
  EXPECT_EQ(words.Translate("'a--output.nrrd' -- is x-y, --- "), "'a--output.nrrd' -- is x-y, --- ");
  EXPECT_EQ(words.Translate("--outputs, --minimum-size"),
            "--outputs, 'Fewest voxels' (options with -- belong to the command `brickccl`)");
  EXPECT_EQ(words.Translate("--output FILE or --equal-value keep X apart; `brickccl label SCAN --pores` helps"),
            "'Output table' or 'Joined: Equal' keep X apart; `brickccl label SCAN --pores` helps");
  EXPECT_EQ(words.Translate("(--spacing X Y Z gives another)"),
            "(--spacing X Y Z gives another) (options with -- belong to the command `brickccl`)");
  EXPECT_EQ(words.Translate(""), "");
  EXPECT_THROW(slicer::ModuleWords(module, { { "--equal-value", "joining=Some" } }), Error);
  EXPECT_THROW(slicer::ModuleWords(module, { { "--output", "none" } }), Error);
}

TEST(LabelTypes, NeverWiderThanAFrontEndTakes)
{
  const std::uint64_t largest = 0xffffffff;
  EXPECT_EQ(cli::ResolveLabelType(LabelType::Auto, largest, "", LabelType::UInt32), LabelType::UInt32);
  EXPECT_THROW(cli::ResolveLabelType(LabelType::Auto, largest + 1, "", LabelType::UInt32), LabelOverflow);
  EXPECT_EQ(cli::ResolveLabelType(LabelType::Auto, largest + 1, ""), LabelType::UInt64);
  EXPECT_EQ(cli::ResolveLabelType(LabelType::UInt16, 3, "", LabelType::UInt32), LabelType::UInt16);
  EXPECT_THROW(cli::ResolveLabelType(LabelType::UInt8, 256, "", LabelType::UInt32), LabelOverflow);
}

} // namespace

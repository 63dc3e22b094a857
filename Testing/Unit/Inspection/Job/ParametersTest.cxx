// SPDX-License-Identifier: Apache-2.0
// The table of parameters: each row sets its member, says what is right, and names rows that exist.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Job/Parameters.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

using namespace brickccl::job;

/** A value other than the default that a row takes. */
std::vector<std::string>
ValueFor(const Parameter & parameter)
{
  switch (parameter.form.kind)
  {
  case Kind::Flag:
    return { parameter.key == std::string("outputs.pictures") ? "false" : "true" };
  case Kind::Range:
    return { "-inf", "5.5" };
  case Kind::Spacing:
    return { "0.5", "0.5", "2" };
  case Kind::Choice:
    return { parameter.form.choices.back() };
  case Kind::Threshold:
    return { parameter.form.check == nullptr ? "multi-otsu:3" : "2" };
  case Kind::Neighbors:
    return { "full" };
  case Kind::Memory:
    return { "1.5 GiB" };
  case Kind::Whole:
  case Kind::Number:
  case Kind::Above:
    return { "2" };
  case Kind::Text:
  case Kind::Columns:
    break;
  }
  for (const char * const text :
       { "8+z", "x,y", "2.5", "median:2", "a.png", "a.ctbl", "comma", "2x2:int8", "0,0,1,1", "z:1,1,1", "1,1,1" })
  {
    try
    {
      if (parameter.form.check != nullptr && parameter.form.check(text).empty())
      {
        return { text };
      }
    }
    catch (const brickccl::InvalidArgument &)
    {
      continue;
    }
  }
  return { "a" };
}

TEST(Parameters, SetTheirMember)
{
  for (const Parameter & parameter : Parameters())
  {
    if (parameter.form.maximum == parameter.form.minimum)
    {
      continue; // The version of the schema.
    }
    Job        job;
    const auto fault = SetValue(parameter.form, ValueFor(parameter), SlotOf(job, parameter.member));
    EXPECT_FALSE(fault) << parameter.option << parameter.key << ": " << fault.right;
    EXPECT_TRUE(IsGiven(job, parameter)) << parameter.option << parameter.key;
  }
}

TEST(Parameters, AreToldApartAndNameOthersThatExist)
{
  std::set<std::string> names;
  for (const Parameter & parameter : Parameters())
  {
    for (const std::string name : { parameter.option, parameter.key })
    {
      EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    }
    EXPECT_FALSE(std::string(parameter.option).empty() && std::string(parameter.key).empty());
    for (const char * const ties : { parameter.ties.needs, parameter.ties.excludes })
    {
      for (const std::string & tie : WordsOf(ties))
      {
        // Only `brickccl split` has these two.
        const bool isOfSplit = tie == "split-height" || tie == "curve";
        EXPECT_TRUE(tie == "OUTPUT" || isOfSplit || FindParameter(tie.substr(0, tie.find('='))) != nullptr) << tie;
      }
    }
  }
}

TEST(Parameters, HelpOfOptionsFitsALine)
{
  for (const Parameter & parameter : Parameters())
  {
    EXPECT_FALSE(parameter.help.empty());
    EXPECT_TRUE(parameter.option[0] == '\0' || parameter.help.size() <= 80)
      << parameter.option << ": " << parameter.help;
  }
}

/** The error for a value, or an empty text. */
std::string
FaultOf(const Form & form, const std::vector<std::string> & texts)
{
  double                                    number = 0;
  std::optional<brickccl::Criterion::Range> range;
  std::vector<double>                       spacing;
  const Slot                                slot = form.kind == Kind::Range   ? Slot(&range)
                                                 : form.kind == Kind::Spacing ? Slot(&spacing)
                                                                              : Slot(&number);
  return SetValue(form, texts, slot).right;
}

TEST(Values, AreRefusedWithWhatWouldBeRight)
{
  const Form count = { Kind::Whole, 0, 4096 };
  for (const char * const text : { "-1", "0.5", "1e3", "0x10", "4097", "", " 1", "+1", "nan" })
  {
    EXPECT_EQ(FaultOf(count, { text }), "a whole number from 0 to 4096, in digits") << text;
  }
  const Form length = { Kind::Number, 0, Finite, "mm" };
  for (const char * const text : { "-1", "inf", "nan", "1 mm3", "1 kg", "x" })
  {
    EXPECT_NE(FaultOf(length, { text }), "") << text;
  }
  EXPECT_NE(FaultOf(length, { "0,5" }).find("; write 0.5"), std::string::npos);
  EXPECT_NE(FaultOf(length, { "1e-400" }).find("too close to 0"), std::string::npos);
  EXPECT_NE(FaultOf({ Kind::Range }, { "2", "1" }), "");
  EXPECT_NE(FaultOf({ Kind::Range }, { "nan", "1" }), "");
  EXPECT_EQ(FaultOf({ Kind::Range }, { "-inf", "9007199254740993" }), "");
  EXPECT_NE(FaultOf({ Kind::Spacing }, { "1", "0" }), "");
  for (const char * const text : { "0.5", "-1", "1 XB", "1e400", "GiB", "4 kg" })
  {
    EXPECT_NE(FaultOf({ Kind::Memory, 0 }, { text }), "") << text;
  }
}

TEST(Values, HaveUnits)
{
  const auto numberOf = [](const Form & form, const std::string & text) {
    double number = -1;
    EXPECT_FALSE(SetValue(form, { text }, &number)) << text;
    return number;
  };
  const Form length = { Kind::Number, 0, Finite, "mm" };
  const Form volume = { Kind::Number, 0, Finite, "mm3" };
  EXPECT_EQ(numberOf(length, "500 um"), 0.5);
  EXPECT_EQ(numberOf(length, "2cm"), 20);
  EXPECT_EQ(numberOf(volume, "2 cm^3"), 2000);
  EXPECT_EQ(numberOf(volume, "3"), 3);
  for (const auto & [text, amount] :
       { std::pair("3", Amount{ 3, 0 }), std::pair("2 cm2", Amount{ 200, 2 }), std::pair("2cm^3", Amount{ 2000, 3 }) })
  {
    Amount read;
    EXPECT_FALSE(SetValue(AnyVolume, { text }, &read)) << text;
    EXPECT_TRUE(read == amount) << text;
  }
  EXPECT_NE(FaultOf(volume, { "2 mm2" }), "");
  EXPECT_NE(FaultOf(AnyVolume, { "2 mm" }), "");
  EXPECT_EQ(numberOf({ Kind::Memory, 0 }, "4GiB"), 4.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(numberOf({ Kind::Memory, 0 }, "500 mb"), 500e6);
  EXPECT_EQ(numberOf({ Kind::Memory, 0 }, "1.5K"), 1536);
  EXPECT_EQ(numberOf({ Kind::Memory, 0 }, "2000000"), 2e6);
}

} // namespace

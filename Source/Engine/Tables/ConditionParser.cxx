// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Tables/ConditionNode.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace brickccl
{

namespace
{

using condition::Operation;
using condition::Value;
using Node = Condition::Node;
using NodePointer = std::unique_ptr<Node>;

/** Turns a text into nodes, with one function for each rule of the grammar. */
class Parser
{
public:
  Parser(const std::string & text, std::vector<std::string> & columns, std::vector<std::string> & names)
    : m_Text(text)
    , m_Columns(columns)
    , m_Names(names)
  {}

  NodePointer
  Parse()
  {
    const std::size_t begin = SkipSpace();
    NodePointer       root = ParseOr();
    if (SkipSpace() != m_Text.size())
    {
      const bool isComma =
        m_Text[m_At] == ',' && m_At > 0 && std::isdigit(static_cast<unsigned char>(m_Text[m_At - 1]));
      Fail(m_At,
           "expected an operator or the end, not '" + RestOfWord() + "'" +
             (isComma ? "; write a decimal point, as in 0.5" : ""));
    }
    RequireTruth(*root, begin);
    return root;
  }

private:
  /** The limit keeps a hostile condition from using up the stack. */
  static constexpr int DeepestNesting = 200;

  /** Sums and products lean to the left: each is one level deeper than the one before it. */
  static constexpr int MaximumArithmetic = 2000;

  /** An error shows this many characters before and after its place. */
  static constexpr std::size_t ShownAround = 60;

  /** Numbers of at most this many digits fit into 128 bits. */
  static constexpr std::ptrdiff_t MaximumWholeDigits = 38;

  [[noreturn]] void
  Fail(std::size_t at, const std::string & what) const
  {
    const std::size_t begin = at > ShownAround ? at - ShownAround : 0;
    std::string       shown = m_Text.substr(begin, at + ShownAround - begin);
    std::replace_if(
      shown.begin(),
      shown.end(),
      [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; },
      ' ');
    throw InvalidArgument("the condition is wrong at character " + std::to_string(at + 1) + ": " + what + "\n  " +
                          shown + "\n  " + std::string(at - begin, ' ') + "^");
  }

  template <typename TText>
  void
  FailIf(bool condition, std::size_t at, const TText & what) const
  {
    if (condition)
    {
      Fail(at, what);
    }
  }

  std::size_t
  SkipSpace()
  {
    while (m_At < m_Text.size() && std::isspace(static_cast<unsigned char>(m_Text[m_At])) != 0)
    {
      ++m_At;
    }
    return m_At;
  }

  static bool
  IsWordCharacter(char character)
  {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
  }

  std::string
  RestOfWord() const
  {
    std::size_t end = m_At;
    while (end < m_Text.size() && IsWordCharacter(m_Text[end]))
    {
      ++end;
    }
    if (end == m_At)
    {
      // One character, which UTF-8 may have written as several bytes.
      do
      {
        ++end;
      } while (end < m_Text.size() && (static_cast<unsigned char>(m_Text[end]) & 0xc0u) == 0x80u);
    }
    return m_Text.substr(m_At, end - m_At);
  }

  /** Takes a sign or a whole word, if it comes next. \return whether it does. */
  bool
  Take(const std::string & token)
  {
    SkipSpace();
    // Words may be in capital letters.
    const auto isSame = [](char small, unsigned char letter) { return small == std::tolower(letter); };
    const bool isNext =
      m_At + token.size() <= m_Text.size() &&
      std::equal(token.begin(), token.end(), m_Text.begin() + static_cast<std::ptrdiff_t>(m_At), isSame);
    if (!isNext)
    {
      return false;
    }
    const std::size_t end = m_At + token.size();
    if (IsWordCharacter(token[0]) && end < m_Text.size() && IsWordCharacter(m_Text[end]))
    {
      return false;
    }
    m_At = end;
    return true;
  }

  void
  RequireTruth(const Node & node, std::size_t at) const
  {
    FailIf(!node.IsTruth(), at, "this is a number; compare it (<, <=, >, >=, ==, !=)");
  }
  bool
  IsColumn(const Node & node, const char * name) const
  {
    return node.operation == Operation::Column && m_Columns[node.column] == name;
  }
  void
  RequireNumber(const Node & node, std::size_t at) const
  {
    FailIf(node.IsTruth() || IsColumn(node, "name"),
           at,
           node.IsTruth() ? "this is true or false; a number is needed here"
                          : "compare the name by == or != with text in quotes, as in name == 'liver'");
  }

  static NodePointer
  Make(Operation operation, NodePointer first, NodePointer second = nullptr)
  {
    auto node = std::make_unique<Node>();
    node->operation = operation;
    node->operands.push_back(std::move(first));
    if (second)
    {
      node->operands.push_back(std::move(second));
    }
    return node;
  }

  NodePointer
  MakeArithmetic(Operation operation, NodePointer first, NodePointer second)
  {
    FailIf(++m_Arithmetic > MaximumArithmetic,
           m_At,
           "more than " + std::to_string(MaximumArithmetic) + " sums and products");
    return Make(operation, std::move(first), std::move(second));
  }

  /** Joins operands of `and` or `or`. Operands of the same word become one node, so that long lists are not deep. */
  static NodePointer
  Join(Operation operation, NodePointer left, NodePointer right)
  {
    if (left->operation == operation)
    {
      left->operands.push_back(std::move(right));
      return left;
    }
    return Make(operation, std::move(left), std::move(right));
  }

  struct Sign
  {
    const char * text;
    Operation    operation;
  };

  void
  RequireOperand(const Node & node, std::size_t at, Operation operation) const
  {
    const bool isWord = operation == Operation::And || operation == Operation::Or;
    isWord ? RequireTruth(node, at) : RequireNumber(node, at);
  }

  /** Parses operands that signs join, from the left to the right. */
  NodePointer
  ParseChain(NodePointer (Parser::*parseOperand)(), const std::initializer_list<Sign> & signs)
  {
    const std::size_t begin = SkipSpace();
    NodePointer       left = (this->*parseOperand)();
    for (;;)
    {
      const auto * const sign =
        std::find_if(signs.begin(), signs.end(), [this](const Sign & each) { return Take(each.text); });
      if (sign == signs.end())
      {
        return left;
      }
      RequireOperand(*left, begin, sign->operation);
      const std::size_t at = SkipSpace();
      NodePointer       right = (this->*parseOperand)();
      RequireOperand(*right, at, sign->operation);
      const bool isWord = sign->operation == Operation::And || sign->operation == Operation::Or;
      left = isWord ? Join(sign->operation, std::move(left), std::move(right))
                    : MakeArithmetic(sign->operation, std::move(left), std::move(right));
    }
  }

  NodePointer
  ParseOr()
  {
    return ParseChain(&Parser::ParseAnd, { { "or", Operation::Or }, { "||", Operation::Or } });
  }

  NodePointer
  ParseAnd()
  {
    return ParseChain(&Parser::ParseNot, { { "and", Operation::And }, { "&&", Operation::And } });
  }

  NodePointer
  ParseNot()
  {
    SkipSpace();
    const bool isUnequal = m_Text.compare(m_At, 2, "!=") == 0;
    if (Take("not") || (!isUnequal && Take("!")))
    {
      const Nesting     nesting(*this);
      const std::size_t at = SkipSpace();
      NodePointer       operand = ParseNot();
      RequireTruth(*operand, at);
      return Make(Operation::Not, std::move(operand));
    }
    return ParseComparison();
  }

  NodePointer
  ParseComparison()
  {
    static const std::pair<const char *, Operation> comparisons[] = {
      { "<=", Operation::LessOrEqual }, { ">=", Operation::GreaterOrEqual },
      { "==", Operation::Equal },       { "!=", Operation::Unequal },
      { "<", Operation::Less },         { ">", Operation::Greater }
    };
    const std::size_t begin = SkipSpace();
    NodePointer       left = ParseSum();
    for (const auto & [sign, operation] : comparisons)
    {
      if (Take(sign))
      {
        const std::size_t at = SkipSpace();
        const bool        isQuoted = at < m_Text.size() && (m_Text[at] == '\'' || m_Text[at] == '"');
        if (isQuoted && operation <= Operation::Unequal && operation >= Operation::Equal &&
            (IsColumn(*left, "label") || IsColumn(*left, "name")))
        {
          left->column = PlaceIn(m_Columns, "name");
          return Make(operation, std::move(left), ParseQuoted());
        }
        RequireNumber(*left, begin);
        NodePointer right = ParseSum();
        RequireNumber(*right, at);
        left = Make(operation, std::move(left), std::move(right));
        const std::size_t next = SkipSpace();
        FailIf(next < m_Text.size() && (m_Text[next] == '<' || m_Text[next] == '>'),
               next,
               "comparisons do not chain; write 'a < b and b < c'");
        return left;
      }
    }
    if (Take("="))
    {
      Fail(m_At - 1, "'=' is not a comparison; write '=='");
    }
    return left;
  }

  /** Parses a name in quotes, which is compared as its place among all names. */
  NodePointer
  ParseQuoted()
  {
    const std::size_t end = m_Text.find(m_Text[m_At], m_At + 1);
    FailIf(end == std::string::npos, m_At, "the quotation mark behind this name is missing");
    auto node = std::make_unique<Node>();
    node->number = Value(static_cast<Int128>(PlaceIn(m_Names, m_Text.substr(m_At + 1, end - m_At - 1))));
    m_At = end + 1;
    return node;
  }

  NodePointer
  ParseSum()
  {
    return ParseChain(&Parser::ParseProduct, { { "+", Operation::Add }, { "-", Operation::Subtract } });
  }

  NodePointer
  ParseProduct()
  {
    return ParseChain(&Parser::ParseFactor, { { "*", Operation::Multiply }, { "/", Operation::Divide } });
  }

  NodePointer
  ParseFactor()
  {
    const Nesting     nesting(*this);
    const std::size_t begin = SkipSpace();
    if (Take("-"))
    {
      const std::size_t at = SkipSpace();
      NodePointer       operand = ParseFactor();
      RequireNumber(*operand, at);
      return Make(Operation::Negate, std::move(operand));
    }
    if (Take("("))
    {
      NodePointer inner = ParseOr();
      FailIf(!Take(")"), SkipSpace(), "expected ')'");
      return inner;
    }
    if (begin < m_Text.size() && (std::isdigit(static_cast<unsigned char>(m_Text[begin])) != 0 || m_Text[begin] == '.'))
    {
      return ParseNumber();
    }
    if (begin < m_Text.size() && IsWordCharacter(m_Text[begin]))
    {
      return ParseName();
    }
    Fail(begin,
         begin == m_Text.size() ? "a number or a column is missing at the end"
                                : "expected a number or a column, not '" + RestOfWord() + "'");
  }

  NodePointer
  ParseNumber()
  {
    const char * const start = m_Text.c_str() + m_At;
    char *             end = nullptr;
    auto               node = std::make_unique<Node>();
    const double       number = std::strtod(start, &end);
    const bool         hasDigitsAlone = std::all_of(start, static_cast<const char *>(end), [](char character) {
      return std::isdigit(static_cast<unsigned char>(character)) != 0;
    });
    if (hasDigitsAlone && end - start <= MaximumWholeDigits)
    {
      Int128 whole = 0;
      for (const char * digit = start; digit < end; ++digit)
      {
        whole = 10 * whole + (*digit - '0');
      }
      node->number = Value(whole);
    }
    else
    {
      // 1e3 and 2.0 are whole numbers, too.
      const bool isWhole = std::abs(number) < 1e38 && std::floor(number) == number;
      node->number = isWhole ? Value(static_cast<Int128>(number)) : Value(number);
    }
    const auto length = static_cast<std::size_t>(end - start);
    const bool isHexadecimal = length > 1 && (start[1] == 'x' || start[1] == 'X');
    FailIf(length == 0 || isHexadecimal || (m_At + length < m_Text.size() && IsWordCharacter(m_Text[m_At + length])),
           m_At,
           "this is not a number");
    const std::string hint = HintOnLostNumber(std::string(start, length));
    FailIf(!hint.empty(), m_At, "this is not a number" + hint);
    m_At += length;
    return node;
  }

  NodePointer
  ParseName()
  {
    static const std::pair<const char *, Operation> functions[] = { { "abs", Operation::Abs },
                                                                    { "sqrt", Operation::Sqrt },
                                                                    { "min", Operation::Min },
                                                                    { "max", Operation::Max } };
    const std::size_t                               begin = m_At;
    const std::string                               name = RestOfWord();
    m_At += name.size();
    for (const auto & [function, operation] : functions)
    {
      if (name == function)
      {
        return ParseArguments(operation, name);
      }
    }
    FailIf(name == "and" || name == "or" || name == "not", begin, "expected a number or a column, not '" + name + "'");
    auto node = std::make_unique<Node>();
    node->operation = Operation::Column;
    node->column = PlaceIn(m_Columns, name);
    return node;
  }

  NodePointer
  ParseArguments(Operation operation, const std::string & name)
  {
    auto node = std::make_unique<Node>();
    node->operation = operation;
    FailIf(!Take("("), SkipSpace(), "expected '(' after " + name);
    do
    {
      const std::size_t at = SkipSpace();
      node->operands.push_back(ParseSum());
      RequireNumber(*node->operands.back(), at);
    } while (Take(","));
    FailIf(!Take(")"), SkipSpace(), "expected ',' or ')'");
    const bool takesOne = operation == Operation::Abs || operation == Operation::Sqrt;
    FailIf(takesOne && node->operands.size() != 1, m_At - 1, name + " takes one argument");
    FailIf(!takesOne && node->operands.size() < 2,
           m_At - 1,
           name + " needs two or more values of one component; it does not give the extreme over all components");
    return node;
  }

  class Nesting
  {
  public:
    explicit Nesting(Parser & parser)
      : m_Parser(parser)
    {
      parser.FailIf(++parser.m_Depth > DeepestNesting, parser.m_At, "too many levels of parentheses and signs");
    }
    ~Nesting()
    {
      --m_Parser.m_Depth;
    }
    Nesting(const Nesting &) = delete;
    Nesting & operator=(const Nesting &) = delete;

  private:
    Parser & m_Parser;
  };

  const std::string &        m_Text;
  std::vector<std::string> & m_Columns;
  std::vector<std::string> & m_Names;
  std::size_t                m_At = 0;
  int                        m_Depth = 0;
  int                        m_Arithmetic = 0;
};

} // namespace

std::unique_ptr<Condition::Node>
ParseCondition(const std::string & text, std::vector<std::string> & columns, std::vector<std::string> & names)
{
  return Parser(text, columns, names).Parse();
}

} // namespace brickccl

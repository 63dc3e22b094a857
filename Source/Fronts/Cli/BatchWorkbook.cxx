// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/WriteXlsx.h"
#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Report/Report.h"

#ifdef BRICKCCL_USE_XLSX
#  include <xlsxwriter.h>
#endif

#include <algorithm>
#include <filesystem>

namespace brickccl::cli
{

using nlohmann::ordered_json;

#ifdef BRICKCCL_USE_XLSX

namespace
{

class BatchWorkbook
{
public:
  BatchWorkbook(const std::string & folder, const std::vector<std::string> & fields, lxw_workbook * book)
    : m_Book(book)
  {
    const std::string recipe = (std::filesystem::path(folder) / "recipe.toml").string();
    m_Manifest = report::ReadManifest(folder);
    m_Recipe = batch::ParseRecipe(batch::ReadText(recipe), recipe);
    report::SetFields(m_Recipe, fields);
    m_Say = job::Language(m_Recipe.language);
    m_Items = report::ReadItems(folder);
    m_Defects = report::DataOfScript(folder, m_Items, m_Say, true).at("defects");
    m_Bold = workbook_add_format(book);
    format_set_bold(m_Bold);
    format_set_text_wrap(m_Bold);
    format_set_align(m_Bold, LXW_ALIGN_VERTICAL_TOP);
    m_Wrapped = workbook_add_format(book);
    format_set_text_wrap(m_Wrapped);
    m_Measure = workbook_add_format(book);
    format_set_num_format(m_Measure, "0.000");
    m_Exact = workbook_add_format(book);
    format_set_num_format(m_Exact, "0.000######");
  }

  std::uint64_t
  Fill()
  {
    AddSummary();
    AddVerdicts();
    AddDefects();
    AddHistogram();
    return m_Cells;
  }

private:
  /** Begins a sheet. The columns are as wide as their names want. */
  void
  Begin(const std::string & name, const std::vector<std::string> & columns, std::size_t rows)
  {
    m_Sheet = workbook_add_worksheet(m_Book, m_Say(name).c_str());
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
      const auto across = static_cast<lxw_col_t>(i);
      worksheet_set_column(m_Sheet,
                           across,
                           across,
                           std::clamp(0.7 * static_cast<double>(columns[i].size()), 10.0, 22.0),
                           nullptr);
      Put(0, i, columns[i], m_Bold);
    }
    if (!columns.empty())
    {
      worksheet_freeze_panes(m_Sheet, 1, 0);
      worksheet_autofilter(m_Sheet, 0, 0, static_cast<lxw_row_t>(rows), static_cast<lxw_col_t>(columns.size() - 1));
    }
  }

  /** Writes a cell; fractions have three decimals, and full precision behind them. */
  void
  Put(std::size_t row, std::size_t column, const ordered_json & value, lxw_format * format = nullptr)
  {
    const auto down = static_cast<lxw_row_t>(row);
    const auto across = static_cast<lxw_col_t>(column);
    if (value.is_number())
    {
      lxw_format * const decimals = format == nullptr ? m_Measure : format;
      worksheet_write_number(m_Sheet, down, across, value.get<double>(), value.is_number_float() ? decimals : nullptr);
    }
    else if (value.is_string() && !value.get<std::string>().empty())
    {
      const std::string text = value;
      if (worksheet_write_string(m_Sheet, down, across, text.c_str(), format) != LXW_NO_ERROR)
      {
        throw Unsupported("a cell of a workbook cannot hold so long a text: " + Quoted(text.substr(0, 40) + "..."));
      }
    }
    m_Cells += value.is_number() || (value.is_string() && !value.get<std::string>().empty()) ? 1 : 0;
  }

  void
  AddSummary()
  {
    Begin("Summary", {}, 0);
    worksheet_set_column(m_Sheet, 0, 0, 26, nullptr);
    worksheet_set_column(m_Sheet, 1, 1, 90, nullptr);
    std::size_t row = 0;
    const auto  add = [&](const std::string & name, const ordered_json & value) {
      Put(row, 0, name, m_Bold);
      Put(row++, 1, value, m_Wrapped);
    };
    add(m_Recipe.reportTitle.empty() ? m_Recipe.name : m_Recipe.reportTitle, "");
    for (const auto & [name, value] : report::HeadFields(m_Recipe))
    {
      add(m_Say(name), value);
    }
    for (const char * const verdict : { "pass", "fail", "none", "error", "not done" })
    {
      const auto isIt = [&](const report::Item & item) { return item.cells.at("verdict") == verdict; };
      if (const auto count = std::count_if(m_Items.begin(), m_Items.end(), isIt); count > 0)
      {
        add(m_Say(verdict == std::string("none") ? "measured only" : verdict), count);
      }
    }
    for (const std::string & line : batch::ExplainRecipe(m_Recipe, m_Say))
    {
      add("", line);
    }
    add("SHA-256", m_Manifest.at("recipe").at("sha256"));
  }

  void
  AddVerdicts()
  {
    std::vector<std::string> columns = { m_Say("verdict"),
                                         m_Say("item"),
                                         m_Say("failed rules"),
                                         m_Say("defects"),
                                         m_Say("porosity") + " (%)" };
    const auto               isDone = [](const report::Item & item) { return !item.summary.is_null(); };
    if (const auto done = std::find_if(m_Items.begin(), m_Items.end(), isDone); done != m_Items.end())
    {
      for (const ordered_json & rule : done->summary.at("rules"))
      {
        columns.push_back(rule.at("name").get<std::string>() +
                          m_Say(", limit {1}", { batch::LimitText(rule, m_Recipe, m_Say) }));
      }
    }
    Begin("Verdicts", columns, m_Items.size());
    worksheet_set_column(m_Sheet, 1, 1, 24, nullptr);
    worksheet_set_column(m_Sheet, 2, 2, 60, nullptr);
    for (std::size_t i = 0; i < m_Items.size(); ++i)
    {
      const report::Item & item = m_Items[i];
      const std::string    verdict = item.cells.at("verdict");
      std::string          reasons = item.cells.at("error");
      for (std::size_t k = 0; k < m_Recipe.acceptance.size() && !item.summary.is_null(); ++k)
      {
        const ordered_json & result = item.summary.at("rules").at(k);
        // Three decimals may not show on which side of its limit a value is.
        Put(i + 1, k + 5, result.at("value"), m_Exact);
        if (!result.at("passes").get<bool>())
        {
          reasons +=
            (reasons.empty() ? "" : "\n") + batch::DescribeFailure(result, m_Recipe.acceptance[k], m_Recipe, m_Say);
        }
      }
      Put(i + 1, 0, m_Say(verdict == "none" ? "measured only" : verdict));
      Put(i + 1, 1, item.cells.at("item"));
      Put(i + 1, 2, reasons, m_Wrapped);
      if (!item.summary.is_null())
      {
        Put(i + 1, 3, item.summary.at("defects"));
        Put(i + 1, 4, item.summary.at("porosity_percent"));
      }
    }
  }

  void
  AddDefects()
  {
    const ordered_json & rows = m_Defects.at("rows");
    const ordered_json & columns = m_Defects.at("columns");
    Begin("Defects", m_Defects.at("names"), rows.size());
    worksheet_set_column(m_Sheet, 0, 0, 24, nullptr);
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
      Put(row + 1, 0, m_Items.at(rows[row][0]).cells.at("item"));
      for (std::size_t column = 1; column < rows[row].size(); ++column)
      {
        const ordered_json & value = rows[row][column];
        const bool           isMeasure = value.is_number() && !job::WordsAndUnit(columns[column]).second.empty();
        Put(row + 1, column, isMeasure ? ordered_json(value.get<double>()) : value);
      }
    }
  }

  /** The diameters of the defects in bins, and a chart of them. */
  void
  AddHistogram()
  {
    const auto & columns = m_Defects.at("columns");
    const auto   isIt = [](const ordered_json & name) { return name.get<std::string>().rfind("equivalent_", 0) == 0; };
    const auto   place =
      static_cast<std::size_t>(std::distance(columns.begin(), std::find_if(columns.begin(), columns.end(), isIt)));
    std::vector<double> values;
    for (const ordered_json & row : m_Defects.at("rows"))
    {
      if (place < row.size() && row[place].is_number())
      {
        values.push_back(row[place]);
      }
    }
    if (values.empty())
    {
      return;
    }
    const double highest = *std::max_element(values.begin(), values.end());
    // At most twenty bins of a round width.
    const double             least = std::max(highest, 1e-9) / 20;
    const double             below = LargestRoundNumber(least);
    const double             width = below < least ? LargestRoundNumber(2.5 * below) : below;
    std::vector<std::size_t> counts(static_cast<std::size_t>(highest / width) + 1);
    for (const double value : values)
    {
      ++counts[static_cast<std::size_t>(value / width)];
    }
    const std::string name = m_Defects.at("names").at(place);
    Begin("Histogram", { name, m_Say("number of defects"), m_Say("share of smaller ones (%)") }, counts.size());
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
      sum += static_cast<double>(counts[i]);
      Put(i + 1, 0, (static_cast<double>(i) + 0.5) * width);
      Put(i + 1, 1, counts[i]);
      Put(i + 1, 2, 100 * sum / static_cast<double>(values.size()));
    }
    lxw_chart *        chart = workbook_add_chart(m_Book, LXW_CHART_COLUMN);
    lxw_chart_series * series = chart_add_series(chart, nullptr, nullptr);
    const auto         last = static_cast<lxw_row_t>(counts.size());
    chart_series_set_categories(series, m_Sheet->name, 1, 0, last, 0);
    chart_series_set_values(series, m_Sheet->name, 1, 1, last, 1);
    chart_axis_set_name(chart->x_axis, name.c_str());
    chart_axis_set_name(chart->y_axis, m_Say("number of defects").c_str());
    chart_axis_set_num_format(chart->x_axis, "General");
    chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
    chart_series_set_name(series, m_Say("Histogram").c_str());
    worksheet_insert_chart(m_Sheet, 1, 4, chart);
  }

  lxw_workbook *            m_Book;
  lxw_worksheet *           m_Sheet = nullptr;
  lxw_format *              m_Bold;
  lxw_format *              m_Wrapped;
  lxw_format *              m_Measure;
  lxw_format *              m_Exact;
  ordered_json              m_Manifest;
  batch::Recipe             m_Recipe;
  job::Language             m_Say;
  std::vector<report::Item> m_Items;
  ordered_json              m_Defects;
  std::uint64_t             m_Cells = 0;
};

} // namespace

std::string
WriteBatchWorkbook(const std::string & folder, const std::vector<std::string> & fields)
{
  std::string path = (std::filesystem::path(folder) / "report.xlsx").string();
  WriteWorkbook(path, false, [&](lxw_workbook * book) { return BatchWorkbook(folder, fields, book).Fill(); });
  return path;
}

#else

std::string
WriteBatchWorkbook(const std::string &, const std::vector<std::string> &)
{
  throw Unsupported("this build has no libxlsxwriter, which --xlsx needs; items.csv and defects.csv have the numbers");
}

#endif

} // namespace brickccl::cli

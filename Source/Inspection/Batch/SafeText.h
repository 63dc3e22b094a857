// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/** Names and texts from files and recipes, in forms that harm nothing where they are put. */
namespace brickccl::batch
{

/** The text if it is UTF-8; else with a question mark for each byte beyond ASCII. */
std::string Utf8Text(const std::string & text);

/** \throws Error for a path that is not UTF-8 or has control characters. */
void CheckName(const std::string & path);

/** A text for a terminal or a log, in UTF-8: control characters are written as \xFF, lines' ends too. */
std::string OneLine(const std::string & text);

/** A text as a cell of a CSV file, in UTF-8 (TextCell). */
std::string CsvCell(const std::string & text);

/** A name for a folder: letters, digits, dots, hyphens and underscores of ASCII. Other characters become an
 *  underscore; it begins with a letter, a digit or an underscore and has at most 100 characters. */
std::string FolderName(const std::string & name);

/** Such names for all items, each different from the others also where upper and lower case are the same. */
std::vector<std::string> FolderNames(const std::vector<std::string> & names);

std::string PathIn(const std::string & folder, const std::string & file);

/** The whole text of a file. \throws Error if it cannot be read. */
std::string ReadText(const std::string & path);

} // namespace brickccl::batch

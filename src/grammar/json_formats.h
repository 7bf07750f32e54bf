// The values of JSON schema's `format` as sets of strings. Where a format allows more than is sensible to
// generate (comments in mail addresses, every scheme of a URI), a well-formed part of it stands here.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/string_set.h"

namespace cria::grammar {

enum class FormatStatus {
    constrained,  // format_strings() gives its strings
    refused,      // defined by the standard, but not supported here
    unknown,      // says nothing, by the standard
};

FormatStatus format_status(std::string_view name);
// For constrained formats. Built at first use and kept; thread-safe.
const StringSet& format_strings(std::string_view name);

}  // namespace cria::grammar

// One pattern per format (RFC 3339, 1123, 5321, 4291, 3986, 6901; JSON Schema Validation 7.3).
#include "grammar/json_formats.h"

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "base/error.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

// Years 1000 to 9999: everybody's date type holds them. February 29 needs a leap year.
const std::string kDate =
    "(?:[1-9]\\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:"
    "0[1-9]|1\\d|2[0-8]))"
    "|(?:[1-9]\\d(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)-02-29)";
const std::string kTime =
    "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
const std::string kDurationTime =
    "T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?|\\d{1,6}S)";
const std::string kDurationDate =
    "(?:\\d{1,6}D|\\d{1,6}M(?:\\d{1,6}D)?|\\d{1,6}Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?)";
// Labels of at most 31 characters, at most seven of them: always within 253.
const std::string kLabel = "[a-zA-Z0-9]{1,15}(?:-[a-zA-Z0-9]{1,15})?";
const std::string kDomain = "(?:" + kLabel + "\\.){1,6}[a-zA-Z]{2,15}";
const std::string kHostname = "(?:" + kLabel + "\\.){0,6}[a-zA-Z]{1,15}";
const std::string kOctet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const std::string kGroup = "[0-9a-fA-F]{1,4}";
const std::string kPathCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})";
const std::string kPathAndMore = "(?:/" + kPathCharacter + "*)*(?:\\?(?:[/?]|" + kPathCharacter +
                                 ")*)?(?:#(?:[/?]|" + kPathCharacter + ")*)?";
const std::string kUri = "(?:https?|ftp)://" + kHostname + "(?::\\d{1,4})?" + kPathAndMore;
const std::string kReference = kUri + "|/(?:" + kPathCharacter + "+" + kPathAndMore + ")?";
const std::string kPointer = "(?:/(?:[^/~]|~[01])*)*";

struct Format {
    std::string_view name;
    std::string pattern;  // empty: refused
};

const std::array<Format, 19>& formats() {
    static const std::array<Format, 19> table = {{
        {"date", kDate},
        {"time", kTime},
        {"date-time", kDate + "T" + kTime},
        {"duration", "P(?:\\d{1,6}W|" + kDurationDate + "(?:" + kDurationTime + ")?|" + kDurationTime + ")"},
        {"uuid", "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"},
        {"email", "[a-zA-Z0-9_+-]{1,32}(?:\\.[a-zA-Z0-9_+-]{1,31})?@" + kDomain},
        {"idn-email", "[a-zA-Z0-9_+-]{1,32}(?:\\.[a-zA-Z0-9_+-]{1,31})?@" + kDomain},
        {"hostname", kHostname},
        {"idn-hostname", kHostname},
        {"ipv4", "(?:" + kOctet + "\\.){3}" + kOctet},
        {"ipv6", "(?:" + kGroup + ":){7}" + kGroup + "|::(?:" + kGroup + "(?::" + kGroup + "){0,5})?"},
        {"uri", kUri},
        {"iri", kUri},
        {"uri-reference", kReference},
        {"iri-reference", kReference},
        {"json-pointer", kPointer},
        {"relative-json-pointer", "(?:0|[1-9]{1,6})(?:#|" + kPointer + ")"},
        {"regex", ""},
        {"uri-template", ""},
    }};
    return table;
}

const Format* find(std::string_view name) {
    for (const Format& format : formats()) {
        if (format.name == name) return &format;
    }
    return nullptr;
}

}  // namespace

FormatStatus format_status(std::string_view name) {
    const Format* format = find(name);
    if (format == nullptr) return FormatStatus::unknown;
    return format->pattern.empty() ? FormatStatus::refused : FormatStatus::constrained;
}

const StringSet& format_strings(std::string_view name) {
    static std::mutex mutex;
    static std::map<std::string, StringSet, std::less<>> known;
    const std::scoped_lock lock(mutex);
    const auto entry = known.find(name);
    if (entry != known.end()) return entry->second;
    const Format* format = find(name);
    CRIA_BUG_UNLESS(format != nullptr && !format->pattern.empty());
    return known.emplace(name, Regex::compile(format->pattern).language(RegexUse::whole)).first->second;
}

}  // namespace cria::grammar

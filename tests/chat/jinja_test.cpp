// The interpreter on its own: what the goldens do not cover, malformed templates, and templates that try to
// take too much.
#include "chat/jinja/template.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace cria::chat::jinja {
namespace {

using Json = nlohmann::ordered_json;

std::string render(const std::string& source, const Json& variables = Json::object(),
                   const RenderOptions& options = {}) {
    return Template::compile(source).render(Value::from_json(variables).as_dict(), options);
}

// "kind: detail" of the error, or "rendered".
std::string error_of(const std::string& source, const RenderOptions& options = {}) {
    try {
        render(source, Json::object(), options);
        return "rendered";
    } catch (const TemplateError& error) {
        return error.kind() + ": " + error.detail();
    }
}

std::string repeat(std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
}

TEST(Jinja, ErrorsNameTheLineTheKindAndTheReason) {
    try {
        render("one\ntwo {{ 1 }}\n{{ missing.name }}");
        FAIL() << "rendered";
    } catch (const TemplateError& error) {
        EXPECT_EQ(error.line(), 3);
        EXPECT_EQ(error.kind(), "UndefinedError");
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_STREQ(error.what(), "chat template, line 3: UndefinedError: 'missing' is undefined");
    }
}

TEST(Jinja, RaiseExceptionSaysThatTheTemplateRefuses) {
    try {
        render("{{ raise_exception('only users') }}");
        FAIL() << "rendered";
    } catch (const TemplateError& error) {
        EXPECT_EQ(error.kind(), "raised");
        EXPECT_STREQ(error.what(), "the chat template refuses these messages (line 1): only users");
    }
}

TEST(Jinja, MalformedTemplatesAreSyntaxErrors) {
    const char* const kMalformed[] = {
        "{{",
        "{{ 1",
        "{%",
        "{% if",
        "{% if x %}",
        "{% endif %}",
        "{# open",
        "{{ ) }}",
        "{{ (1 }}",
        "{{ [1, 2 }}",
        "{{ {1} }}",
        "{{ {1:} }}",
        "{{ 1 + }}",
        "{{ a b }}",
        "{{ .a }}",
        "{{ a. }}",
        "{{ a[ }}",
        "{{ a[] }}",
        "{{ a|  }}",
        "{{ a is }}",
        "{{ a if }}",
        "{% set %}",
        "{% set 1=2 %}",
        "{% for in x %}{% endfor %}",
        "{% for x %}{% endfor %}",
        "{% macro %}{% endmacro %}",
        "{% macro f(a=1, b) %}{% endmacro %}",
        "{% call 1 %}{% endcall %}",
        "{% filter %}{% endfilter %}",
        "{% break %}",
        "{% nonsense %}",
        "{% raw %}",
        "{{ 'open }}",
        "{{ $ }}",
        "{{ f(a=1, 2) }}",
        "{{ '\\x4' }}",
        "{{ a[1:2:3:4] }}",
        "{{ 99999999999999999999 }}",
        "{% set true = 1 %}",
        "{{ a is string is string }}",
        "{% with a %}{% endwith %}",
    };
    for (const char* source : kMalformed) {
        EXPECT_TRUE(error_of(source).starts_with("TemplateSyntaxError: "))
            << source << " gives " << error_of(source);
    }
}

TEST(Jinja, EveryPrefixOfATemplateCompilesOrIsRefused) {
    const std::string source =
        "{%- macro f(a, b='x') -%}{{ a ~ b|upper }}{%- endmacro -%}\n{% for m in [1, 2.5, 'z'] if m is "
        "defined %}"
        "{{ loop.index }}:{{ f(m, b={'k': [1, (2, 3)]}['k'][-1]) }}{% else %}none{% endfor %}{# c #}{% raw "
        "%}{{ }}{% endraw %}"
        "{% set ns = namespace(x=1) %}{% set ns.x = ns.x + 1 %}{% call f(1) %}b{% endcall %}{{ 'a' if 1 < 2 "
        "<= 3 else \"b\" }}";
    for (size_t n = 0; n <= source.size(); ++n) {
        try {
            render(source.substr(0, n));
        } catch (const TemplateError&) {
        }
    }
}

TEST(Jinja, DepthBombsAreRefusedWithLittleStack) {
    const int kMany = 120 * 1024;
    const std::string bombs[] = {
        "{{ " + repeat("(", kMany) + "1" + repeat(")", kMany) + " }}",
        "{{ " + repeat("[", kMany),
        "{{ " + repeat("{1:", kMany),
        "{{ " + repeat("not ", kMany) + "1 }}",
        "{{ " + repeat("-", kMany) + "1 }}",
        "{{ 1" + repeat("+1", kMany) + " }}",
        "{{ 1" + repeat(" and 1", kMany) + " }}",
        "{{ a" + repeat(".a", kMany) + " }}",
        "{{ a" + repeat("|string", kMany) + " }}",
        "{{ a" + repeat("()", kMany) + " }}",
        "{{ a" + repeat("[0]", kMany) + " }}",
        "{{ 1" + repeat(" if 1 else 1", kMany) + " }}",
        repeat("{% if 1 %}", kMany),
        repeat("{% for x in y %}", kMany),
        repeat("{% macro f() %}", kMany),
        "{% set " + repeat("(", kMany) + repeat(")", kMany) + "%}",
    };
    for (const std::string& bomb : bombs) {
        EXPECT_TRUE(error_of(bomb).starts_with("LimitExceeded: "))
            << bomb.substr(0, 20) << ": " << error_of(bomb);
    }
}

TEST(Jinja, TemplatesThatNeverEndHitALimit) {
    const char* const kEndless[] = {
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% "
        "endfor %}{% endfor %}",
        "{% for a in range(99999) %}{% for b in range(99999) %}xxxxxxxxxxxxxxxxxxxxxxx{% endfor %}{% endfor "
        "%}",
        "{% set n = namespace(l=[1]) %}{% for a in range(999) %}{% set n.l = n.l + n.l %}{% endfor %}",
        "{% set n = namespace(l='x') %}{% for a in range(999) %}{% set n.l = n.l ~ n.l %}{% endfor %}",
        "{% set n = namespace(l=[1]) %}{% for a in range(999) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l "
        "}}",
        "{% set n = namespace(l=[1]) %}{% for a in range(9999) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l }}",
        "{% set n = namespace(l=1) %}{% for a in range(9999) %}{% set n.l = {'a': n.l} %}{% endfor %}{{ n.l "
        "}}",
        "{{ 'x' * 99999999999 }}",
        "{{ [1] * 99999999999 }}",
        "{{ 'x'|center(99999999999) }}",
        "{{ 'x\nx'|indent(99999999999) }}",
        "{{ [1]|batch(99999999999, 0)|list }}",
        "{{ [1]|slice(99999999999)|list }}",
        "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% set n = namespace() %}{% for a in range(9999) %}{% for b in [n.l] %}{% set n.l = loop %}{% "
        "endfor %}{% endfor %}",
    };
    RenderOptions options;
    options.limits.max_work = int64_t{1} << 26;  // the default is higher, and would take this test seconds
    for (const char* source : kEndless) {
        const std::string error = error_of(source, options);
        EXPECT_TRUE(error.starts_with("LimitExceeded: ")) << source << ": " << error;
    }
    EXPECT_TRUE(error_of("{{ '%999999999d' % 1 }}").starts_with("ValueError: "));
    EXPECT_TRUE(error_of("{{ range(1000000) }}").starts_with("OverflowError: "));
}

TEST(Jinja, LimitsCanBeSetPerRender) {
    RenderOptions options;
    options.limits.max_output_bytes = 10;
    EXPECT_EQ(render("0123456789", Json::object(), options), "0123456789");
    EXPECT_EQ(error_of("0123456789a", options), "LimitExceeded: the template prints more than 10 bytes");
}

TEST(Jinja, ArithmeticThatDoesNotFitIsAnError) {
    for (const char* source :
         {"{{ 9223372036854775807 + 1 }}", "{{ 2 ** 64 }}", "{{ 9223372036854775807 * 2 }}",
          "{{ -9223372036854775807 - 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}",
          "{{ -(-9223372036854775807 - 1) }}", "{{ (-9223372036854775807 - 1)|abs }}"}) {
        EXPECT_TRUE(error_of(source).starts_with("OverflowError: ")) << source << ": " << error_of(source);
    }
    EXPECT_EQ(render("{{ (-9223372036854775807 - 1) % -1 }}"), "0");
}

TEST(Jinja, ListsChangeOnlyWhereThatIsAllowed) {
    const std::string source =
        "{% set l = [1] %}{% for x in [2, 3] %}{% set _ = l.append(x) %}{% endfor %}{% set n = "
        "namespace(l=l) %}"
        "{{ n.l.pop(0) }}{{ n.l.pop() }}{{ n.l }}{{ l }}";
    EXPECT_EQ(error_of(source), "SecurityError: access to attribute 'append' of 'list' object is unsafe.");
    EXPECT_EQ(render(source, Json::object(), {.allow_list_changes = true}), "13[2][1, 2, 3]");
    EXPECT_EQ(error_of("{{ [].append(1) }}", {.allow_list_changes = true}),
              "SecurityError: access to attribute 'append' of 'list' object is unsafe.");
    EXPECT_EQ(error_of("{% set l = [] %}{{ l.pop() }}", {.allow_list_changes = true}),
              "IndexError: pop from empty list");
}

TEST(Jinja, NothingOutsideCanBeReached) {
    EXPECT_EQ(error_of("{% include '/etc/passwd' %}"), "TypeError: no loader for this environment specified");
    EXPECT_EQ(error_of("{% extends 'x' %}"), "TypeError: no loader for this environment specified");
    EXPECT_EQ(error_of("{% import 'os' as os %}"), "TypeError: no loader for this environment specified");
    EXPECT_EQ(render("{{ ''.__class__ }}|{{ open is defined }}|{{ env is defined }}|{{ self is defined }}"),
              "|False|False|False");
}

TEST(Jinja, NamespacesInACircleAreReleased) {
    EXPECT_EQ(render("{% set a = namespace() %}{% set b = namespace(o=a) %}{% set a.o = b %}{% set a.s = a %}"
                     "{% macro m() %}{% endmacro %}{% set a.m = m %}{{ a.o.o.s is defined }}"),
              "True");
}

TEST(Jinja, LoopsKnowTheirDepthAndCallThemselves) {
    EXPECT_EQ(render("{% for x in t recursive %}{{ loop.depth }}{{ x.n }}{% if x.c %}({{ loop(x.c) }}){% "
                     "endif %}{% endfor %}",
                     {{"t", {{{"n", "a"}, {"c", {{{"n", "b"}}, {{"n", "c"}}}}}, {{"n", "d"}}}}}),
              "1a(2b2c)1d");
    EXPECT_EQ(render("{% for x in [1, 1, 2] %}{{ loop.changed(x) }} {% endfor %}"), "True False True ");
    EXPECT_EQ(error_of("{% set n = namespace() %}{% for x in [1] recursive %}{% set n.l = loop %}{% endfor "
                       "%}{{ n.l([1]) }}"),
              "TypeError: The loop must have the 'recursive' marker to be called recursively, and must still "
              "be running");
}

TEST(Jinja, GeneratorsGiveTheirItemsOnce) {
    EXPECT_EQ(
        render("{% set g = [1, 2]|select %}{{ 'y' if g else 'n' }}{{ g|first }}{{ g|list }}{{ g|list }}"),
        "y1[2][]");
}

TEST(Jinja, MacrosTakeNamesDefaultsAndCallers) {
    EXPECT_EQ(
        render("{% macro f(a, b=a ~ '!') %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }} {{ f(*[1], **{'b': 2}) }}"),
        "11! 12");
    EXPECT_EQ(
        render(
            "{% macro f() %}{{ caller(1, b=2) }}{% endmacro %}{% call(a, b) f() %}{{ a + b }}{% endcall %}"),
        "3");
    EXPECT_EQ(error_of("{% macro f() %}{% endmacro %}{{ f(1) }}"),
              "TypeError: macro 'f' takes not more than 0 argument(s)");
    EXPECT_EQ(error_of("{% macro f() %}{% endmacro %}{{ f(x=1) }}"),
              "TypeError: macro 'f' takes no keyword argument 'x'");
    EXPECT_EQ(render("{% macro f() %}{{ late }}{% endmacro %}{% set late = 1 %}{{ f() }}"), "1");
}

TEST(Jinja, DictionaryMethodsWinOverKeysInDotsOnly) {
    const Json variables = {{"d", {{"items", 1}, {"x", 2}}}};
    EXPECT_EQ(render("{{ d['items'] }}{{ d.items()|length }}{{ d.x }}", variables), "122");
    EXPECT_EQ(render("{{ d['keys'] is callable }}", variables), "True");
}

TEST(Jinja, MarkupEscapesWhatIsAddedToIt) {
    EXPECT_EQ(render("{{ '<a>'|safe + '<b>' }} {{ '<a>' ~ ('<b>'|safe) }} {{ 'a'|e is escaped }}"),
              "<a>&lt;b&gt; <a><b> True");
}

TEST(Jinja, TextMethodsCountCharactersNotBytes) {
    const Json variables = {{"s", "Grüße 👩‍🚀"}};
    EXPECT_EQ(render("{{ s.find('e') }} {{ s[2:5] }} {{ s.upper() }} {{ s|length }} {{ 'é'.center(5, '*') }}",
                     variables),
              "4 üße GRÜSSE 👩‍🚀 9 **é**");
    EXPECT_EQ(
        render("{{ ' a  b '.rsplit(none, 1) }} {{ 'a b c'.split(' ', 1) }} {{ 'x=1=2'.partition('=') }}"),
        "[' a', 'b'] ['a', 'b c'] ('x', '=', '1=2')");
}

TEST(Jinja, InvalidUtf8IsKept) {
    const std::string broken = "a\xff\xe4\xbd";
    EXPECT_EQ(Template::compile("{{ '" + broken + "' }}" + broken).render({}), broken + broken);
    EXPECT_EQ(Template::compile("{{ '" + broken + "'|length }}").render({}), "4");
}

TEST(Jinja, OneTemplateRendersInManyThreads) {
    const Template shared =
        Template::compile("{% for x in range(100) %}{{ x }}{% set y = [x, 'a'] %}{{ y }}{% endfor %}");
    const std::string expected = shared.render({});
    std::vector<std::thread> threads;
    std::vector<std::string> results(4);
    for (std::string& result : results) threads.emplace_back([&] { result = shared.render({}); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace cria::chat::jinja

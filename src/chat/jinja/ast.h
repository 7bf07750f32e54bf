// The syntax tree of a template: plain structs, built by the parser, read by the interpreter. Expressions and
// statements are variants; a node is owned by its parent. The parser bounds how deep a tree is.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chat/jinja/value.h"

namespace cria::chat::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Arguments {
    std::vector<ExprPtr> positional;
    std::vector<std::pair<std::string, ExprPtr>> named;
    ExprPtr star;       // *sequence, or null
    ExprPtr star_star;  // **mapping, or null
};

enum class BinaryOp : uint8_t {
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    logical_and,
    logical_or
};
enum class CompareOp : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
enum class UnaryOp : uint8_t { logical_not, minus, plus };

struct Literal {
    Value value;
};
struct Name {
    std::string name;
};
struct ListDisplay {
    std::vector<ExprPtr> items;
    bool is_tuple = false;
};
struct DictDisplay {
    std::vector<std::pair<ExprPtr, ExprPtr>> entries;
};
struct Unary {
    UnaryOp op;
    ExprPtr operand;
};
struct Binary {
    BinaryOp op;
    ExprPtr left, right;
};
struct Comparison {  // a < b < c
    ExprPtr first;
    std::vector<std::pair<CompareOp, ExprPtr>> rest;
};
struct Concatenation {  // a ~ b ~ c
    std::vector<ExprPtr> parts;
};
struct Conditional {                // then if test else otherwise
    ExprPtr test, then, otherwise;  // otherwise may be null
};
struct AttributeOf {
    ExprPtr object;
    std::string name;
};
struct Subscript {
    ExprPtr object, index;
};
struct SliceOf {
    ExprPtr object, start, stop, step;  // the last three may be null
};
struct Call {
    ExprPtr callee;
    Arguments args;
};
struct FilterCall {
    ExprPtr input;  // null: the text of the enclosing filter or set block
    std::string name;
    Arguments args;
};
struct TestCall {
    ExprPtr input;
    std::string name;
    Arguments args;
};

struct Expr {
    int line = 0;
    int depth = 1;  // of the tree below, itself included
    std::variant<Literal, Name, ListDisplay, DictDisplay, Unary, Binary, Comparison, Concatenation,
                 Conditional, AttributeOf, Subscript, SliceOf, Call, FilterCall, TestCall>
        node;
};

struct Stmt;
using Body = std::vector<Stmt>;

// What an assignment fills: a name, an attribute of a namespace, or several of these.
struct Target {
    std::string name;
    std::string attribute;      // empty: the name itself
    std::vector<Target> parts;  // not empty: unpack into these
};

struct Data {
    std::string text;
};
struct Print {
    ExprPtr value;
};
struct If {
    std::vector<std::pair<ExprPtr, Body>> branches;
    Body otherwise;
};
struct For {
    Target target;
    ExprPtr iterable, filter;  // filter may be null
    Body body, otherwise;
    bool is_recursive = false;
};
struct Set {
    Target target;
    ExprPtr value;
};
struct SetBlock {
    Target target;
    ExprPtr filter;  // or null
    Body body;
};
struct MacroDefinition {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<ExprPtr> defaults;  // of the last parameters
    Body body;
    bool uses_varargs = false, uses_kwargs = false, uses_caller = false;
};
struct CallBlock {
    ExprPtr call;
    MacroDefinition caller;
};
struct FilterBlock {
    ExprPtr filter;
    Body body;
};
struct With {
    std::vector<std::pair<Target, ExprPtr>> values;
    Body body;
};
struct Group {  // generation, autoescape and named blocks: only the body counts
    Body body;
};
struct Break {};
struct Continue {};
struct NeedsLoader {};  // include, import, extends: templates cannot read files

struct Stmt {
    int line = 0;
    std::variant<Data, Print, If, For, Set, SetBlock, std::shared_ptr<const MacroDefinition>, CallBlock,
                 FilterBlock, With, Group, Break, Continue, NeedsLoader>
        node;
};

}  // namespace cria::chat::jinja

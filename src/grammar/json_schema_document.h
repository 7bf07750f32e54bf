// A JSON schema as a graph of nodes: references resolved, applicators (allOf, anyOf, oneOf, not, if,
// dependent...) taken apart into alternatives, so that what remains of each is a plain list of nodes that all
// hold. Internal to the room.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cria::grammar {

using Json = nlohmann::ordered_json;

// Several schemas that all hold.
using SchemaNodes = std::vector<const Json*>;

// Kinds of values. "integer" is kInteger, "number" is kInteger | kFraction.
namespace json_kind {
inline constexpr uint32_t kNull = 1, kBoolean = 2, kInteger = 4, kFraction = 8, kString = 16, kArray = 32,
                          kObject = 64, kAll = 127;
inline constexpr uint32_t kNumber = kInteger | kFraction;
}  // namespace json_kind

// Keywords that only nodes made by negation carry. Users cannot: those are looked at in such nodes alone.
namespace negation_keyword {
inline constexpr const char* kKinds = "\1kinds";          // a mask of json_kind
inline constexpr const char* kExcluded = "\1excluded";    // values that must not be
inline constexpr const char* kForbidden = "\1forbidden";  // properties that must be absent
inline constexpr const char* kNotPattern = "\1not-pattern";
inline constexpr const char* kNotFormat = "\1not-format";
}  // namespace negation_keyword

class SchemaDocument {
  public:
    static constexpr size_t kMaxBytes = size_t{4} << 20;
    static constexpr int kMaxDepth = 400;  // of the schema's JSON; recursion over it stays within the stack
    static constexpr size_t kMaxAlternatives = 2000;  // products of anyOf and the like

    // Throws Error{invalid_argument} for what is not JSON or too deep.
    explicit SchemaDocument(std::string_view text);
    SchemaDocument(const SchemaDocument&) = delete;
    SchemaDocument& operator=(const SchemaDocument&) = delete;

    const Json* root() const { return &root_; }

    // One way to satisfy a list of nodes: all of `nodes` hold when only their keywords other than applicators
    // are looked at.
    struct Alternative {
        SchemaNodes nodes;
        std::vector<uint32_t>
            parents;  // by index: who brought the node in; itself for those that were asked for
        bool descends_from(size_t node, size_t ancestor) const;
    };
    // Throws Error for references that do not resolve or never end, and for what cannot be taken apart.
    std::vector<Alternative> expand(const SchemaNodes& nodes);

    // The schema under a keyword of a node, checked to be an object or boolean. `key2` goes one step further
    // (properties/NAME).
    const Json* child(const Json* node, std::string_view key,
                      std::optional<std::string_view> key2 = std::nullopt);
    const Json* child(const Json* node, std::string_view key, size_t index);
    const Json* reference_target(const Json* node);
    // A node that no text contains, standing at the place of `origin`.
    const Json* add_node(Json schema, const Json* origin);
    // A node that holds when `node` fails.
    const Json* negation_of(const Json* node);
    bool is_made(const Json* node) const { return made_.contains(node); }

    // "#/properties/a", for messages.
    std::string path(const Json* node) const;
    // Throws Error naming the keyword and its path.
    [[noreturn]] void refuse(const Json* node, std::string_view keyword,
                             std::string_view why) const;  // unsupported
    [[noreturn]] void refuse_broken(const Json* node, std::string_view keyword,
                                    std::string_view why) const;  // invalid_argument

    // Kinds that the node's `type` (or negation keyword) allows.
    uint32_t kinds(const Json* node) const;
    static uint32_t kind_of(const Json& value);

  private:
    using Branches = std::vector<SchemaNodes>;  // any of these
    struct Open;

    void expand_open(Open open, std::vector<Alternative>& out);
    void visit(Open& open, const Json* node, uint32_t parent);
    const std::vector<Branches>& branches_of(const Json* node);
    void add_dependencies(const Json* node, std::vector<Branches>& out);
    Branches one_of_branches(const Json* node);
    // What makes the node fail, as branches of which one must hold. Throws Error{unsupported} for keywords
    // that cannot be negated.
    const Branches& negated(const Json* node);
    void negate_keyword(const Json* node, const std::string& key, Branches& out);
    bool negate_limit(const Json* node, const std::string& key, Branches& out);
    bool certainly_disjoint(const SchemaNodes& nodes, int depth);
    bool certainly_impossible(const Alternative& alternative, int depth);
    const Json* register_child(const Json* node, const Json& schema, std::string_view key,
                               const std::string& rest);
    const Json* find_anchor(const Json& within, const std::string& anchor, const std::string& at);

    Json root_;
    std::deque<Json> made_nodes_;
    std::unordered_set<const Json*> made_;
    std::unordered_map<const Json*, std::string> paths_;
    std::unordered_map<const Json*, Branches> negated_;
    std::unordered_map<const Json*, const Json*> negation_nodes_;    // of a node
    std::unordered_map<const Json*, const Json*> negation_targets_;  // the other way round
    std::unordered_map<const Json*, std::vector<Branches>> branches_;
    size_t n_expanded_ = 0;
};

}  // namespace cria::grammar

#include "scheduling/key_trie.h"

#include <algorithm>
#include <iterator>

namespace hpd {

namespace {

using Values = std::vector<Value *>;

void add_subtree(const Values & values, size_t depth, std::vector<KeyNode> & nodes) {
    // Fields keep their order: each group is led by the first field that has its token.
    Values left = values;
    while (!left.empty()) {
        const auto & lead_key = left.front()->field().key;
        if (lead_key.size() <= depth) {
            left.erase(left.begin());
            continue;
        }
        const Token token = lead_key[depth];
        const auto shares = [&](const Value * v) {
            return v->field().key.size() > depth && v->field().key[depth] == token;
        };
        KeyNode node{token, static_cast<int32_t>(depth), {}, {}, 0};
        std::copy_if(left.begin(), left.end(), std::back_inserter(node.values), shares);
        for (Value * v : node.values) {
            if (v->field().key.size() == depth + 1) node.ends.push_back(v);
        }
        left.erase(std::remove_if(left.begin(), left.end(), shares), left.end());
        const Values below = node.values;
        nodes.push_back(std::move(node));
        add_subtree(below, depth + 1, nodes);
    }
}

}  // namespace

std::vector<KeyNode> build_key_trie(const std::vector<Value *> & values, bool share) {
    std::vector<KeyNode> nodes;
    if (share) {
        add_subtree(values, 0, nodes);
    } else {
        for (Value * v : values) add_subtree({v}, 0, nodes);
    }
    return nodes;
}

}  // namespace hpd

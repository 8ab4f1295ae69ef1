#include "drafting/histories.h"

#include <stdexcept>
#include <string>

namespace hpd {

namespace {

uint64_t edge(uint32_t from, Token token) {
    return uint64_t{from} << 32 | static_cast<uint32_t>(token);
}

}  // namespace

Histories::Histories(size_t n_histories_max, size_t n_nodes_max)
    : n_histories_max_(n_histories_max), n_nodes_max_(n_nodes_max) {}

void Histories::learn(uint64_t attribute, const std::vector<Token> & value) {
    History * history = find(attribute);
    if (!history) {
        by_use_.push_front({attribute, std::vector<Node>(1), {}});
        by_attribute_[attribute] = by_use_.begin();
        history = &by_use_.front();
        ++n_nodes_;
        make_room();
    }
    std::vector<Node> & nodes = history->nodes;
    uint32_t at = 0;
    for (const Token t : value) {
        const auto known = history->edges.find(edge(at, t));
        uint32_t next = 0;
        if (known != history->edges.end()) {
            next = known->second;
        } else if (make_node(*history)) {
            next = static_cast<uint32_t>(nodes.size());
            nodes.emplace_back();
            nodes[next].token = t;
            history->edges.emplace(edge(at, t), next);
        } else {
            return;
        }
        ++nodes[at].n_continued;
        ++nodes[next].n_reached;
        const uint32_t likeliest = nodes[at].likeliest;
        if (likeliest == 0 || nodes[next].n_reached > nodes[likeliest].n_reached) {
            nodes[at].likeliest = next;
        }
        at = next;
    }
}

Guess Histories::guess(uint64_t attribute, const std::vector<Token> & beginning) {
    const History * history = find(attribute);
    if (!history) return {};
    uint32_t at = 0;
    for (const Token t : beginning) {
        const auto next = history->edges.find(edge(at, t));
        if (next == history->edges.end()) return {};
        at = next->second;
    }
    const Node & node = history->nodes[at];
    const Node & next = history->nodes[node.likeliest];
    if (node.likeliest == 0 || next.n_continued == 0) return {};
    // One is added for tokens that have not been seen yet.
    return {next.token, next.n_reached / (node.n_continued + 1.0)};
}

Histories::History * Histories::find(uint64_t attribute) {
    const auto it = by_attribute_.find(attribute);
    if (it == by_attribute_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return &*it->second;
}

// Counts one more node for a history; returns false if it already has its share of nodes.
bool Histories::make_node(const History & history) {
    if (history.nodes.size() >= n_nodes_max_ / 4) return false;
    ++n_nodes_;
    make_room();
    return true;
}

void Histories::make_room() {
    while (by_use_.size() > 1 && (by_use_.size() > n_histories_max_ || n_nodes_ > n_nodes_max_)) {
        n_nodes_ -= by_use_.back().nodes.size();
        by_attribute_.erase(by_use_.back().attribute);
        by_use_.pop_back();
    }
}

void Histories::check() const {
    const auto fail = [](const char * what) {
        throw std::logic_error(std::string("histories: ") + what);
    };
    if (by_use_.size() > n_histories_max_) fail("there are too many histories");
    if (n_nodes_ > n_nodes_max_) fail("there are too many nodes");
    if (by_attribute_.size() != by_use_.size()) fail("the index is incomplete");
    size_t n_nodes = 0;
    for (const History & history : by_use_) {
        n_nodes += history.nodes.size();
        std::vector<int32_t> n_onward(history.nodes.size(), 0);
        for (const auto & [key, next] : history.edges) {
            if (history.nodes[next].token != static_cast<Token>(key & 0xffffffff))
                fail("a node and the edge to it have different tokens");
            n_onward[key >> 32] += history.nodes[next].n_reached;
        }
        for (size_t i = 0; i < n_onward.size(); ++i) {
            if (n_onward[i] != history.nodes[i].n_continued) fail("a node's visits are miscounted");
        }
        if (history.edges.size() + 1 != history.nodes.size()) fail("a node has no edge to it");
    }
    if (n_nodes != n_nodes_) fail("the nodes are miscounted");
}

}  // namespace hpd

#include "drafting/histories.h"

#include <stdexcept>
#include <string>

namespace hpd {

Histories::Histories(size_t n_histories_max, size_t n_nodes_max)
    : n_histories_max_(n_histories_max), n_nodes_max_(n_nodes_max) {}

void Histories::learn(uint64_t attribute, const std::vector<Token> & value) {
    History * history = find(attribute);
    if (!history) {
        by_use_.push_front({attribute, std::vector<Node>(1)});
        by_attribute_[attribute] = by_use_.begin();
        history = &by_use_.front();
        ++n_nodes_;
        make_room();
    }
    std::vector<Node> & nodes = history->nodes;
    size_t at = 0;
    for (const Token t : value) {
        const auto known = nodes[at].next.find(t);
        uint32_t next = 0;
        if (known != nodes[at].next.end()) {
            next = known->second;
        } else if (make_node(*history)) {
            next = static_cast<uint32_t>(nodes.size());
            nodes.emplace_back();
            nodes[at].next.emplace(t, next);
        } else {
            return;
        }
        ++nodes[at].n;
        // Each node counts how often it was reached; the parent knows its likeliest child.
        const int32_t n_here = ++nodes[next].n_reached;
        if (n_here > nodes[at].n_likeliest) {
            nodes[at].n_likeliest = n_here;
            nodes[at].likeliest = t;
        }
        at = next;
    }
}

Guess Histories::guess(uint64_t attribute, const std::vector<Token> & beginning) {
    const History * history = find(attribute);
    if (!history) return {};
    const Node * node = &history->nodes[0];
    for (const Token t : beginning) {
        const auto next = node->next.find(t);
        if (next == node->next.end()) return {};
        node = &history->nodes[next->second];
    }
    if (node->n == 0 || history->nodes[node->next.at(node->likeliest)].n == 0) return {};
    // One more, of anything else, for what has not been seen yet.
    return {node->likeliest, node->n_likeliest / (node->n + 1.0)};
}

Histories::History * Histories::find(uint64_t attribute) {
    const auto it = by_attribute_.find(attribute);
    if (it == by_attribute_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return &*it->second;
}

// Counts one more node of the history that is used just now; false if it has its share.
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
    if (by_use_.size() > n_histories_max_) fail("there are too many of them");
    if (n_nodes_ > n_nodes_max_) fail("they have too many nodes");
    if (by_attribute_.size() != by_use_.size()) fail("one cannot be found");
    size_t n_nodes = 0;
    for (const History & history : by_use_) {
        n_nodes += history.nodes.size();
        size_t n_children = 0;
        for (const Node & node : history.nodes) {
            int32_t n = 0;
            for (const auto & [token, next] : node.next) n += history.nodes[next].n_reached;
            if (n != node.n) fail("a node's visits are miscounted");
            n_children += node.next.size();
        }
        if (n_children + 1 != history.nodes.size()) fail("a node hangs nowhere");
    }
    if (n_nodes != n_nodes_) fail("the nodes are miscounted");
}

}  // namespace hpd

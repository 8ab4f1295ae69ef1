#include "drafting/drafting.h"

#include <algorithm>
#include <utility>

namespace hpd {

namespace {

constexpr double forgetting = 1.01;         // a record ages by this with each batch of its size
constexpr double rate_memory = 0.995;      // likewise of a guess
constexpr size_t n_nodes_max = 100'000;    // of one attribute's history
constexpr double tokens_per_step_guess = 30.0;  // fixed cost in tokens, until it is measured

}  // namespace

// --- cost ------------------------------------------------------------------------------------

void BatchCost::observe(BatchKind kind, int32_t n_tokens, double seconds) {
    Records & records = records_[static_cast<size_t>(kind)];
    size_t size = 0;
    while (size + 1 < records.size() && (n_tokens >> (size + 1)) > 0) ++size;
    Fastest & record = records[size];
    record.seconds *= forgetting;
    if (record.seconds == 0.0 || seconds < record.seconds) {
        record = {static_cast<double>(n_tokens), seconds};
    }
}

double BatchCost::least_probability(int32_t n_values) const {
    Line line{tokens_per_step_guess, 1.0};
    if (!fit(records_[static_cast<size_t>(BatchKind::values)], line)) {
        fit(records_[static_cast<size_t>(BatchKind::reading)], line);
    }
    return line.per_token / (line.per_token + line.fixed / std::max(1, n_values));
}

bool BatchCost::fit(const Records & records, Line & line) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Fastest & f : records) {
        if (f.seconds == 0.0) continue;
        n += 1;
        x += f.n_tokens;
        y += f.seconds;
        xx += f.n_tokens * f.n_tokens;
        xy += f.n_tokens * f.seconds;
    }
    const double spread = n * xx - x * x;
    if (n < 2 || spread <= 0) return false;
    const double per_token = (n * xy - x * y) / spread;
    if (per_token <= 0) return false;
    line = {std::max(0.0, (y - per_token * x) / n), per_token};
    return true;
}

// --- guesses ---------------------------------------------------------------------------------

void Drafter::Rate::add(bool right) {
    n_right = n_right * rate_memory + (right ? 1 : 0);
    n = n * rate_memory + 1;
}

Drafter::Drafter(std::vector<Token> without_space)
    : without_space_(std::move(without_space)),
      // Priors: a longer match is a better one.
      rates_{{{7, 10}, {3, 10}, {5, 10}, {6, 10}}} {}

void Drafter::draft(Value & value, int32_t n_max) {
    const auto it = histories_.find(attribute_of(value));
    const History * history = it == histories_.end() ? nullptr : &it->second;
    std::vector<Token> text = value.tokens;
    double p = 1.0;
    while (static_cast<int32_t>(value.draft.size()) < n_max) {
        const Guess a = from_history(history, text);
        const Guess b = from_document(value, text);
        const Guess & best = a.p >= b.p ? a : b;
        p *= best.p;
        if (best.token < 0 || p < least_probability_) break;
        value.draft.push_back(best.token);
        value.draft_sources.push_back(best.source);
        text.push_back(best.token);
    }
}

// What follows the last place in the documents where the value's last tokens stand.
Drafter::Guess Drafter::from_document(const Value & value, const std::vector<Token> & text) const {
    // The first token is the opening quote: there is nothing to look up before the second.
    if (text.size() < 2) return {};
    const std::vector<Token> & prompt = value.request->request.prompt;
    // A whole answer, which has no key, quotes the attributes' names in the instruction, too.
    const bool whole = value.field().key.empty();
    const auto begin =
        whole ? size_t{0} : static_cast<size_t>(value.request->request.n_instruction);
    const auto same = [&](size_t i_prompt, size_t i_text) {
        const Token t = prompt[i_prompt];
        return t == text[i_text] ||
               (i_text == 1 && without_space_[static_cast<size_t>(t)] == text[1]);
    };
    const size_t n_text = std::min(n_match_max, text.size() - 1);
    size_t n_best = 0;
    size_t best = 0;
    for (size_t i = begin; i + 1 < prompt.size(); ++i) {
        size_t n = 0;
        while (n < n_text && i >= begin + n && same(i - n, text.size() - 1 - n)) ++n;
        if (n > n_best) {
            n_best = n;
            best = i + 1;
            if (n == n_text) break;  // the first place: values stand early in a document
        }
    }
    if (n_best == 0) return {};
    return {prompt[best], rates_[n_best].value(), static_cast<uint8_t>(n_best)};
}

Drafter::Guess Drafter::from_history(const History * history,
                                     const std::vector<Token> & text) const {
    if (!history) return {};
    const Node * node = &history->nodes[0];
    for (Token t : text) {
        const auto it = node->next.find(t);
        if (it == node->next.end()) return {};
        node = &history->nodes[it->second];
    }
    // A value's last token needs no guess: nothing is decoded after it.
    if (node->n == 0 || history->nodes[node->next.at(node->likeliest)].n == 0) return {};
    // One more, of anything else, for what has not been seen yet.
    return {node->likeliest, node->n_likeliest / (node->n + 1.0), history_source};
}

void Drafter::observe(const Value & value, int32_t n_accepted) {
    for (size_t i = 0; i < value.draft_sources.size(); ++i) {
        const bool right = static_cast<int32_t>(i) < n_accepted;
        if (value.draft_sources[i] != history_source) rates_[value.draft_sources[i]].add(right);
        if (!right) break;  // what was guessed behind a wrong token says nothing
    }
}

void Drafter::learn(const Value & value) {
    if (value.field().key.empty()) return;  // a whole answer does not come again
    History & history = histories_[attribute_of(value)];
    size_t at = 0;
    for (Token t : value.tokens) {
        const auto known = history.nodes[at].next.find(t);
        uint32_t next = 0;
        if (known != history.nodes[at].next.end()) {
            next = known->second;
        } else if (history.nodes.size() < n_nodes_max) {
            next = static_cast<uint32_t>(history.nodes.size());
            history.nodes.emplace_back();
            history.nodes[at].next.emplace(t, next);
        } else {
            return;
        }
        ++history.nodes[at].n;
        // Each node counts how often it was reached; the parent knows its likeliest child.
        const int32_t n_here = ++history.nodes[next].n_reached;
        if (n_here > history.nodes[at].n_likeliest) {
            history.nodes[at].n_likeliest = n_here;
            history.nodes[at].likeliest = t;
        }
        at = next;
    }
}

uint64_t Drafter::attribute_of(const Value & value) { return hash_tokens(value.field().key); }

}  // namespace hpd

#include "sampling/top_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpd {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

// Whether tokens that are not in the row may be as likely as this one.
bool has_rivals(const TopRow & row, float logit) {
    return !row.is_whole && logit <= row.logits.back();
}

Choice describe(const TopRow & row, size_t i, double margin) {
    const double logprob = std::min(0.0, row.logits[i] - row.log_sum);
    return {row.tokens[i], static_cast<float>(logprob), static_cast<float>(margin)};
}

}  // namespace

TopRow top_row(const int32_t * tokens, const float * logits, size_t n, float best_probability,
               int32_t n_vocab) {
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return logits[a] != logits[b] ? logits[a] > logits[b] : tokens[a] < tokens[b];
    });
    TopRow row;
    for (const size_t i : order) {
        row.tokens.push_back(tokens[i]);
        row.logits.push_back(logits[i]);
    }
    row.is_whole = n == static_cast<size_t>(n_vocab);
    row.log_sum = n == 0 ? lowest : row.logits[0] - std::log(static_cast<double>(best_probability));
    check_finite(n == 0 ? lowest : row.logits[0], row.log_sum);
    return row;
}

std::optional<Choice> choose_greedy(const TopRow & row) {
    if (has_rivals(row, row.logits[0])) return std::nullopt;
    const double second = row.logits.size() > 1 ? row.logits[1] : lowest;
    return describe(row, 0, row.logits[0] - second);
}

std::optional<Choice> choose_greedy(const TopRow & row, const TokenFilter & allowed) {
    const size_t n = row.tokens.size();
    size_t best = 0;
    while (best < n && !allowed(row.tokens[best])) ++best;
    if (best == n) return row.is_whole ? std::optional<Choice>(Choice()) : std::nullopt;
    if (has_rivals(row, row.logits[best])) return std::nullopt;
    const float logit = row.logits[best];
    if (best == 0 && (n == 1 || logit - row.logits[1] >= near_tie_margin))
        return choose_greedy(row);
    // Beside the likeliest token of all only those matter that are near it.
    const float least = best == 0 ? logit - near_tie_margin : lowest;
    size_t second = best + 1;
    while (second < n && row.logits[second] > least && !allowed(row.tokens[second])) ++second;
    if (second < n && row.logits[second] > least)
        return describe(row, best, logit - row.logits[second]);
    if (second == n && !row.is_whole) return std::nullopt;
    return describe(row, best, best == 0 ? near_tie_margin : logit - lowest);
}

}  // namespace hpd

#include "drafting/batch_cost.h"

#include <algorithm>

namespace hpd {

namespace {

constexpr double forgetting = 1.01;  // a record ages by this with each batch of its size
constexpr double singular = 1e-9;    // what is left of an equation that says nothing new

}  // namespace

void BatchCost::observe(int32_t n_tokens, int32_t n_rows, double seconds) {
    Fastest & record = records_[size_of(n_tokens)][size_of(n_rows)];
    record.seconds *= forgetting;
    if (record.seconds == 0.0 || seconds < record.seconds) {
        record = {static_cast<double>(n_tokens), static_cast<double>(n_rows), seconds};
    }
}

double BatchCost::least_probability(int32_t n_values) const {
    Prices prices;
    if (!fit(prices)) return 1.0;
    const double guess = prices.token + prices.row;
    return guess / (guess + prices.batch / std::max(1, n_values));
}

size_t BatchCost::size_of(int32_t n) {
    size_t size = 0;
    while (size + 1 < n_sizes && (n >> size) > 0) ++size;
    return size;
}

bool BatchCost::fit(Prices & prices) const {
    // Where rows come with tokens only, the price of both together is that of a token; and nothing
    // costs less than nothing.
    const std::vector<std::vector<double Prices::*>> attempts{
        {&Prices::batch, &Prices::token, &Prices::row},
        {&Prices::batch, &Prices::token},
        {&Prices::token, &Prices::row},
        {&Prices::token},
    };
    size_t n_records = 0;
    for (const auto & by_rows : records_) {
        for (const Fastest & f : by_rows) n_records += f.seconds > 0.0;
    }
    if (n_records < 2) return false;
    return std::any_of(attempts.begin(), attempts.end(), [&](const auto & unknown) {
        return solve(unknown, prices) && prices.token > 0.0 && prices.batch >= 0.0 &&
               prices.row >= 0.0;
    });
}

// Least squares by the normal equations.
bool BatchCost::solve(const std::vector<double Prices::*> & unknown, Prices & prices) const {
    const size_t n = unknown.size();
    std::vector<std::vector<double>> equations(n, std::vector<double>(n + 1, 0.0));
    for (const auto & by_rows : records_) {
        for (const Fastest & f : by_rows) {
            if (f.seconds == 0.0) continue;
            const Prices counts{1.0 / f.seconds, f.n_tokens / f.seconds, f.n_rows / f.seconds};
            for (size_t i = 0; i < n; ++i) {
                for (size_t j = 0; j < n; ++j) {
                    equations[i][j] += counts.*unknown[i] * counts.*unknown[j];
                }
                equations[i][n] += counts.*unknown[i];
            }
        }
    }
    std::vector<double> scale(n);
    for (size_t i = 0; i < n; ++i) scale[i] = equations[i][i];
    for (size_t k = 0; k < n; ++k) {
        if (equations[k][k] <= singular * scale[k]) return false;
        for (size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = equations[i][k] / equations[k][k];
            for (size_t j = k; j <= n; ++j) equations[i][j] -= factor * equations[k][j];
        }
    }
    prices = {};
    for (size_t i = 0; i < n; ++i) prices.*unknown[i] = equations[i][n] / equations[i][i];
    return true;
}

}  // namespace hpd

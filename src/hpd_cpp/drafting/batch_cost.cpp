#include "drafting/batch_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpd {

namespace {

constexpr double forgetting = 1.01;  // a record ages by this with each batch of its size
constexpr double remembering = 0.99;  // of what recent batches were like
constexpr double singular = 1e-9;    // what is left of an equation that says nothing new

}  // namespace

void BatchCost::observe(const Batch & batch, double seconds) {
    if (seconds <= 0.0) return;  // shorter than the clock can tell
    const int32_t n_paid = batch.pays ? batch.n_cells : 0;
    const Fastest now{static_cast<double>(batch.n_tokens), static_cast<double>(batch.n_rows),
                      static_cast<double>(n_paid), seconds};
    const Size size{size_of(batch.n_tokens), size_of(batch.n_rows), size_of(n_paid)};
    const auto [place, is_new] = records_.emplace(size, now);
    Fastest & record = place->second;
    if (!is_new) record.seconds *= forgetting;
    if (seconds < record.seconds) record = now;
    for (double * sum :
         {&recent_.n_batches, &recent_.n_with_rows, &recent_.n_paying, &recent_.n_cells}) {
        *sum *= remembering;
    }
    recent_.n_batches += 1.0;
    recent_.n_with_rows += batch.n_rows > 0 && !batch.is_full ? 1.0 : 0.0;
    recent_.n_paying += batch.pays ? batch.n_tokens : 0;
    recent_.n_cells += batch.n_cells;
    prices_ = fit();
}

double BatchCost::least_probability(int32_t n_values) const {
    if (!prices_) return 1.0;
    const double guess = prices_->token + prices_->row;
    return guess / (guess + prices_->batch / std::max(1, n_values));
}

std::optional<int32_t> BatchCost::best_cells() const {
    if (!prices_ || prices_->batch <= 0.0 || prices_->cell <= 0.0) return std::nullopt;
    const double n_cells = recent_.n_cells / recent_.n_batches;
    const double n_batches_a_token = recent_.n_with_rows / recent_.n_paying;
    const double best = std::sqrt(prices_->batch / prices_->cell * n_batches_a_token * n_cells);
    constexpr auto most = std::numeric_limits<int32_t>::max();
    return best < most ? static_cast<int32_t>(best) : most;
}

int BatchCost::size_of(int32_t n) {
    int size = 0;
    while ((n >> size) > 0) ++size;
    return size;
}

std::optional<BatchCost::Prices> BatchCost::fit() const {
    // Where rows come with tokens only, the price of both together is that of a token; and nothing
    // costs less than nothing.
    const std::vector<std::vector<double Prices::*>> attempts{
        {&Prices::batch, &Prices::token, &Prices::row, &Prices::cell},
        {&Prices::batch, &Prices::token, &Prices::cell},
        {&Prices::batch, &Prices::token, &Prices::row},
        {&Prices::batch, &Prices::token},
        {&Prices::token, &Prices::row},
        {&Prices::token},
    };
    if (records_.size() < 2) return std::nullopt;
    for (const auto & unknown : attempts) {
        const auto prices = solve(unknown);
        if (prices && prices->token > 0.0 && prices->batch >= 0.0 && prices->row >= 0.0 &&
            prices->cell >= 0.0) {
            return prices;
        }
    }
    return std::nullopt;
}

// Least squares by the normal equations.
std::optional<BatchCost::Prices> BatchCost::solve(
    const std::vector<double Prices::*> & unknown) const {
    const size_t n = unknown.size();
    std::vector<std::vector<double>> equations(n, std::vector<double>(n + 1, 0.0));
    for (const auto & [size, f] : records_) {
        const Prices counts{1.0 / f.seconds, f.n_tokens / f.seconds, f.n_rows / f.seconds,
                            f.n_tokens * f.n_cells / f.seconds};
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j) {
                equations[i][j] += counts.*unknown[i] * counts.*unknown[j];
            }
            equations[i][n] += counts.*unknown[i];
        }
    }
    std::vector<double> scale(n);
    for (size_t i = 0; i < n; ++i) scale[i] = equations[i][i];
    for (size_t k = 0; k < n; ++k) {
        if (equations[k][k] <= singular * scale[k]) return std::nullopt;
        for (size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = equations[i][k] / equations[k][k];
            for (size_t j = k; j <= n; ++j) equations[i][j] -= factor * equations[k][j];
        }
    }
    Prices prices;
    for (size_t i = 0; i < n; ++i) prices.*unknown[i] = equations[i][n] / equations[i][i];
    return prices;
}

}  // namespace hpd

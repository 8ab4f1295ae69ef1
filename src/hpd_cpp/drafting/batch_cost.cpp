#include "drafting/batch_cost.h"

#include <algorithm>

namespace hpd {

namespace {

constexpr double forgetting = 1.01;  // a record ages by this with each batch of its size
constexpr double tokens_per_step_guess = 30.0;  // fixed cost in tokens, until it is measured

}  // namespace

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

}  // namespace hpd

#include "scheduling/forecast.h"

#include <algorithm>

namespace hpd {

void Forecast::observe(const Value & v) {
    mean_value_tokens_ += 0.01 * (static_cast<double>(v.tokens.size()) - mean_value_tokens_);
}

int32_t Forecast::n_value_tokens(const Value & v) const {
    const auto expected = static_cast<int32_t>(mean_value_tokens_ * 1.5) + 1;
    const auto n_so_far = static_cast<int32_t>(v.tokens.size());
    return std::max(1, std::min(expected, v.field().max_tokens) - n_so_far);
}

int64_t Forecast::n_cells(const Request & r) const {
    int64_t n = r.n_unread();
    for (const Value & v : r.values) {
        if (r.in_turns && v.state != Value::State::done) {
            n += r.n_reserved(v) - v.n_cells;
            // The request needs room for only one more field at a time.
            if (v.state == Value::State::pending) break;
            n -= static_cast<int64_t>(v.field().key.size());  // has cells, or is not read yet
        } else if (v.state == Value::State::prefill || v.state == Value::State::decoding) {
            n += n_value_tokens(v);
        }
    }
    return n;
}

}  // namespace hpd

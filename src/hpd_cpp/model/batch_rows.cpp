#include "model/batch_rows.h"

namespace hpd {

Choice BatchRows::choose_greedy(size_t row) {
    if (device_) {
        if (const auto choice = hpd::choose_greedy(tops_[row])) return *choice;
    }
    return hpd::choose_greedy(whole(row));
}

Choice BatchRows::choose_greedy(size_t row, const TokenFilter & allowed) {
    if (device_) {
        if (const auto choice = hpd::choose_greedy(tops_[row], allowed)) return *choice;
    }
    return hpd::choose_greedy(whole(row), allowed);
}

const LogitRow & BatchRows::whole(size_t row) {
    if (!device_) return whole_[row];
    const auto [it, is_new] = copies_.try_emplace(row);
    Copy & copy = it->second;
    if (is_new) {
        copy.logits = device_->copy(row);
        copy.row = read_row(copy.logits.data(), n_vocab_);
    }
    return copy.row;
}

}  // namespace hpd

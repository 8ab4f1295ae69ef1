#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/device_rows.h"
#include "sampling/sampling.h"
#include "sampling/top_row.h"

namespace hpd {

// The rows of logits of one batch, until the next one is decoded. Rows that stay on the device are
// read by their likeliest tokens, and as a whole where these do not tell what is asked.
class BatchRows {
public:
    // Of (n_rows, n_vocab) logits; read by so many threads.
    BatchRows(const float * rows, size_t n_rows, int32_t n_vocab, int32_t n_threads)
        : n_vocab_(n_vocab), whole_(read_rows(rows, n_rows, n_vocab, n_threads)) {}

    BatchRows(const DeviceRows & device, int32_t n_vocab)
        : n_vocab_(n_vocab), device_(&device), tops_(device.read()) {}

    Choice choose_greedy(size_t row);
    Choice choose_greedy(size_t row, const TokenFilter & allowed);
    const LogitRow & whole(size_t row);

    // Rows that were copied from the device as a whole.
    size_t n_copied() const { return device_ ? copies_.size() : whole_.size(); }

private:
    struct Copy {
        std::vector<float> logits;
        LogitRow row;
    };

    int32_t n_vocab_;
    const DeviceRows * device_ = nullptr;
    std::vector<LogitRow> whole_;
    std::vector<TopRow> tops_;
    std::map<size_t, Copy> copies_;
};

}  // namespace hpd

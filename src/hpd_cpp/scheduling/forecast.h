#pragma once

#include <cstdint>

#include "scheduling/request.h"

namespace hpd {

// Estimates how many cells requests will need, from the values so far. If an estimate is too low,
// the youngest request is preempted, which only costs time.
class Forecast {
public:
    // Learns the length of a finished value.
    void observe(const Value & value);

    // Returns how many more tokens the value will probably have.
    int32_t n_value_tokens(const Value & value) const;

    // Returns how many more cells a running request will probably need.
    int64_t n_cells(const Request & r) const;

private:
    double mean_value_tokens_ = 8.0;
};

}  // namespace hpd

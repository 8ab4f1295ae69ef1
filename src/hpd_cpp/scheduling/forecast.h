#pragma once

#include <cstdint>

#include "scheduling/request.h"

namespace hpd {

// Estimates how many cells requests will need, from the values so far. If it is too low, the
// youngest request is preempted, which only costs time.
class Forecast {
public:
    // A finished value.
    void observe(const Value & value);

    // Tokens that the value will still have.
    int32_t n_value_tokens(const Value & value) const;

    // Cells that a running request will still need.
    int32_t n_cells(const RequestState & r) const;

private:
    double mean_value_tokens_ = 8.0;
};

}  // namespace hpd

#pragma once

#include <cstdint>

#include "scheduling/forecast.h"
#include "scheduling/holdings.h"
#include "scheduling/limits.h"
#include "scheduling/request.h"

namespace hpd {

// Decides whether a waiting request may start while others run.
class Admission {
public:
    // All arguments must outlive this.
    Admission(const Limits & limits, Holdings & holdings, const Forecast & forecast)
        : limits_(limits), holdings_(holdings), forecast_(forecast) {}

    // Makes room for the request by evicting unused prefixes, and sets its prefix. Returns false,
    // with nothing taken, if the request has to wait.
    bool admits(Request & r, const RequestList & running);

private:
    bool take_prefix(Request & r, int32_t n_seqs);
    bool make_room(const Request & r, int32_t n_seqs, const RequestList & running);
    // Returns how many free cells the running requests will probably not need.
    int64_t n_uncommitted_cells(const RequestList & running) const;
    uint64_t stale_prefix_age() const;

    const Limits & limits_;
    Holdings & holdings_;
    const Forecast & forecast_;
};

}  // namespace hpd

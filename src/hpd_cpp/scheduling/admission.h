#pragma once

#include <cstdint>

#include "scheduling/forecast.h"
#include "scheduling/holdings.h"
#include "scheduling/limits.h"
#include "scheduling/request.h"

namespace hpd {

// Whether a waiting request may be started beside those that run.
class Admission {
public:
    // All must outlive this.
    Admission(const Limits & limits, Holdings & holdings, const Forecast & forecast)
        : limits_(limits), holdings_(holdings), forecast_(forecast) {}

    // Makes room for the request, by letting go of prefixes that nothing stands on, and finds the
    // prefix that it is to stand on; false, and nothing taken, where it has to wait.
    bool admits(RequestState & r, const RequestList & running);

    // Free cells that no running request will probably ask for.
    int32_t n_uncommitted_cells(const RequestList & running) const;

private:
    bool take_prefix(RequestState & r, int32_t n_seqs);
    bool make_room(const RequestState & r, int32_t n_seqs, const RequestList & running);
    uint64_t stale_prefix_age() const;

    const Limits & limits_;
    Holdings & holdings_;
    const Forecast & forecast_;
};

}  // namespace hpd

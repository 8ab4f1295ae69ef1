#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

// What a batch costs here, learnt from the batches decoded: so much for each, for each of its
// tokens, and for each of its rows of logits.
//
// Whatever else the machine does only makes batches slower, so the fastest of each size counts.
class BatchCost {
public:
    void observe(int32_t n_tokens, int32_t n_rows, double seconds);

    // How likely a guess must be to be worth its place, where n_values values share the steps; 1
    // until batches of different sizes were seen.
    //
    // A guess costs a token and a row, wherever it rides. A right one saves as much in a later
    // batch, and the value's share of the fixed cost of the step that it makes unnecessary.
    double least_probability(int32_t n_values) const;

private:
    struct Fastest {
        double n_tokens = 0.0;
        double n_rows = 0.0;
        double seconds = 0.0;  // 0: no batch of this size yet
    };
    struct Prices {
        double batch = 0.0;
        double token = 0.0;
        double row = 0.0;
    };
    static constexpr size_t n_sizes = 16;  // a size is the number of bits of a count

    static size_t size_of(int32_t n);
    // The prices that come nearest to all records, in shares of their times. False if the records
    // do not tell what a token costs.
    bool fit(Prices & prices) const;
    bool solve(const std::vector<double Prices::*> & unknown, Prices & prices) const;

    std::array<std::array<Fastest, n_sizes>, n_sizes> records_;  // by tokens, then by rows
};

}  // namespace hpd

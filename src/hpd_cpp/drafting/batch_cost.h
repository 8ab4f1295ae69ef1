#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace hpd {

// What a batch costs here, learnt from the batches decoded: so much for each, for each of its
// tokens, for each of its rows of logits, and for each cell in use beside each of its tokens.
//
// Whatever else the machine does only makes batches slower, so the fastest of each size counts.
class BatchCost {
public:
    struct Batch {
        int32_t n_tokens = 0;
        int32_t n_rows = 0;
        int32_t n_cells = 0;   // in use, without those of instructions
        bool pays = true;      // whether each token pays for all these cells, seen or not
        bool is_full = false;  // whether it would be no larger with more documents in flight
    };

    void observe(const Batch & batch, double seconds);

    // How likely a guess must be to be worth its place, where n_values values share the steps; 1
    // until batches of different sizes were seen.
    //
    // A guess costs a token and a row, wherever it rides. A right one saves as much in a later
    // batch, and the value's share of the fixed cost of the step that it makes unnecessary.
    double least_probability(int32_t n_values) const;

    // The cells in use at which a document takes the least time; none while it is not known what a
    // batch and a cell cost.
    //
    // Twice as many documents in flight halve the batches that each needs for its values, as far
    // as these are not full, and double the cells that a token pays for. Where batches cost B, a
    // cell c for each token, and a document with D cells is decoded in S batches with values and T
    // tokens that pay, K of them together take S B / K + c T K D each, which is least at
    // K D = sqrt(S B D / (c T)).
    std::optional<int32_t> best_cells() const;

private:
    struct Fastest {
        double n_tokens = 0.0;
        double n_rows = 0.0;
        double n_cells = 0.0;  // that its tokens paid for
        double seconds = 0.0;
    };
    struct Prices {
        double batch = 0.0;
        double token = 0.0;
        double row = 0.0;
        double cell = 0.0;  // for each token
    };
    // Of late: sums in which a batch counts the less the older it is.
    struct Recent {
        double n_batches = 0.0;
        double n_with_rows = 0.0;  // that were not full
        double n_paying = 0.0;  // tokens
        double n_cells = 0.0;
    };
    using Size = std::array<int, 3>;  // the bits of the numbers of tokens, rows and cells

    static int size_of(int32_t n);
    // The prices that come nearest to all records, in shares of their times; none if the records
    // do not tell what a token costs.
    std::optional<Prices> fit() const;
    std::optional<Prices> solve(const std::vector<double Prices::*> & unknown) const;

    std::map<Size, Fastest> records_;
    Recent recent_;
    std::optional<Prices> prices_;  // that fit the records
};

}  // namespace hpd

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "options.h"
#include "sampling/constraint.h"
#include "sampling/repetition.h"
#include "sampling/sampling.h"
#include "scheduling/request.h"

namespace hpd {

// Decodes values token by token: chooses each token from its row of logits, under the constraint of
// the value's field, until the value is complete.
class ValueWriter {
public:
    // The model must outlive this.
    ValueWriter(const Model & model, const SamplingOptions & options)
        : model_(model), options_(options), constraints_(model) {}

    // Appends the next token of a value; true if it was the last, with the reason in `finish`.
    bool write(Value & value, const LogitRow & row);

    // Must be called before an unfinished value is destroyed or begun again, or clear().
    void forget(const Value & value) { under_way_.erase(&value); }
    void clear() { under_way_.clear(); }

private:
    struct Likelihood {
        float logprob;  // the log of its probability
        float log_share;  // of a field that normalizes: of its share in what counts next
    };

    Constraint * constraint_of(const Value & value);
    Choice choose(const Value & value, const LogitRow & row, Constraint * constraint) const;
    Likelihood likelihood_of(const Choice & choice, const Value & value, const LogitRow & row,
                             Constraint * constraint) const;
    std::vector<Token> completing_alike(Token token, const Value & value,
                                        const LogitRow & row) const;
    std::string completed_by(Token token, const Value & value) const;
    Finish read(Value & value, Token token, Constraint * constraint) const;
    bool cut_repetition(Value & value, Constraint * constraint) const;
    bool cut_invention(Value & value, std::string_view piece) const;
    void cut(Value & value, size_t n_kept) const;
    size_t n_bytes(const Value & value, size_t n_tokens) const;
    bool may_stop_repeating(const Value & value, const Repetition & found,
                            Constraint & constraint) const;
    std::string document_of(const Value & value) const;

    const Model & model_;
    SamplingOptions options_;
    ConstraintFactory constraints_;
    std::unordered_map<const Value *, std::unique_ptr<Constraint>> under_way_;
};

}  // namespace hpd

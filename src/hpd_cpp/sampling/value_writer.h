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

    // Appends the next token of a value. Returns true if it was the last; the reason is then in
    // `finish`.
    bool write(Value & value, const LogitRow & row);

    // This or clear() must be called before an unfinished value is destroyed or restarted.
    void forget(const Value & value) { active_constraints_.erase(&value); }
    void clear() { active_constraints_.clear(); }

private:
    struct Likelihood {
        float logprob;  // the log of its probability
        float log_share;  // if the field normalizes, of its share of what counts; else as logprob
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
    std::unordered_map<const Value *, std::unique_ptr<Constraint>> active_constraints_;
};

}  // namespace hpd

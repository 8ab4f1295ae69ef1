#pragma once

#include <llama-cpp.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "sampling/sampling.h"
#include "scheduling/request.h"

namespace hpd {

// Which tokens may come next in a value.
class Constraint {
public:
    virtual ~Constraint() = default;
    virtual bool allows(Token token) = 0;
    virtual void accept(Token token) = 0;

    // Returns the tokens that count in place of an allowed one, including it: all that are allowed,
    // and all that the field only counts. The tokens left out together have less than this share of
    // its probability.
    virtual std::vector<Token> allowed_beside(const LogitRow & row, Token token, double share) = 0;
};

// The tokens with a quotation mark, with their text.
using ClosingTokens = std::unordered_map<Token, std::string>;

// Makes the constraints of values. A grammar is parsed once and copied for each value; the cache is
// cleared when it is full, as clients of a server may send new grammars endlessly.
class ConstraintFactory {
public:
    explicit ConstraintFactory(const Model & model, size_t n_grammars_max = 256)
        : model_(model), n_grammars_max_(n_grammars_max) {}

    // Returns nullptr for a field without a constraint. Throws std::invalid_argument for an invalid
    // grammar.
    std::unique_ptr<Constraint> make(const Field & field);

    size_t n_grammars() const { return grammars_.size(); }

private:
    // Returns nullptr if both are empty.
    std::unique_ptr<Constraint> make(const std::string & grammar, const Choices & choices);
    const ClosingTokens & closing_tokens();

    const Model & model_;
    size_t n_grammars_max_;
    std::unordered_map<std::string, llama_sampler_ptr> grammars_;
    ClosingTokens closing_;  // made when first needed
};

}  // namespace hpd

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

// Which tokens one value may go on with.
class Constraint {
public:
    virtual ~Constraint() = default;
    virtual bool allows(Token token) = 0;
    virtual void accept(Token token) = 0;

    // The tokens that count in place of an allowed one, itself among them: the allowed ones, and
    // what the field counts beside them. Those that are left out are less likely than this share
    // of it, all together.
    virtual std::vector<Token> allowed_beside(const LogitRow & row, Token token, double share) = 0;
};

// The tokens that hold a quotation mark, with their text.
using ClosingTokens = std::unordered_map<Token, std::string>;

// Makes the constraints of values. A grammar is parsed once and copied for each value; all are
// forgotten when there are too many of them, as the clients of a server bring new ones without end.
class ConstraintFactory {
public:
    explicit ConstraintFactory(const Model & model, size_t n_grammars_max = 256)
        : model_(model), n_grammars_max_(n_grammars_max) {}

    // nullptr for a field without one. Throws std::invalid_argument for a grammar that llama.cpp
    // cannot read.
    std::unique_ptr<Constraint> make(const Field & field);

    size_t n_grammars() const { return grammars_.size(); }

private:
    // nullptr if there is neither.
    std::unique_ptr<Constraint> make(const std::string & grammar, const Choices & choices);
    const ClosingTokens & closing_tokens();

    const Model & model_;
    size_t n_grammars_max_;
    std::unordered_map<std::string, llama_sampler_ptr> grammars_;
    ClosingTokens closing_;  // made when first needed
};

}  // namespace hpd

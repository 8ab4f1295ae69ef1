#include "sampling/constraint.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "sampling/choices.h"

namespace hpd {

namespace {

// llama.cpp's grammar sampler. The first tokens are checked alone: greedy text nearly always obeys,
// and only refusals make the whole vocabulary be looked at.
class GrammarConstraint : public Constraint {
public:
    GrammarConstraint(llama_sampler_ptr grammar, int32_t n_vocab)
        : grammar_(std::move(grammar)), n_vocab_(n_vocab) {}

    bool allows(Token token) override {
        if (!allowed_.empty()) return allowed_[static_cast<size_t>(token)];
        if (n_checked_ < n_checked_alone) {
            ++n_checked_;
            llama_token_data one{token, 0.0f, 0.0f};
            llama_token_data_array array{&one, 1, -1, false};
            llama_sampler_apply(grammar_.get(), &array);
            return std::isfinite(one.logit);
        }
        scan_vocabulary();
        return allowed_[static_cast<size_t>(token)];
    }

    void accept(Token token) override {
        llama_sampler_accept(grammar_.get(), token);
        allowed_.clear();
        n_checked_ = 0;
    }

private:
    static constexpr int32_t n_checked_alone = 4;

    void scan_vocabulary() {
        std::vector<llama_token_data> all(static_cast<size_t>(n_vocab_));
        for (Token t = 0; t < n_vocab_; ++t) all[static_cast<size_t>(t)] = {t, 0.0f, 0.0f};
        llama_token_data_array array{all.data(), all.size(), -1, false};
        llama_sampler_apply(grammar_.get(), &array);
        allowed_.assign(static_cast<size_t>(n_vocab_), false);
        for (size_t i = 0; i < array.size; ++i) {
            if (std::isfinite(array.data[i].logit)) {
                allowed_[static_cast<size_t>(array.data[i].id)] = true;
            }
        }
    }

    llama_sampler_ptr grammar_;
    int32_t n_vocab_;
    int32_t n_checked_ = 0;  // since the last token
    std::vector<bool> allowed_;
};

// A value out of a short list, compared token by token.
class ChoiceConstraint : public Constraint {
public:
    explicit ChoiceConstraint(const Choices & choices) : left_(choices) {}

    bool allows(Token token) override { return left_.allows(token); }
    void accept(Token token) override { left_.accept(token); }

private:
    ChoicesLeft left_;
};

}  // namespace

std::unique_ptr<Constraint> ConstraintFactory::make(const Field & field) {
    if (!field.choices.empty()) return std::make_unique<ChoiceConstraint>(field.choices);
    if (field.grammar.empty()) return nullptr;
    auto it = grammars_.find(field.grammar);
    if (it == grammars_.end()) {
        llama_sampler_ptr grammar(
            llama_sampler_init_grammar(model_.vocab(), field.grammar.c_str(), "root"));
        if (!grammar)
            throw std::invalid_argument("llama.cpp cannot read the grammar:\n" + field.grammar);
        it = grammars_.emplace(field.grammar, std::move(grammar)).first;
    }
    return std::make_unique<GrammarConstraint>(
        llama_sampler_ptr(llama_sampler_clone(it->second.get())), model_.n_vocab());
}

}  // namespace hpd

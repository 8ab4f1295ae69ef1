#include "sampling/constraint.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sampling/choices.h"

namespace hpd {

namespace {

// llama.cpp's grammar sampler. The likeliest tokens are checked singly, as they nearly always obey;
// the whole vocabulary is scanned only after several checks.
class GrammarConstraint : public Constraint {
public:
    GrammarConstraint(llama_sampler_ptr grammar, int32_t n_vocab)
        : grammar_(std::move(grammar)), n_vocab_(n_vocab) {}

    bool allows(Token token) override {
        if (!allowed_.empty()) return allowed_[static_cast<size_t>(token)];
        if (n_checked_ < n_checked_alone) {
            ++n_checked_;
            return !obeying({token}).empty();
        }
        scan_vocabulary();
        return allowed_[static_cast<size_t>(token)];
    }

    void accept(Token token) override {
        llama_sampler_accept(grammar_.get(), token);
        allowed_.clear();
        n_checked_ = 0;
    }

    std::vector<Token> allowed_beside(const LogitRow & row, Token token, double share) override {
        const std::vector<Token> likely = tokens_beside(row, token, share);
        if (allowed_.empty()) return obeying(likely);
        std::vector<Token> allowed;
        std::copy_if(likely.begin(), likely.end(), std::back_inserter(allowed),
                     [&](Token t) { return allowed_[static_cast<size_t>(t)]; });
        return allowed;
    }

private:
    static constexpr int32_t n_checked_alone = 4;
    static constexpr int32_t n_scanned_together = 1024;

    // A thousand tokens at a time, as llama.cpp needs about 200 bytes for each.
    void scan_vocabulary() {
        allowed_.assign(static_cast<size_t>(n_vocab_), false);
        std::vector<Token> some;
        for (Token first = 0; first < n_vocab_; first += n_scanned_together) {
            some.resize(static_cast<size_t>(std::min(n_scanned_together, n_vocab_ - first)));
            std::iota(some.begin(), some.end(), first);
            for (const Token token : obeying(some)) allowed_[static_cast<size_t>(token)] = true;
        }
    }

    // Returns those of the tokens that the grammar allows.
    std::vector<Token> obeying(const std::vector<Token> & tokens) {
        std::vector<llama_token_data> data;
        data.reserve(tokens.size());
        for (const Token token : tokens) data.push_back({token, 0.0f, 0.0f});
        llama_token_data_array array{data.data(), data.size(), -1, false};
        llama_sampler_apply(grammar_.get(), &array);
        std::vector<Token> allowed;
        for (size_t i = 0; i < array.size; ++i) {
            if (std::isfinite(array.data[i].logit)) allowed.push_back(array.data[i].id);
        }
        return allowed;
    }

    llama_sampler_ptr grammar_;
    int32_t n_vocab_;
    int32_t n_checked_ = 0;  // since the last token
    std::vector<bool> allowed_;
};

// Allows one of the choices: its tokens, and any token that closes one of its strings and continues
// after it (`"}},`).
class ChoiceConstraint : public Constraint {
public:
    ChoiceConstraint(const Model & model, const Choices & choices, const ClosingTokens & closing)
        : model_(model), closing_(closing), left_(choices) {}

    bool allows(Token token) override { return left_.allows(token) || ends_one(token); }

    void accept(Token token) override {
        left_.accept(token);
        ends_.clear();
        has_ends_ = false;
    }

    std::vector<Token> allowed_beside(const LogitRow & row, Token token, double share) override {
        std::vector<Token> tokens = left_.next_tokens();
        for (const Token other : tokens_beside(row, token, share)) {
            if (ends_one(other)) tokens.push_back(other);
        }
        return tokens;
    }

private:
    // Whether a token begins with the rest of a choice's string, with no letter or digit after it.
    bool ends_one(Token token) {
        const auto it = closing_.find(token);
        if (it == closing_.end()) return false;
        const std::string & piece = it->second;
        for (const std::string & end : ends()) {
            if (piece.compare(0, end.size(), end) != 0) continue;
            if (piece.size() == end.size() || !is_word(piece[end.size()])) return true;
        }
        return false;
    }

    // Returns the rest of each string that may end with the next token.
    const std::vector<std::string> & ends() {
        if (!has_ends_) {
            for (const std::vector<Token> & rest : left_.endings(n_end_tokens_max)) {
                std::string text;
                for (const Token token : rest) text += model_.piece(token);
                const size_t quote = text.find('"');
                if (quote != std::string::npos && quote == text.rfind('"'))
                    ends_.push_back(text.substr(0, quote + 1));
            }
            has_ends_ = true;
        }
        return ends_;
    }

    static bool is_word(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || static_cast<uint8_t>(c) >= 0x80;
    }

    static constexpr size_t n_end_tokens_max = 3;

    const Model & model_;
    const ClosingTokens & closing_;
    ChoicesLeft left_;
    std::vector<std::string> ends_;  // after the last token, made when first needed
    bool has_ends_ = false;
};

// A constraint that counts more tokens than it allows.
class CountingMore : public Constraint {
public:
    CountingMore(std::unique_ptr<Constraint> taken, std::unique_ptr<Constraint> counted)
        : taken_(std::move(taken)), counted_(std::move(counted)) {}

    bool allows(Token token) override { return taken_->allows(token); }

    void accept(Token token) override {
        taken_->accept(token);
        counted_->accept(token);
    }

    std::vector<Token> allowed_beside(const LogitRow & row, Token token, double share) override {
        return counted_->allowed_beside(row, token, share);
    }

private:
    std::unique_ptr<Constraint> taken_;
    std::unique_ptr<Constraint> counted_;
};

}  // namespace

std::unique_ptr<Constraint> ConstraintFactory::make(const Field & field) {
    auto taken = make(field.grammar, field.choices);
    if (!taken) return nullptr;
    auto counted = make(field.counted_grammar, field.counted_choices);
    if (!counted) return taken;
    return std::make_unique<CountingMore>(std::move(taken), std::move(counted));
}

std::unique_ptr<Constraint> ConstraintFactory::make(const std::string & text,
                                                    const Choices & choices) {
    if (!choices.empty())
        return std::make_unique<ChoiceConstraint>(model_, choices, closing_tokens());
    if (text.empty()) return nullptr;
    auto it = grammars_.find(text);
    if (it == grammars_.end()) {
        llama_sampler_ptr grammar(llama_sampler_init_grammar(model_.vocab(), text.c_str(), "root"));
        if (!grammar) throw std::invalid_argument("llama.cpp cannot read the grammar:\n" + text);
        if (grammars_.size() >= n_grammars_max_) grammars_.clear();
        it = grammars_.emplace(text, std::move(grammar)).first;
    }
    return std::make_unique<GrammarConstraint>(
        llama_sampler_ptr(llama_sampler_clone(it->second.get())), model_.n_vocab());
}

const ClosingTokens & ConstraintFactory::closing_tokens() {
    if (closing_.empty()) {
        for (Token token = 0; token < model_.n_vocab(); ++token) {
            const std::string & piece = model_.piece(token);
            if (piece.find('"') != std::string::npos) closing_.emplace(token, piece);
        }
    }
    return closing_;
}

}  // namespace hpd

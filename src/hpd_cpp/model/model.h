#pragma once

#include <llama-cpp.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "scheduling/request.h"

namespace hpd {

// Called with the loaded share, 0 to 1. Returning false stops the loading, and so does an
// exception, which is rethrown once llama.cpp has returned.
using LoadProgress = std::function<bool(float)>;

// A loaded GGUF model with its vocabulary and adapters.
class Model {
public:
    // Several paths are the parts of a split file, in order. Throws ModelLoadError.
    Model(const std::vector<std::string> & paths, const ModelOptions & options,
          const LoadProgress & report = nullptr);

    // Returns the tokens of a text. With parse_special, control tokens written in the text become
    // tokens. No BOS is added: bos() tells whether a prompt needs one. Throws InputError if the
    // vocabulary has no tokens for a character.
    std::vector<Token> tokenize(std::string_view text, bool parse_special) const;

    // Returns how the vocabulary differs from another model's; empty if it does not.
    std::string vocabulary_difference(const Model & other) const;

    // Returns the bytes of a token; empty for control tokens.
    const std::string & piece(Token token) const { return pieces_.at(static_cast<size_t>(token)); }

    // Tokens that have no text and are only parsed in templates.
    struct ControlToken {
        Token id;
        std::string text;
        bool strips_left;  // white space to its left in the text is dropped
        bool strips_right;  // likewise, to its right
    };
    std::vector<ControlToken> control_tokens() const;

    const std::vector<std::string> & pieces() const { return pieces_; }

    // Returns, for each token, the token with the same text less a leading blank, or itself if
    // there is none.
    std::vector<Token> tokens_without_space() const;

    bool ends_generation(Token token) const;  // also any other control token: no text follows it
    Token bos() const;  // -1 if a prompt does not begin with one
    int32_t n_vocab() const { return n_vocab_; }
    int32_t n_ctx_train() const { return llama_model_n_ctx_train(model_.get()); }
    int32_t n_swa() const { return llama_model_n_swa(model_.get()); }
    uint64_t n_bytes() const { return llama_model_size(model_.get()); }
    bool is_recurrent() const { return llama_model_is_recurrent(model_.get()); }
    bool on_cpu() const { return on_cpu_; }  // no layer is on a GPU
    // Whether hpd's kernel multiplies with its weights, which are as in the file.
    bool has_own_products() const { return has_own_products_; }
    bool is_hybrid() const { return llama_model_is_hybrid(model_.get()); }
    const std::string & path() const { return path_; }  // of the first part
    std::string description() const;
    std::string chat_template() const;  // empty if there is none
    std::string metadata(const std::string & key) const;  // empty if missing
    std::vector<std::string> lora_metadata(const std::string & key) const;  // of each adapter

    llama_model * get() const { return model_.get(); }
    const llama_vocab * vocab() const { return llama_model_get_vocab(model_.get()); }
    const std::vector<llama_adapter_lora *> & loras() const { return loras_; }
    const std::vector<float> & lora_scales() const { return lora_scales_; }

private:
    std::vector<Token> raw_tokens(std::string_view text, bool parse_special) const;
    bool can_write(std::string_view text) const;
    std::string unwritable_in(std::string_view text) const;
    void check_vocabulary();

    std::string path_;
    llama_model_ptr model_;
    std::vector<llama_adapter_lora *> loras_;  // freed with the model
    std::vector<float> lora_scales_;
    int32_t n_vocab_ = 0;
    std::vector<std::string> pieces_;  // by token; llama.cpp needs a call for each
    bool on_cpu_ = true;
    bool has_own_products_ = false;
    bool may_lose_text_ = false;  // the tokenizer drops what the vocabulary has no tokens for
};

}  // namespace hpd

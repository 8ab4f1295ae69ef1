#include "model/model.h"

#include <ggml-cpp.h>
#include <gguf.h>

#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "errors.h"
#include "model/characters.h"
#include "model/log.h"
#include "products/guard.h"
#include "products/products.h"

namespace hpd {

namespace {

void start_backend_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        capture_log();
        llama_backend_init();
    });
}

// Returns the text of a key in a file's metadata; empty if there is none.
template <class File>
std::string metadata_text(int32_t (*read)(const File *, const char *, char *, size_t),
                          const File * file, const std::string & key) {
    const int32_t n = read(file, key.c_str(), nullptr, 0);
    if (n < 0) return "";
    std::string text(static_cast<size_t>(n) + 1, '\0');
    read(file, key.c_str(), text.data(), text.size());
    text.resize(static_cast<size_t>(n));
    return text;
}

std::string read_piece(const llama_vocab * vocab, Token token) {
    std::string text(32, '\0');
    const auto try_once = [&] {
        return llama_token_to_piece(vocab, token, text.data(), static_cast<int32_t>(text.size()), 0,
                                    false);
    };
    int32_t n = try_once();
    if (n < 0) {
        text.resize(static_cast<size_t>(-n));
        n = try_once();
    }
    text.resize(static_cast<size_t>(n));
    return text;
}

llama_split_mode split_mode(const std::string & name) {
    if (name == "none") return LLAMA_SPLIT_MODE_NONE;
    if (name == "layer") return LLAMA_SPLIT_MODE_LAYER;
    if (name == "row") return LLAMA_SPLIT_MODE_ROW;
    if (name == "tensor") return LLAMA_SPLIT_MODE_TENSOR;
    throw ModelLoadError("split_mode must be none, layer, row or tensor, not " + name);
}

// Returns a share for each possible device, as llama.cpp expects; empty if none are given, so that
// it chooses.
std::vector<float> device_shares(const std::vector<float> & shares) {
    if (shares.empty()) return {};
    const size_t n_max = llama_max_devices();
    if (shares.size() > n_max) {
        throw ModelLoadError("tensor_split has " + std::to_string(shares.size()) +
                             " shares, but llama.cpp supports at most " + std::to_string(n_max) +
                             " devices");
    }
    std::vector<float> all = shares;
    all.resize(n_max, 0.0f);
    return all;
}

struct Progress {
    const LoadProgress & report;
    std::exception_ptr error;  // thrown by report; must not cross llama.cpp's C code
};

bool report_progress(float share, void * data) noexcept {
    auto & progress = *static_cast<Progress *>(data);
    try {
        return !progress.report || progress.report(share);
    } catch (...) {
        progress.error = std::current_exception();
        return false;
    }
}

// Whether the kernel can multiply with most of the weights of a model's files.
bool knows_most(const ProductKernel & kernel, const std::vector<std::string> & paths) {
    size_t n_known = 0, n_all = 0;
    for (const std::string & path : paths) {
        ggml_context * tensors = nullptr;
        const gguf_context_ptr file(
            gguf_init_from_file(path.c_str(), {/*no_alloc=*/true, &tensors}));
        const ggml_context_ptr owned(tensors);
        if (!file) return false;  // loading it says what is wrong
        for (ggml_tensor * each = ggml_get_first_tensor(tensors); each;
             each = ggml_get_next_tensor(tensors, each)) {
            const bool is_known = weight_type(kernel, each->type) && each->ne[2] == 1 &&
                                  each->ne[1] % kernel.n_rows == 0;
            n_all += ggml_nbytes(each);
            if (is_known) n_known += ggml_nbytes(each);
        }
    }
    return 2 * n_known > n_all;
}

}  // namespace

Model::Model(const std::vector<std::string> & paths, const ModelOptions & options,
             const LoadProgress & report) {
    if (paths.empty()) throw ModelLoadError("no model file was given");
    path_ = paths[0];
    start_backend_once();  // first: captures the log, in which llama.cpp lists devices
    const LogSince log;
    on_cpu_ = options.n_gpu_layers == 0 || !llama_supports_gpu_offload();

    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers = options.n_gpu_layers;
    const llama_split_mode split = split_mode(options.split_mode);
    const std::vector<float> shares = device_shares(options.tensor_split);  // used while loading
    ggml_backend_dev_t none = nullptr;
    if (on_cpu_) {
        // Even without layers a GPU would be given large batches, because of the kind of memory
        // that the weights would be in. And without any device, llama.cpp rejects a main GPU.
        params.devices = &none;
    } else {
        params.split_mode = split;
        params.main_gpu = options.main_gpu;
        if (!shares.empty()) params.tensor_split = shares.data();
    }
    params.load_mode = options.use_mmap ? LLAMA_LOAD_MODE_AUTO : LLAMA_LOAD_MODE_NONE;
    params.vocab_only = options.vocab_only;
    has_own_products_ = on_cpu_ && options.cpu_products && !options.vocab_only &&
                        usable_product_kernel() && knows_most(*usable_product_kernel(), paths);
    params.use_extra_bufts = !has_own_products_;  // they would repack the weights
    params.progress_callback = report_progress;
    Progress progress{report, nullptr};
    params.progress_callback_user_data = &progress;

    std::vector<const char *> c_paths;
    c_paths.reserve(paths.size());
    for (const std::string & path : paths) c_paths.push_back(path.c_str());
    model_.reset(c_paths.size() == 1
                     ? llama_model_load_from_file(c_paths[0], params)
                     : llama_model_load_from_splits(c_paths.data(), c_paths.size(), params));
    if (progress.error) std::rethrow_exception(progress.error);
    if (!model_) throw ModelLoadError(log.appended_to("cannot load the model " + paths[0]));
    if (!llama_model_has_decoder(model_.get()) || llama_model_has_encoder(model_.get())) {
        throw ModelLoadError(paths[0] + " is not a decoder-only language model");
    }
    if (llama_vocab_type(vocab()) == LLAMA_VOCAB_TYPE_NONE) {
        throw ModelLoadError(path_ + " has no vocabulary");
    }
    n_vocab_ = llama_vocab_n_tokens(vocab());
    pieces_.reserve(static_cast<size_t>(n_vocab_));
    for (Token t = 0; t < n_vocab_; ++t) pieces_.push_back(read_piece(vocab(), t));
    check_vocabulary();
    if (options.vocab_only) return;
    for (const auto & [path, scale] : options.adapters) {
        llama_adapter_lora * lora = llama_adapter_lora_init(model_.get(), path.c_str());
        if (!lora) throw ModelLoadError(log.appended_to("cannot load the adapter " + path));
        loras_.push_back(lora);
        lora_scales_.push_back(scale);
    }
}

std::vector<Token> Model::tokenize(std::string_view text, bool parse_special) const {
    // Parsed control tokens have no text, so comparing would fail. They are the template's, not a
    // document's.
    const bool is_lost = may_lose_text_ && !parse_special && !can_write(text);
    try {
        if (!is_lost) return raw_tokens(text, parse_special);
    } catch (const std::out_of_range &) {
        // llama.cpp looked up the token of a byte that has none.
    }
    const std::string character = unwritable_in(text);
    throw InputError("the vocabulary of " + path_ + " cannot write " +
                     (character.empty() ? "a part of the text" : character) +
                     ": leave it out, or use a model whose vocabulary has all bytes");
}

std::vector<Token> Model::raw_tokens(std::string_view text, bool parse_special) const {
    std::vector<Token> tokens(text.size() + 8);
    const auto try_once = [&] {
        return llama_tokenize(vocab(), text.data(), static_cast<int32_t>(text.size()),
                              tokens.data(), static_cast<int32_t>(tokens.size()), false,
                              parse_special);
    };
    int32_t n = try_once();
    if (n < 0) {
        tokens.resize(static_cast<size_t>(-n));
        n = try_once();
    }
    tokens.resize(static_cast<size_t>(n));
    return tokens;
}

// Whether detokenizing the text's tokens restores it, maybe with a blank that the vocabulary adds
// before it.
bool Model::can_write(std::string_view text) const {
    std::string back;
    try {
        for (const Token t : raw_tokens(text, false)) back += piece(t);
    } catch (const std::out_of_range &) {
        return false;
    }
    return !may_lose_text_ || back == text || back == " " + std::string(text);
}

// Returns the first character that cannot be written, as messages show it; empty if all can.
std::string Model::unwritable_in(std::string_view text) const {
    for (const std::string_view character : characters(text)) {
        // Twice, as the vocabulary may have a token only for the character with the added blank
        // before it.
        if (!can_write(std::string(character) + std::string(character))) return shown(character);
    }
    return "";
}

// Finds out whether texts may be lost. Throws ModelLoadError if not even an English prompt can be
// written.
void Model::check_vocabulary() {
    const auto type = llama_vocab_type(vocab());
    const bool is_bpe = type == LLAMA_VOCAB_TYPE_BPE;
    if (is_bpe || type == LLAMA_VOCAB_TYPE_SPM) {
        std::set<std::string> missing;
        constexpr size_t n_longest = 6;  // <0x0A>
        for (int byte = 0; byte < 256; ++byte) {
            const auto b = static_cast<uint8_t>(byte);
            missing.insert(is_bpe ? bpe_byte(b) : sentencepiece_byte(b));
        }
        for (Token t = 0; t < n_vocab_; ++t) {
            const std::string_view text = llama_vocab_get_text(vocab(), t);
            if (text.size() <= n_longest) missing.erase(std::string(text));
        }
        may_lose_text_ = !missing.empty();
    }
    std::string ascii = "\n";
    for (char c = ' '; c <= '~'; ++c) ascii += c;
    const std::string character = unwritable_in(ascii);
    if (character.empty()) return;
    throw ModelLoadError("the vocabulary of " + path_ + " cannot write " + character +
                         ", and prompts need all of ASCII: use another model");
}

std::string Model::vocabulary_difference(const Model & other) const {
    if (n_vocab_ != other.n_vocab_) {
        return std::to_string(n_vocab_) + " tokens, not " + std::to_string(other.n_vocab_);
    }
    for (Token t = 0; t < n_vocab_; ++t) {
        const std::string here = llama_vocab_get_text(vocab(), t);
        const std::string there = llama_vocab_get_text(other.vocab(), t);
        if (here != there) {
            return "token " + std::to_string(t) + " is '" + here + "', not '" + there + "'";
        }
    }
    return "";
}

std::vector<Model::ControlToken> Model::control_tokens() const {
    std::vector<ControlToken> all;
    for (Token t = 0; t < n_vocab_; ++t) {
        const auto attributes = static_cast<int>(llama_vocab_get_attr(vocab(), t));
        if (!(attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN))) continue;
        const char * text = llama_vocab_get_text(vocab(), t);
        if (!text || !*text) continue;
        all.push_back({t, text, (attributes & LLAMA_TOKEN_ATTR_LSTRIP) != 0,
                       (attributes & LLAMA_TOKEN_ATTR_RSTRIP) != 0});
    }
    return all;
}

std::vector<Token> Model::tokens_without_space() const {
    std::unordered_map<std::string, Token> by_text;
    for (Token t = 0; t < n_vocab_; ++t) by_text.emplace(piece(t), t);
    std::vector<Token> without(static_cast<size_t>(n_vocab_));
    for (Token t = 0; t < n_vocab_; ++t) {
        const std::string & text = piece(t);
        const auto it =
            text.size() > 1 && text[0] == ' ' ? by_text.find(text.substr(1)) : by_text.end();
        without[static_cast<size_t>(t)] = it == by_text.end() ? t : it->second;
    }
    return without;
}

bool Model::ends_generation(Token token) const {
    return llama_vocab_is_eog(vocab(), token) || llama_vocab_is_control(vocab(), token);
}

Token Model::bos() const {
    return llama_vocab_get_add_bos(vocab()) ? llama_vocab_bos(vocab()) : -1;
}

std::string Model::description() const {
    char text[256] = {};
    llama_model_desc(model_.get(), text, sizeof text);
    return text;
}

std::string Model::chat_template() const {
    const char * text = llama_model_chat_template(model_.get(), nullptr);
    return text ? text : "";
}

std::string Model::metadata(const std::string & key) const {
    return metadata_text(llama_model_meta_val_str, model_.get(), key);
}

std::vector<std::string> Model::lora_metadata(const std::string & key) const {
    std::vector<std::string> texts;
    texts.reserve(loras_.size());
    for (const llama_adapter_lora * lora : loras_) {
        texts.push_back(metadata_text(llama_adapter_meta_val_str, lora, key));
    }
    return texts;
}

}  // namespace hpd

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hpd {

class Model;

// An option of the engine consists of a field here, its name in each(), by which Python sets it,
// and an entry in the table of options (hpd/options.py).

// How a model is loaded.
struct ModelOptions {
    int32_t n_gpu_layers = -1;     // layers on the GPU; negative: all of them
    std::string split_mode = "layer";  // none | layer | row | tensor: how GPUs share the model
    std::vector<float> tensor_split;   // the share of each GPU; empty: by free memory
    int32_t main_gpu = 0;              // the GPU that has the model if split_mode is none
    bool use_mmap = true;          // map the file instead of reading it
    bool vocab_only = false;       // tokenizer and metadata only, no weights
    bool cpu_products = true;      // on a CPU, use hpd's kernel for products with weights
    std::vector<std::pair<std::string, float>> adapters;  // adapter files and their scales

    template <class Visit>
    static void each(const Visit & visit) {
        visit("n_gpu_layers", &ModelOptions::n_gpu_layers);
        visit("split_mode", &ModelOptions::split_mode);
        visit("tensor_split", &ModelOptions::tensor_split);
        visit("main_gpu", &ModelOptions::main_gpu);
        visit("use_mmap", &ModelOptions::use_mmap);
        visit("vocab_only", &ModelOptions::vocab_only);
        visit("cpu_products", &ModelOptions::cpu_products);
        visit("adapters", &ModelOptions::adapters);
    }
};

// How tokens are chosen from logits. The default is greedy.
struct SamplingOptions {
    float temperature = 0.0f;  // 0: always the most likely token
    int32_t top_k = 40;        // keep this many candidates; 0: all
    float top_p = 0.95f;       // keep the likeliest tokens that together reach this probability
    float min_p = 0.05f;       // drop tokens less likely than this times the likeliest
    uint64_t seed = 0;         // each value draws from its own stream, derived from this

    template <class Visit>
    static void each(const Visit & visit) {
        visit("temperature", &SamplingOptions::temperature);
        visit("top_k", &SamplingOptions::top_k);
        visit("top_p", &SamplingOptions::top_p);
        visit("min_p", &SamplingOptions::min_p);
        visit("seed", &SamplingOptions::seed);
    }
};

// The context, scheduling and sampling of an engine.
struct EngineOptions {
    uint32_t n_ctx = 0;           // KV cells for everything in flight; 0: chosen from the model
    uint32_t n_batch = 512;       // tokens per decode call
    uint32_t n_ubatch = 512;      // tokens per pass over the weights
    int32_t n_threads = 0;        // for a batch of one token; 0: one per core
    int32_t n_threads_batch = 0;  // for larger batches, and for reading logits; 0: as n_threads
    uint32_t n_seq_max = 256;     // sequences; llama.cpp allows at most 256
    uint32_t n_in_flight = 0;  // requests decoded together; 0: hpd chooses
    std::string flash_attn = "auto";  // on | off | auto
    std::string cache_type_k = "f16";  // element types of the KV cells, by ggml's names
    std::string cache_type_v = "f16";
    bool drafts = true;  // guess tokens where that saves time; values stay the same
    std::shared_ptr<const Model> draft_model;  // also guesses tokens; null: none
    int32_t n_draft = 8;  // the most tokens that it guesses for a value at a time
    float draft_p_min = 0.75f;  // it stops where its likeliest token is less probable
    bool swa_full = true;  // keep every cell of sliding-window layers: forks need them
    bool cpu_attention = true;  // on a CPU, use hpd's kernel for flash attention
    bool offload_kqv = true;  // keep attention and the KV cells on the GPU
    // Decodes one request at a time, in steps that depend on that request alone, so its values are
    // identical whatever came before.
    bool deterministic = false;
    SamplingOptions sampling;

    template <class Visit>
    static void each(const Visit & visit) {
        visit("n_ctx", &EngineOptions::n_ctx);
        visit("n_batch", &EngineOptions::n_batch);
        visit("n_ubatch", &EngineOptions::n_ubatch);
        visit("n_threads", &EngineOptions::n_threads);
        visit("n_threads_batch", &EngineOptions::n_threads_batch);
        visit("n_seq_max", &EngineOptions::n_seq_max);
        visit("n_in_flight", &EngineOptions::n_in_flight);
        visit("flash_attn", &EngineOptions::flash_attn);
        visit("cache_type_k", &EngineOptions::cache_type_k);
        visit("cache_type_v", &EngineOptions::cache_type_v);
        visit("drafts", &EngineOptions::drafts);
        // draft_model is a handle in Python (bindings.cpp)
        visit("n_draft", &EngineOptions::n_draft);
        visit("draft_p_min", &EngineOptions::draft_p_min);
        visit("swa_full", &EngineOptions::swa_full);
        visit("cpu_attention", &EngineOptions::cpu_attention);
        visit("offload_kqv", &EngineOptions::offload_kqv);
        visit("deterministic", &EngineOptions::deterministic);
        visit("sampling", &EngineOptions::sampling);
    }
};

}  // namespace hpd

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/context.h"
#include "model/model.h"
#include "options.h"
#include "scheduling/batch_plan.h"
#include "scheduling/cache_ops.h"
#include "scheduling/prefix_cache.h"
#include "scheduling/request.h"
#include "scheduling/sequence_pool.h"

namespace hpd {

// Drafts the next tokens of values with a smaller model of the same vocabulary.
//
// Each value has its own sequence in that model's cache, which gets the value's new tokens when
// guesses are wanted; common prefixes are read once and forked. If cells or sequences run out, or
// the text is longer than the model was trained for, a value gets no guesses.
class ModelDrafter {
public:
    // Throws ModelLoadError if the draft model does not fit the target.
    ModelDrafter(const Model & target, std::shared_ptr<const Model> model,
                 const EngineOptions & options, uint32_t n_cells);

    // Fills in `proposed` of values that are being decoded and have none. Throws DecodeError.
    void propose(const std::vector<Value *> & values);

    // This or clear() must be called before the value is destroyed.
    void forget(const Value & value);

    void clear();

    // Makes the current decode return soon; its tokens are read again later. Thread-safe.
    void stop(bool on) { context_.stop(on); }

    // For tests.
    void replace_calls(const FallibleCalls & calls) { context_.replace_calls(calls); }

    uint64_t n_batches() const { return n_batches_; }
    double seconds() const { return seconds_; }  // waiting for llama.cpp

    // Recounts cells and sequences; throws std::logic_error if they are inconsistent.
    void check() const;

private:
    // The tokens of a value after its prompt: key, accepted tokens and guesses.
    struct Sequence {
        SeqId seq = no_seq;
        Prefix * prompt = nullptr;
        bool forked = false;
        std::vector<Token> tokens;  // that have cells

        int32_t n_tokens() const { return static_cast<int32_t>(tokens.size()); }
    };
    // A value for which tokens are being guessed.
    struct Draft {
        Value * value;
        Sequence * sequence;
        int32_t n_max;
        JsonScanner scanner;
    };
    using TakeChoice = std::function<void(size_t i, const Choice & choice)>;

    void guess(const std::vector<Value *> & values);
    int32_t n_wanted(const Value & value) const;
    Sequence * sequence_of(const Value & value);
    Prefix * prefix_of(const std::vector<Token> & prompt, int32_t n_tokens, Prefix * parent);
    bool read_prefixes(const std::vector<Draft> & drafts);
    bool feed(Draft & draft, std::vector<BatchToken> & batch);
    bool take_guess(Draft & draft, const Choice & choice) const;
    void add_token(Sequence & sequence, Token token, bool output, std::vector<BatchToken> & batch);
    bool decode(const std::vector<BatchToken> & tokens, const TakeChoice & take);

    bool make_room(int32_t n_cells, int32_t n_seqs);
    void drop_sequence(Sequence & sequence);
    void leave(Prefix & prompt);
    int32_t n_free_cells() const { return n_cells_ - n_own_cells_ - prefixes_.n_cells(); }

    static constexpr size_t n_idle_prefixes = 4;  // attention also reads their cells

    std::shared_ptr<const Model> model_;
    Context context_;
    int32_t n_draft_;
    float p_min_;
    int32_t n_cells_;
    int32_t n_own_cells_ = 0;  // of values, after their prompts
    CacheOps ops_;
    SequencePool pool_;
    PrefixCache prefixes_;
    std::unordered_map<const Value *, Sequence> sequences_;
    uint64_t n_batches_ = 0;
    double seconds_ = 0.0;
};

}  // namespace hpd

#include "drafting/model_drafter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "errors.h"
#include "sampling/sampling.h"

namespace hpd {

namespace {

using Clock = std::chrono::steady_clock;

const Model & checked_draft(const Model & target, const Model & draft) {
    const std::string difference = draft.vocabulary_difference(target);
    if (!difference.empty()) {
        throw ModelLoadError("the draft model " + draft.path() +
                             " does not have the vocabulary of " + target.path() + ": " +
                             difference);
    }
    if (draft.is_recurrent() || draft.is_hybrid()) {
        throw ModelLoadError("the draft model " + draft.path() +
                             " is recurrent, so rejected guesses cannot be removed from its state: "
                             "use a model with attention only for " +
                             target.path());
    }
    return draft;
}

EngineOptions draft_options(const EngineOptions & options, uint32_t n_cells) {
    EngineOptions draft = options;
    draft.n_ctx = n_cells;
    draft.sampling = {};  // it guesses its likeliest token, even if the target samples
    return draft;
}

}  // namespace

ModelDrafter::ModelDrafter(const Model & target, std::shared_ptr<const Model> model,
                           const EngineOptions & options, uint32_t n_cells)
    : model_(std::move(model)),
      context_(checked_draft(target, *model_), draft_options(options, n_cells)),
      n_draft_(options.n_draft),
      p_min_(options.draft_p_min),
      n_cells_(static_cast<int32_t>(context_.n_cells())),
      pool_(static_cast<int32_t>(context_.n_seq_max()), ops_),
      prefixes_(pool_, ops_) {}

void ModelDrafter::propose(const std::vector<Value *> & values) {
    guess(values);
    context_.apply(ops_.take());
}

void ModelDrafter::guess(const std::vector<Value *> & values) {
    // The values of a restarted request give up their sequences until they are decoded again.
    for (auto it = sequences_.begin(); it != sequences_.end();) {
        const bool is_stale = it->first->state != Value::State::decoding;
        if (is_stale) drop_sequence(it->second);
        it = is_stale ? sequences_.erase(it) : std::next(it);
    }
    std::vector<Draft> drafts;
    for (Value * v : values) {
        const int32_t n_max = v->proposed.empty() ? n_wanted(*v) : 0;
        Sequence * sequence = n_max > 0 ? sequence_of(*v) : nullptr;
        if (sequence) drafts.push_back({v, sequence, n_max, v->scanner});
    }
    if (!read_prefixes(drafts)) return;

    std::vector<BatchToken> batch;
    std::vector<Draft *> guessing;
    for (Draft & draft : drafts) {
        if (feed(draft, batch)) guessing.push_back(&draft);
    }
    while (!guessing.empty()) {
        std::vector<BatchToken> next;
        std::vector<Draft *> still;
        const bool decoded = decode(batch, [&](size_t i, const Choice & choice) {
            Draft & draft = *guessing[i];
            if (!take_guess(draft, choice) || !make_room(1, 0)) return;
            add_token(*draft.sequence, draft.value->proposed.back(), true, next);
            still.push_back(&draft);
        });
        if (!decoded) return;
        batch = std::move(next);
        guessing = std::move(still);
    }
}

void ModelDrafter::forget(const Value & value) {
    const auto it = sequences_.find(&value);
    if (it == sequences_.end()) return;
    drop_sequence(it->second);
    sequences_.erase(it);
    context_.apply(ops_.take());
}

void ModelDrafter::clear() {
    context_.clear();
    for (auto & [value, sequence] : sequences_) drop_sequence(sequence);
    sequences_.clear();
    while (prefixes_.evict()) {
    }
    ops_.clear();  // the cache is already empty
}

// --- reading ---------------------------------------------------------------------------------

int32_t ModelDrafter::n_wanted(const Value & v) const {
    // The target itself chooses the token after the last guess.
    const int32_t n_left = v.field().max_tokens - static_cast<int32_t>(v.tokens.size()) - 1;
    const auto n_text =
        v.request->n_prompt() + static_cast<int32_t>(v.field().key.size() + v.tokens.size());
    const int32_t n_max = std::min(n_draft_, n_left);
    const int32_t n_ctx_train = model_->n_ctx_train();
    return n_ctx_train > 0 && n_text + n_max > n_ctx_train ? 0 : n_max;
}

// Returns the value's sequence, which may be new; nullptr if there is no room.
ModelDrafter::Sequence * ModelDrafter::sequence_of(const Value & v) {
    if (const auto it = sequences_.find(&v); it != sequences_.end()) return &it->second;
    const Request & request = *v.request;
    const int32_t n_prompt = v.request->n_prompt();
    Prefix * instruction = nullptr;
    if (request.n_instruction > 0 && request.n_instruction < n_prompt) {
        instruction = prefix_of(request.prompt, request.n_instruction, nullptr);
        if (!instruction) return nullptr;
    }
    Prefix * prompt = prefix_of(request.prompt, n_prompt, instruction);
    if (!prompt) return nullptr;
    prefixes_.use(*prompt);
    if (!make_room(0, 1)) {
        leave(*prompt);
        return nullptr;
    }
    return &(sequences_[&v] = {pool_.take(), prompt, false, {}});
}

// Returns a prefix of a prompt, possibly still to be read; nullptr if there is no room.
Prefix * ModelDrafter::prefix_of(const std::vector<Token> & prompt, int32_t n_tokens,
                                 Prefix * parent) {
    Prefix * prefix = prefixes_.find(prompt, n_tokens);
    if (!prefix || prefix->n_tokens() < n_tokens) {
        if (parent) prefixes_.use(*parent);  // it must not be evicted for its own extension
        const bool has_room = make_room(n_tokens - (parent ? parent->n_tokens() : 0), 1);
        if (parent) prefixes_.leave(*parent);
        if (!has_room) return nullptr;
        prefix = &prefixes_.add(prompt, n_tokens, parent);
    }
    prefixes_.touch(*prefix);
    return prefix;
}

// Reads instructions first, then the prompts that begin with them, as a fork needs cells that
// exist. Returns false if a decode failed.
bool ModelDrafter::read_prefixes(const std::vector<Draft> & drafts) {
    std::vector<Prefix *> unread;
    for (const Draft & draft : drafts) {
        for (Prefix * p = draft.sequence->prompt; p && !p->ready; p = p->parent) {
            if (std::find(unread.begin(), unread.end(), p) == unread.end()) unread.push_back(p);
        }
    }
    while (!unread.empty()) {
        const auto waits = [](const Prefix * p) { return p->parent && !p->parent->ready; };
        const auto now = std::stable_partition(unread.begin(), unread.end(), waits);
        std::vector<BatchToken> batch;
        for (auto it = now; it != unread.end(); ++it) {
            const Prefix & p = **it;
            if (p.parent) ops_.fork(p.parent->seq, p.seq, p.n_inherited());
            for (int32_t i = p.n_inherited(); i < p.n_tokens(); ++i) {
                batch.push_back({p.tokens[static_cast<size_t>(i)], i, {p.seq}, false});
            }
        }
        if (!decode(batch, nullptr)) return false;
        for (auto it = now; it != unread.end(); ++it) prefixes_.set_ready(**it);
        unread.erase(now, unread.end());
    }
    return true;
}

// Adds the value's tokens that the sequence lacks, with an output after the last; returns false if
// there is no room.
bool ModelDrafter::feed(Draft & draft, std::vector<BatchToken> & batch) {
    const Value & v = *draft.value;
    Sequence & s = *draft.sequence;
    std::vector<Token> text = v.field().key;
    text.insert(text.end(), v.tokens.begin(), v.tokens.end());
    // Removes guesses that the target rejected; the last token is read again for its output.
    const int32_t n_same = n_common(s.tokens, text, static_cast<int32_t>(text.size()) - 1);
    if (s.n_tokens() > n_same) {
        n_own_cells_ -= s.n_tokens() - n_same;
        s.tokens.resize(static_cast<size_t>(n_same));
        ops_.trim(s.seq, s.prompt->n_tokens() + n_same);
    }
    if (!make_room(static_cast<int32_t>(text.size()) - n_same, 0)) return false;
    if (!s.forked) ops_.fork(s.prompt->seq, s.seq, s.prompt->n_tokens());
    s.forked = true;
    for (auto i = static_cast<size_t>(n_same); i < text.size(); ++i) {
        add_token(s, text[i], i + 1 == text.size(), batch);
    }
    return true;
}

// --- guessing --------------------------------------------------------------------------------

// Takes a choice that is likely enough as a guess; returns whether another guess should follow.
bool ModelDrafter::take_guess(Draft & draft, const Choice & choice) const {
    if (std::exp(choice.logprob) < p_min_ || model_->ends_generation(choice.token)) return false;
    // A value's last token needs no guess: nothing is decoded after it.
    const JsonScanner::Status status = draft.scanner.feed(model_->piece(choice.token));
    if (status != JsonScanner::Status::incomplete) return false;
    std::vector<Token> & proposed = draft.value->proposed;
    proposed.push_back(choice.token);
    return static_cast<int32_t>(proposed.size()) < draft.n_max;
}

void ModelDrafter::add_token(Sequence & s, Token token, bool output,
                             std::vector<BatchToken> & batch) {
    const int32_t position = s.prompt->n_tokens() + s.n_tokens();
    batch.push_back({token, position, {s.seq}, output});
    s.tokens.push_back(token);
    ++n_own_cells_;
}

// Decodes tokens in as many batches as needed; `take` gets the i-th output's choice. If llama.cpp
// does not decode a batch, everything is cleared, and the result is false.
bool ModelDrafter::decode(const std::vector<BatchToken> & tokens, const TakeChoice & take) {
    context_.apply(ops_.take());
    size_t n_outputs = 0;
    for (size_t begin = 0; begin < tokens.size();) {
        const size_t n = std::min<size_t>(context_.n_batch(), tokens.size() - begin);
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<BatchToken> batch(first, first + static_cast<std::ptrdiff_t>(n));
        begin += n;
        const auto start = Clock::now();
        const DecodeStatus status = context_.decode(batch);
        ++n_batches_;
        if (status != DecodeStatus::ok) {
            if (status == DecodeStatus::full) n_cells_ /= 2;
            clear();
            return false;
        }
        seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
        for (const LogitRow & row : context_.rows()) take(n_outputs++, choose_greedy(row));
    }
    return true;
}

// --- budgets ---------------------------------------------------------------------------------

bool ModelDrafter::make_room(int32_t n_cells, int32_t n_seqs) {
    while (n_free_cells() < n_cells || pool_.n_free() < n_seqs) {
        if (!prefixes_.evict()) return false;
    }
    return true;
}

void ModelDrafter::drop_sequence(Sequence & s) {
    n_own_cells_ -= s.n_tokens();
    pool_.give_back(s.seq);
    leave(*s.prompt);
}

void ModelDrafter::leave(Prefix & prompt) {
    prefixes_.leave(prompt);
    if (prompt.n_users > 0) return;
    if (prompt.is_whole_prompt) prefixes_.drop(prompt);
    while (prefixes_.n_idle() > n_idle_prefixes) prefixes_.evict();
}

void ModelDrafter::check() const {
    const auto fail = [](const std::string & what) {
        throw std::logic_error("draft model: " + what);
    };
    const auto check_cells = [&](SeqId seq, int32_t n_tokens) {
        if (context_.n_past(seq) == n_tokens) return;
        fail("sequence " + std::to_string(seq) + " has " + std::to_string(context_.n_past(seq)) +
             " cells, but the count is " + std::to_string(n_tokens));
    };
    std::vector<SeqId> seqs;
    std::unordered_map<const Prefix *, int32_t> n_users;
    int32_t n_cells = 0;
    for (const auto & [value, s] : sequences_) {
        check_cells(s.seq, s.forked ? s.prompt->n_tokens() + s.n_tokens() : 0);
        seqs.push_back(s.seq);
        ++n_users[s.prompt];
        n_cells += s.n_tokens();
    }
    for (const Prefix & p : prefixes_.all()) {
        check_cells(p.seq, p.ready ? p.n_tokens() : 0);
        seqs.push_back(p.seq);
    }
    prefixes_.check(n_users);
    pool_.check(seqs);
    if (n_cells != n_own_cells_) {
        fail("there are " + std::to_string(n_cells) + " cells of values, but the count is " +
             std::to_string(n_own_cells_));
    }
}

}  // namespace hpd

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

const Model & fitting(const Model & target, const Model & draft) {
    const std::string difference = draft.vocabulary_difference(target);
    if (!difference.empty()) {
        throw ModelLoadError("the draft model " + draft.path() + " has not the vocabulary of " +
                             target.path() + ": " + difference);
    }
    if (draft.is_recurrent() || draft.is_hybrid()) {
        throw ModelLoadError("the draft model " + draft.path() +
                             " is recurrent: what it has guessed cannot be taken back; "
                             "take one with attention only for " +
                             target.path());
    }
    return draft;
}

EngineOptions draft_options(const EngineOptions & options, uint32_t n_cells) {
    EngineOptions draft = options;
    draft.n_ctx = n_cells;
    return draft;
}

size_t n_common(const std::vector<Token> & a, const std::vector<Token> & b, size_t n_max) {
    const size_t n = std::min({a.size(), b.size(), n_max});
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(n);
    return static_cast<size_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

}  // namespace

ModelDrafter::ModelDrafter(const Model & target, std::shared_ptr<const Model> model,
                           const EngineOptions & options, uint32_t n_cells)
    : model_(std::move(model)),
      context_(fitting(target, *model_), draft_options(options, n_cells)),
      n_draft_(options.n_draft),
      p_min_(options.draft_p_min),
      n_cells_(static_cast<int32_t>(context_.n_cells())) {
    clear();
}

void ModelDrafter::propose(const std::vector<Value *> & values) {
    // A request that had to start again gives its cells back until it is decoded once more.
    for (auto it = sequences_.begin(); it != sequences_.end();) {
        const bool left = it->first->state != Value::State::decoding;
        if (left) drop_sequence(it->second);
        it = left ? sequences_.erase(it) : std::next(it);
    }
    std::vector<Draft> drafts;
    for (Value * v : values) {
        const int32_t n_max = v->proposed.empty() ? n_wanted(*v) : 0;
        Sequence * sequence = n_max > 0 ? sequence_of(*v) : nullptr;
        if (sequence) drafts.push_back({v, sequence, n_max, v->scanner});
    }
    if (!read_stems(drafts)) return;

    std::vector<BatchToken> batch;
    std::vector<Draft *> guessing;
    for (Draft & draft : drafts) {
        if (feed(draft, batch)) guessing.push_back(&draft);
    }
    while (!guessing.empty()) {
        std::vector<BatchToken> next;
        std::vector<Draft *> still;
        const bool decoded = decode(batch, [&](size_t i, const float * row) {
            Draft & draft = *guessing[i];
            if (!take_guess(draft, row) || !make_room(1, 0)) return;
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
}

void ModelDrafter::clear() {
    context_.clear();
    sequences_.clear();
    stems_.clear();
    n_cells_used_ = 0;
    for (SeqId s = 0; s < static_cast<SeqId>(context_.n_seq_max()); ++s) free_seqs_.insert(s);
}

// --- reading ---------------------------------------------------------------------------------

int32_t ModelDrafter::n_wanted(const Value & v) const {
    // Behind the last guess comes a token that the target chooses.
    const int32_t n_left = v.field().max_tokens - static_cast<int32_t>(v.tokens.size()) - 1;
    const auto n_text =
        v.request->n_prompt() + static_cast<int32_t>(v.field().key.size() + v.tokens.size());
    const int32_t n_max = std::min(n_draft_, n_left);
    const int32_t n_ctx_train = model_->n_ctx_train();
    return n_ctx_train > 0 && n_text + n_max > n_ctx_train ? 0 : n_max;
}

// nullptr where there is no room for it.
ModelDrafter::Sequence * ModelDrafter::sequence_of(const Value & v) {
    if (const auto it = sequences_.find(&v); it != sequences_.end()) return &it->second;
    const Request & request = v.request->request;
    const int32_t n_prompt = v.request->n_prompt();
    Stem * instruction = nullptr;
    if (request.n_instruction > 0 && request.n_instruction < n_prompt) {
        instruction = stem_of(request.prompt, request.n_instruction, nullptr);
        if (!instruction) return nullptr;
        instruction->kept = true;
    }
    Stem * stem = stem_of(request.prompt, n_prompt, instruction);
    if (!stem) return nullptr;
    ++stem->n_users;
    if (!make_room(0, 1)) {
        leave_stem(stem);
        return nullptr;
    }
    return &(sequences_[&v] = {take_seq(), stem, false, {}});
}

// The beginning of a prompt, perhaps still to be read; nullptr where there is no room for it.
ModelDrafter::Stem * ModelDrafter::stem_of(const std::vector<Token> & prompt, int32_t n_tokens,
                                           Stem * parent) {
    const auto end = prompt.begin() + n_tokens;
    for (Stem & stem : stems_) {
        if (stem.n_tokens() == n_tokens && std::equal(prompt.begin(), end, stem.tokens.begin())) {
            stem.last_used = ++clock_;
            return &stem;
        }
    }
    const int32_t n_own_cells = n_tokens - (parent ? parent->n_tokens() : 0);
    if (parent) ++parent->n_users;  // it must not make room for what stands on it
    if (!make_room(n_own_cells, 1)) {
        if (parent) --parent->n_users;
        return nullptr;
    }
    Stem stem;
    stem.tokens.assign(prompt.begin(), end);
    stem.seq = take_seq();
    stem.parent = parent;
    stem.last_used = ++clock_;
    n_cells_used_ += n_own_cells;
    stems_.push_back(std::move(stem));
    return &stems_.back();
}

// Instructions first, then the prompts that begin with them: a fork needs the cells to be there.
bool ModelDrafter::read_stems(const std::vector<Draft> & drafts) {
    std::vector<Stem *> unread;
    for (const Draft & draft : drafts) {
        for (Stem * s = draft.sequence->stem; s && !s->read; s = s->parent) {
            if (std::find(unread.begin(), unread.end(), s) == unread.end()) unread.push_back(s);
        }
    }
    while (!unread.empty()) {
        const auto waits = [](const Stem * s) { return s->parent && !s->parent->read; };
        const auto now = std::stable_partition(unread.begin(), unread.end(), waits);
        std::vector<BatchToken> batch;
        for (auto it = now; it != unread.end(); ++it) {
            const Stem & stem = **it;
            if (stem.parent) context_.fork(stem.parent->seq, stem.seq, stem.n_inherited());
            for (int32_t i = stem.n_inherited(); i < stem.n_tokens(); ++i) {
                batch.push_back({stem.tokens[static_cast<size_t>(i)], i, {stem.seq}, false});
            }
        }
        if (!decode(batch, nullptr)) return false;
        for (auto it = now; it != unread.end(); ++it) (*it)->read = true;
        unread.erase(now, unread.end());
    }
    return true;
}

// What the sequence lacks of the value, with an output after its last token; false where there is
// no room for it.
bool ModelDrafter::feed(Draft & draft, std::vector<BatchToken> & batch) {
    const Value & v = *draft.value;
    Sequence & s = *draft.sequence;
    std::vector<Token> text = v.field().key;
    text.insert(text.end(), v.tokens.begin(), v.tokens.end());
    // Guesses that the target has rejected go, and the last token is read anew for its output.
    const size_t n_same = n_common(s.held, text, text.size() - 1);
    if (s.held.size() > n_same) {
        n_cells_used_ -= static_cast<int32_t>(s.held.size() - n_same);
        s.held.resize(n_same);
        context_.trim(s.seq, s.stem->n_tokens() + static_cast<int32_t>(n_same));
    }
    if (!make_room(static_cast<int32_t>(text.size() - n_same), 0)) return false;
    if (!s.forked) context_.fork(s.stem->seq, s.seq, s.stem->n_tokens());
    s.forked = true;
    for (size_t i = n_same; i < text.size(); ++i) {
        add_token(s, text[i], i + 1 == text.size(), batch);
    }
    return true;
}

// --- guessing --------------------------------------------------------------------------------

// False if no guess should follow this row's.
bool ModelDrafter::take_guess(Draft & draft, const float * row) const {
    const Choice choice = choose_greedy(read_row(row, model_->n_vocab()));
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
    const int32_t position = s.stem->n_tokens() + static_cast<int32_t>(s.held.size());
    batch.push_back({token, position, {s.seq}, output});
    s.held.push_back(token);
    ++n_cells_used_;
}

// Decodes tokens in as many batches as they need; `take` gets the i-th output's row. False if
// llama.cpp gave up: then everything is forgotten.
bool ModelDrafter::decode(const std::vector<BatchToken> & tokens, const TakeRow & take) {
    const auto n_vocab = static_cast<size_t>(model_->n_vocab());
    size_t n_outputs = 0;
    for (size_t begin = 0; begin < tokens.size();) {
        const size_t n = std::min<size_t>(context_.n_batch(), tokens.size() - begin);
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<BatchToken> batch(first, first + static_cast<std::ptrdiff_t>(n));
        begin += n;
        const auto n_rows = static_cast<size_t>(std::count_if(
            batch.begin(), batch.end(), [](const BatchToken & t) { return t.output; }));
        const auto start = Clock::now();
        const DecodeStatus status = context_.decode(batch);
        ++n_batches_;
        if (status != DecodeStatus::ok) {
            if (status == DecodeStatus::full) n_cells_ /= 2;
            clear();
            return false;
        }
        const float * rows = n_rows > 0 ? context_.rows() : nullptr;  // waits
        seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
        for (size_t i = 0; i < n_rows; ++i) take(n_outputs++, rows + i * n_vocab);
    }
    return true;
}

// --- budgets ---------------------------------------------------------------------------------

bool ModelDrafter::make_room(int32_t n_cells, size_t n_seqs) {
    while (n_cells_ - n_cells_used_ < n_cells || free_seqs_.size() < n_seqs) {
        if (!drop_idle_stem(0)) return false;
    }
    return true;
}

// Drops the least recently used stem that nothing stands on; false if there are no more than
// n_kept of them.
bool ModelDrafter::drop_idle_stem(size_t n_kept) {
    Stem * oldest = nullptr;
    size_t n_idle = 0;
    for (Stem & stem : stems_) {
        if (stem.n_users > 0) continue;
        ++n_idle;
        if (!oldest || stem.last_used < oldest->last_used) oldest = &stem;
    }
    if (n_idle <= n_kept) return false;
    drop_stem(*oldest);
    return true;
}

void ModelDrafter::drop_sequence(Sequence & s) {
    n_cells_used_ -= static_cast<int32_t>(s.held.size());
    free_seq(s.seq);
    leave_stem(s.stem);
}

void ModelDrafter::leave_stem(Stem * stem) {
    if (--stem->n_users > 0) return;
    if (!stem->kept) drop_stem(*stem);
    while (drop_idle_stem(n_idle_stems)) {
    }
}

void ModelDrafter::drop_stem(Stem & stem) {
    Stem * parent = stem.parent;
    n_cells_used_ -= stem.n_own_cells();
    free_seq(stem.seq);
    stems_.remove_if([&](const Stem & other) { return &other == &stem; });
    if (parent) leave_stem(parent);
}

SeqId ModelDrafter::take_seq() {
    const SeqId s = *free_seqs_.begin();
    free_seqs_.erase(free_seqs_.begin());
    return s;
}

void ModelDrafter::free_seq(SeqId s) {
    context_.drop(s);
    free_seqs_.insert(s);
}

void ModelDrafter::check() const {
    const auto fail = [](const std::string & what) {
        throw std::logic_error("draft model: " + what);
    };
    std::set<SeqId> used = free_seqs_;
    std::unordered_map<const Stem *, int32_t> n_users;
    int32_t n_cells = 0;
    const auto use = [&](SeqId seq, int32_t n_held, const Stem * below, const char * who) {
        if (!used.insert(seq).second) fail(std::string(who) + " shares its sequence id");
        if (context_.n_past(seq) != n_held) fail(std::string(who) + " does not hold its tokens");
        if (below) ++n_users[below];
    };
    for (const auto & [value, s] : sequences_) {
        const auto n_held = static_cast<int32_t>(s.held.size());
        use(s.seq, s.forked ? s.stem->n_tokens() + n_held : 0, s.stem, "a value");
        n_cells += n_held;
    }
    for (const Stem & stem : stems_) {
        use(stem.seq, stem.read ? stem.n_tokens() : 0, stem.parent, "a stem");
        n_cells += stem.n_own_cells();
    }
    for (const Stem & stem : stems_) {
        if (stem.n_users != n_users[&stem]) fail("a stem's users are miscounted");
    }
    if (n_cells != n_cells_used_) fail("the cells are miscounted");
    if (used.size() != context_.n_seq_max()) fail("a sequence id was lost");
}

}  // namespace hpd

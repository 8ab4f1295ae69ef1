#include "engine.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "errors.h"

namespace hpd {

namespace {

// A batch costs as much by itself as so many tokens with their rows of logits: a rule of thumb.
constexpr double batch_worth_gpu = 128.0;
constexpr double batch_worth_cpu = 16.0;

// Where no result may depend on what else is decoded, guesses as likely as this are made.
constexpr double deterministic_least_probability = 0.4;

// Above this log-probability the share of a token is not worked out: 1 - p is below a thousandth.
constexpr float nearly_certain = -1e-3f;

// Where tokens pay for cells that they do not see, no document is begun beside others once so many
// are in use: fewer documents at a time take more batches, more of them make each token dearer.
constexpr int32_t n_busy_cells = 768;

Limits limits_of(const Model & model, const Context & context, const EngineOptions & options) {
    Limits limits;
    limits.n_seq = static_cast<int32_t>(context.n_seq_max());
    limits.n_cells = static_cast<int32_t>(context.n_cells());
    limits.n_batch = static_cast<int32_t>(context.n_batch());
    limits.n_rows = static_cast<int32_t>(context.n_rows_max());
    limits.n_value_batch = context.n_value_batch();
    if (options.n_in_flight > 0) {
        limits.n_in_flight = static_cast<int32_t>(options.n_in_flight);
    } else if (context.pays_for_idle_cells()) {
        limits.n_busy_cells = n_busy_cells;
    }
    limits.couples = context.couples();
    if (options.deterministic) {
        limits.alone = true;
        limits.n_in_flight = 1;
        limits.n_common_least = std::numeric_limits<int32_t>::max();
    }
    // A window may have dropped the cells that a fork in the middle of an instruction would need.
    if (model.n_swa() > 0) limits.n_common_least = std::numeric_limits<int32_t>::max();
    return limits;
}

// Names the stream of random numbers of one value: by what is asked, not by when or beside what.
uint64_t stream_of(const Value & value) {
    const uint64_t prompt = hash_tokens(value.request->request.prompt);
    return hash_step(hash_tokens(value.field().key, prompt), value.index);
}

}  // namespace

Engine::Engine(std::shared_ptr<const Model> model, const EngineOptions & options)
    : model_(std::move(model)),
      sampling_(options.sampling),
      context_(*model_, options),
      drafter_(
          options.drafts && context_.couples()
              ? std::make_unique<Drafter>(model_->tokens_without_space(), !options.deterministic)
              : nullptr),
      model_drafter_(options.draft_model && context_.couples()
                         ? std::make_unique<ModelDrafter>(*model_, options.draft_model, options,
                                                          context_.n_cells())
                         : nullptr),
      scheduler_(limits_of(*model_, context_, options), drafter_.get(),
                 model_drafter_ ? [this](const auto & values) { model_drafter_->propose(values); }
                                : Scheduler::Propose()),
      constraints_(*model_) {
    if (!options.deterministic) return;
    if (options.draft_model) {
        throw std::invalid_argument(
            "a draft model's guesses depend on what it read before: they "
            "cannot be deterministic");
    }
    fixed_least_probability_ = deterministic_least_probability;
}

void Engine::submit(Request request) {
    scheduler_.submit(std::make_unique<RequestState>(std::move(request)));
}

std::vector<std::unique_ptr<RequestState>> Engine::step() {
    if (!scheduler_.idle()) decode_batch();
    return scheduler_.take_finished();
}

std::vector<std::unique_ptr<RequestState>> Engine::advance() {
    const bool wanted = wants_request();
    std::vector<std::unique_ptr<RequestState>> finished = scheduler_.take_finished();
    while (finished.empty() && !scheduler_.idle() && wants_request() <= wanted &&
           !woken_.exchange(false)) {
        if (!decode_batch()) break;
        finished = scheduler_.take_finished();
    }
    return finished;
}

// schedule -> decode -> accept -> retire; false where the decode was ended before its time.
bool Engine::decode_batch() {
    recorder_.step_begins();
    if (drafter_) drafter_->set_least_probability(least_probability());
    DecodeStatus status;
    try {
        const BatchPlan plan = scheduler_.plan();
        context_.apply(plan.ops);
        recorder_.decode_begins();
        status = context_.decode(plan.batch);
        recorder_.decode_ends(plan, status);
        if (status == DecodeStatus::ok) accept(plan);
        abort_watch_.decode_ended(status, context_.is_stopped());
    } catch (...) {
        start_again(false);
        throw;
    }
    if (status != DecodeStatus::ok) start_again(status == DecodeStatus::full);
    if (check_) check();
    recorder_.step_ends(scheduler_, context_, model_drafter_.get());
    return status != DecodeStatus::aborted;
}

// How likely a guess must be to be worth its place. It costs a token and a row of logits; a right
// one saves as much in a later batch, and the value's share of what that batch costs by itself.
double Engine::least_probability() const {
    if (fixed_least_probability_) return *fixed_least_probability_;
    const double n_values = std::max(1, scheduler_.n_in_step());
    return n_values / (n_values + (model_->on_cpu() ? batch_worth_cpu : batch_worth_gpu));
}

void Engine::accept(const BatchPlan & plan) {
    scheduler_.commit();
    if (plan.rows.empty()) return;
    BatchRows rows = context_.rows();
    for (size_t i = 0; i < plan.rows.size();) {
        Value & value = *plan.rows[i].value;
        size_t end = i;
        while (end < plan.rows.size() && plan.rows[end].value == &value) ++end;
        bool done = false;
        int32_t n_accepted = 0;
        for (; i < end; ++i) {
            done = accept_token(value, rows, static_cast<size_t>(plan.rows[i].row));
            // The row after a guess counts only if the guess is what the model itself chose.
            const auto k = static_cast<size_t>(plan.rows[i].n_drafted);
            const bool guessed = k < value.draft.size() && value.draft[k] == value.tokens.back();
            if (guessed) ++n_accepted;
            if (done || !guessed) break;
        }
        value.request->n_accepted += static_cast<uint64_t>(n_accepted);
        if (drafter_) drafter_->observe(value, n_accepted);
        if (done) {
            if (drafter_ && value.finish == Finish::complete) drafter_->learn(value);
            if (model_drafter_) model_drafter_->forget(value);
            value_constraints_.erase(&value);
            scheduler_.retire(value, value.finish);
        } else {
            scheduler_.keep(value, n_accepted);
        }
        i = end;
    }
    recorder_.rows_read(rows.n_copied());
}

// Takes the next token of a value; true if it was the last.
bool Engine::accept_token(Value & value, BatchRows & rows, size_t row) {
    const Choice choice = choose(value, rows, row);
    if (choice.token < 0) {  // the constraint leaves nothing
        value.finish = Finish::invalid;
        return true;
    }
    value.log_shares.push_back(value.field().closed ? share_of(choice, value, rows, row)
                                                    : choice.logprob);
    value.tokens.push_back(choice.token);
    value.logprobs.push_back(choice.logprob);
    value.margins.push_back(choice.margin);
    if (const auto it = value_constraints_.find(&value); it != value_constraints_.end()) {
        it->second->accept(choice.token);
    }
    if (model_->ends_generation(choice.token)) {
        const bool complete = value.scanner.finish() == JsonScanner::Status::complete;
        value.finish = complete ? Finish::complete : Finish::end_of_generation;
        return true;
    }
    const std::string piece = model_->piece(choice.token);
    value.text += piece;
    switch (value.scanner.feed(piece)) {
        case JsonScanner::Status::complete:
            value.text.resize(value.scanner.length());
            value.finish = Finish::complete;
            return true;
        case JsonScanner::Status::invalid:
            value.finish = Finish::invalid;
            return true;
        case JsonScanner::Status::incomplete:
            break;
    }
    if (static_cast<int32_t>(value.tokens.size()) < value.field().max_tokens) return false;
    value.finish = Finish::truncated;
    return true;
}

Choice Engine::choose(Value & value, BatchRows & rows, size_t row) {
    const size_t n = value.tokens.size();
    Constraint * constraint = nullptr;
    if (n == 0) {
        if (auto made = constraints_.make(value.field())) {
            constraint = (value_constraints_[&value] = std::move(made)).get();
        }
    } else if (const auto it = value_constraints_.find(&value); it != value_constraints_.end()) {
        constraint = it->second.get();
    }
    // A known answer: the logits are computed and read as always, and only then is it taken. A
    // constraint checks its token, which is the work that a model that obeys makes for it.
    if (n < value.field().replay.size()) {
        Choice choice = rows.choose_greedy(row);
        choice.token = value.field().replay[n];
        if (constraint && !constraint->allows(choice.token))
            throw std::invalid_argument(
                "a known answer is not one that its field's grammar allows");
        return choice;
    }
    const auto allowed = [&](Token t) { return constraint->allows(t); };
    if (sampling_.temperature > 0.0f) {
        const double uniform = uniform_at(sampling_.seed, stream_of(value), n);
        return constraint ? choose_random(rows.whole(row), sampling_, uniform, allowed)
                          : choose_random(rows.whole(row), sampling_, uniform);
    }
    return constraint ? rows.choose_greedy(row, allowed) : rows.choose_greedy(row);
}

// The log of a token's share in the probability of all tokens that count next under the constraint
// of its value.
float Engine::share_of(const Choice & choice, const Value & value, BatchRows & rows, size_t row) {
    const auto it = value_constraints_.find(&value);
    // Beside a token that is nearly certain there is nothing to share with.
    if (it == value_constraints_.end() || choice.logprob > nearly_certain) return choice.logprob;
    const LogitRow & whole = rows.whole(row);
    const std::vector<Token> allowed = it->second->allowed_beside(whole, choice.token);
    return log_share(whole, completing_alike(choice.token, value, allowed), allowed);
}

// Those of some tokens with which the value would be the same: itself and, if it completes the
// value, all that complete it with the same text, whatever they hold of what comes behind.
std::vector<Token> Engine::completing_alike(Token token, const Value & value,
                                            const std::vector<Token> & others) const {
    const std::string piece = model_->piece(token);
    JsonScanner scanner = value.scanner;
    if (scanner.feed(piece) != JsonScanner::Status::complete) return {token};
    const std::string end = piece.substr(0, scanner.length() - value.text.size());
    std::vector<Token> alike;
    for (const Token other : others) {
        const std::string text = model_->piece(other);
        JsonScanner fed = value.scanner;
        if (fed.feed(text) == JsonScanner::Status::complete && fed.length() == scanner.length() &&
            text.compare(0, end.size(), end) == 0) {
            alike.push_back(other);
        }
    }
    return alike;
}

void Engine::check() const {
    scheduler_.check();
    if (model_drafter_) model_drafter_->check();
}

void Engine::start_again(bool shrink) {
    clear_caches();
    scheduler_.restart(shrink);
}

void Engine::clear_caches() {
    context_.clear();
    value_constraints_.clear();
    if (model_drafter_) model_drafter_->clear();
}

void Engine::forget_prompt(const std::vector<Token> & prompt) { scheduler_.forget_prompt(prompt); }

void Engine::teach(uint64_t attribute, const std::vector<Token> & tokens) {
    if (drafter_) drafter_->teach(attribute, tokens);
}

void Engine::cancel(const std::set<uint64_t> & ids) {
    for (const auto & r : scheduler_.cancel(ids)) {
        for (const Value & value : r->values) {
            if (model_drafter_) model_drafter_->forget(value);
            value_constraints_.erase(&value);
        }
    }
    if (check_) check();
}

void Engine::cancel_all() {
    clear_caches();
    scheduler_.cancel_all();
}

void Engine::interrupt(bool on) {
    context_.stop(on);
    if (model_drafter_) model_drafter_->stop(on);
}

void Engine::replace_calls(const FallibleCalls & calls) {
    context_.replace_calls(calls);
    if (model_drafter_) model_drafter_->replace_calls(calls);
}

}  // namespace hpd

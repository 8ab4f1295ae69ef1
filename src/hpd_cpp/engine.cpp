#include "engine.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hpd {

namespace {

// The approximate fixed cost of a batch, in tokens with their rows of logits.
constexpr double batch_worth_gpu = 128.0;
constexpr double batch_worth_cpu = 16.0;
constexpr double batch_worth_own_products = 6.0;

// Where each token also costs time for cells that it does not see, no document is started while
// this many cells are in use. Fewer documents in flight would need more batches; more would make
// each token slower.
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
    limits.shares_tokens = context.shares_tokens();
    if (options.deterministic) {
        limits.alone = true;
        limits.n_in_flight = 1;
        limits.n_common_least = std::numeric_limits<int32_t>::max();
    }
    // A sliding window may have dropped cells that a fork in the middle of an instruction needs.
    if (model.n_swa() > 0) limits.n_common_least = std::numeric_limits<int32_t>::max();
    return limits;
}

std::unique_ptr<Drafter> make_drafter(const Model & model, const Context & context,
                                      const EngineOptions & options) {
    if (!options.drafts || !context.shares_tokens()) return nullptr;
    const double batch_worth = !model.on_cpu()            ? batch_worth_gpu
                               : model.has_own_products() ? batch_worth_own_products
                                                          : batch_worth_cpu;
    VocabularyView vocabulary{
        model.pieces(), model.tokens_without_space(),
        [&model](std::string_view text) { return model.tokenize(text, false); }};
    return std::make_unique<Drafter>(std::move(vocabulary), batch_worth, !options.deterministic);
}

std::unique_ptr<ModelDrafter> make_model_drafter(const Model & model, const Context & context,
                                                 const EngineOptions & options) {
    if (!options.draft_model || !context.shares_tokens()) return nullptr;
    if (options.deterministic) {
        throw std::invalid_argument(
            "a draft model's guesses depend on what it read before: they cannot be deterministic");
    }
    return std::make_unique<ModelDrafter>(model, options.draft_model, options, context.n_cells());
}

}  // namespace

Engine::Engine(std::shared_ptr<const Model> model, const EngineOptions & options)
    : model_(std::move(model)),
      context_(*model_, options),
      drafter_(make_drafter(*model_, context_, options)),
      model_drafter_(make_model_drafter(*model_, context_, options)),
      scheduler_(limits_of(*model_, context_, options), drafter_.get(),
                 model_drafter_ ? [this](const auto & values) { model_drafter_->propose(values); }
                                : Scheduler::Propose()),
      writer_(*model_, options.sampling) {}

// --- a step ------------------------------------------------------------------------------------

// schedule -> decode -> accept -> retire; false if the decode was aborted.
bool Engine::decode_batch() {
    const StepRecorder::Step step(recorder_, scheduler_, context_, model_drafter_.get());
    DecodeStatus status;
    try {
        const BatchPlan plan = scheduler_.plan();
        status = decode(plan);
        if (status == DecodeStatus::ok) accept(plan);
    } catch (...) {
        start_again(false);
        throw;
    }
    if (status != DecodeStatus::ok) start_again(status == DecodeStatus::full);
    if (check_) check();
    return status != DecodeStatus::aborted;
}

DecodeStatus Engine::decode(const BatchPlan & plan) {
    context_.apply(plan.ops);
    recorder_.decode_begins();
    const DecodeStatus status = context_.decode(plan.batch);
    recorder_.decode_ends(plan, status);
    abort_watch_.decode_ended(status, context_.is_stopped());
    return status;
}

void Engine::accept(const BatchPlan & plan) {
    scheduler_.commit();
    const std::vector<LogitRow> rows = script_ ? std::vector<LogitRow>() : context_.rows();
    for (size_t i = 0; i < plan.rows.size();) {
        Value & value = *plan.rows[i].value;
        bool is_done = false;
        bool is_right = true;  // the guess before the row; if wrong, the row does not count
        int32_t n_accepted = 0;
        for (; i < plan.rows.size() && plan.rows[i].value == &value; ++i) {
            if (is_done || !is_right) continue;
            is_done = writer_.write(
                value, script_ ? script_(value) : rows[static_cast<size_t>(plan.rows[i].row)]);
            const auto k = static_cast<size_t>(plan.rows[i].n_drafted);
            is_right = k < value.draft.size() && !value.tokens.empty() &&
                       value.draft[k] == value.tokens.back();
            n_accepted += is_right;
        }
        value.request->n_accepted += static_cast<uint64_t>(n_accepted);
        if (drafter_) drafter_->observe(value, n_accepted);
        if (is_done) {
            retire(value);
        } else {
            scheduler_.keep(value, n_accepted);
        }
    }
}

void Engine::retire(Value & value) {
    if (drafter_ && value.finish == Finish::complete) drafter_->learn(value);
    if (model_drafter_) model_drafter_->forget(value);
    const Request & request = *value.request;
    if (request.streams_values) finished_values_.emplace_back(request.id, value.index, value);
    scheduler_.retire(value);
}

void Engine::start_again(bool shrink) {
    clear_caches();
    scheduler_.restart(shrink);
}

void Engine::clear_caches() {
    context_.clear();
    writer_.clear();
    if (model_drafter_) model_drafter_->clear();
}

void Engine::check() const {
    scheduler_.check();
    if (model_drafter_) model_drafter_->check();
}

// --- called from outside -----------------------------------------------------------------------

std::vector<std::unique_ptr<Request>> Engine::step() {
    if (!scheduler_.idle()) decode_batch();
    return scheduler_.take_finished();
}

std::vector<std::unique_ptr<Request>> Engine::advance() {
    const bool wanted = wants_request();
    std::vector<std::unique_ptr<Request>> finished = scheduler_.take_finished();
    while (finished.empty() && finished_values_.empty() && !scheduler_.idle() &&
           wants_request() <= wanted && !woken_.exchange(false)) {
        if (!decode_batch()) break;
        finished = scheduler_.take_finished();
    }
    return finished;
}

void Engine::forget_prompt(const std::vector<Token> & prompt) { scheduler_.forget_prompt(prompt); }

void Engine::seed_drafter(uint64_t attribute, const std::vector<Token> & tokens) {
    if (drafter_) drafter_->seed(attribute, tokens);
}

void Engine::cancel(const std::set<uint64_t> & ids) {
    for (const auto & r : scheduler_.cancel(ids)) {
        for (const Value & value : r->values) {
            if (model_drafter_) model_drafter_->forget(value);
            writer_.forget(value);
        }
    }
    if (check_) check();
}

void Engine::cancel_all() {
    clear_caches();
    finished_values_.clear();
    scheduler_.cancel_all();
}

void Engine::interrupt(bool on) {
    context_.stop(on);
    if (model_drafter_) model_drafter_->stop(on);
}

// --- for tests ---------------------------------------------------------------------------------

void Engine::replace_calls(const FallibleCalls & calls) {
    context_.replace_calls(calls);
    if (model_drafter_) model_drafter_->replace_calls(calls);
}

void Engine::fix_least_probability(double p) {
    if (drafter_) drafter_->fix_least_probability(p);
}

}  // namespace hpd

#include "handles.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hpd {

namespace {

// glibc keeps freed memory, but other processes may need what a model used.
void return_free_memory() noexcept {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace

ModelHandle::ModelHandle(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

std::shared_ptr<const Model> ModelHandle::get() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!model_) throw EngineClosedError("the model is closed");
    return model_;
}

void ModelHandle::close() {
    std::shared_ptr<const Model> model;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        model_.swap(model);
    }
    model.reset();
    return_free_memory();
}

EngineHandle::EngineHandle(std::shared_ptr<const Model> model, const EngineOptions & options)
    : engine_(std::make_unique<Engine>(std::move(model), options)), n_ctx_(engine_->n_ctx()) {
    publish();
}

void EngineHandle::close() {
    {
        const std::lock_guard<std::mutex> lock(ownership_);
        closed_ = true;
        if (engine_) {
            engine_->interrupt(true);
            engine_->wake();  // a GPU cannot stop in the middle of a decode
        }
    }
    const std::lock_guard<std::mutex> turn(in_use_);  // waits for the current call
    std::unique_ptr<Engine> engine;
    {
        const std::lock_guard<std::mutex> lock(ownership_);
        if (engine_) last_stats_ = engine_->stats();
        engine_.swap(engine);
    }
    engine.reset();
    return_free_memory();
}

void EngineHandle::interrupt(bool on) {
    const std::lock_guard<std::mutex> lock(ownership_);
    if (!closed_) engine_->interrupt(on);
}

void EngineHandle::wake() {
    const std::lock_guard<std::mutex> lock(ownership_);
    if (engine_) engine_->wake();
}

EngineStats EngineHandle::stats() const {
    const std::lock_guard<std::mutex> lock(ownership_);
    return engine_ ? engine_->stats() : last_stats_;
}

bool EngineHandle::wants_request() const {
    check_open();
    return wants_request_;
}

bool EngineHandle::idle() const {
    check_open();
    return idle_;
}

void EngineHandle::check_open() const {
    if (closed_) throw EngineClosedError("the engine is closed");
}

void EngineHandle::publish() {
    wants_request_ = engine_->wants_request();
    idle_ = engine_->idle();
}

}  // namespace hpd

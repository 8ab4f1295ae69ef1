#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "engine.h"
#include "errors.h"
#include "model/model.h"
#include "options.h"

namespace hpd {

// What Python holds of a model and of an engine: each can be closed from any thread, and then its
// memory is free although Python still has the object.

class ModelHandle {
public:
    explicit ModelHandle(std::shared_ptr<const Model> model);

    // Throws EngineClosedError once the model is closed.
    std::shared_ptr<const Model> get() const;

    // The model is freed as soon as no call and no engine uses it.
    void close();

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Model> model_;
};

class EngineHandle {
public:
    EngineHandle(std::shared_ptr<const Model> model, const EngineOptions & options);

    // Calls f(engine). One thread at a time: a second one gets EngineClosedError, as every call
    // does once the engine is closed.
    template <class F>
    auto use(F && f) {
        check_open();
        const std::unique_lock<std::mutex> turn(in_use_, std::try_to_lock);
        if (!turn) throw EngineClosedError("the engine is in use by another thread");
        check_open();
        const Publishing publishing{*this};
        if constexpr (std::is_void_v<std::invoke_result_t<F, Engine &>>) {
            std::forward<F>(f)(*engine_);
            check_open();
        } else {
            auto result = std::forward<F>(f)(*engine_);
            check_open();
            return result;
        }
    }

    // Ends the call under way, which gets EngineClosedError, waits for it, and frees everything.
    // From any thread.
    void close();
    bool closed() const { return closed_; }

    // Decodes are ended in the middle while it is on; what was lost is decoded again later. From
    // any thread.
    void interrupt(bool on);

    // Makes Engine::advance() return after the batch under way. From any thread.
    void wake();

    // After the last batch. From any thread, and after closing, too.
    EngineStats stats() const;

    // As it was after the last call. From any thread.
    bool wants_request() const;
    bool idle() const;
    uint32_t n_ctx() const { return n_ctx_; }

private:
    // Publishes when a call is over, however it ends.
    struct Publishing {
        EngineHandle & handle;
        ~Publishing() { handle.publish(); }
    };

    void check_open() const;
    void publish();

    std::mutex in_use_;  // held while a call uses the engine
    mutable std::mutex ownership_;  // held while engine_ is looked at from outside of such a call
    std::unique_ptr<Engine> engine_;  // none once it is closed
    EngineStats last_stats_;  // once it is closed
    uint32_t n_ctx_;
    std::atomic<bool> closed_{false};
    std::atomic<bool> wants_request_{false};
    std::atomic<bool> idle_{true};
};

}  // namespace hpd

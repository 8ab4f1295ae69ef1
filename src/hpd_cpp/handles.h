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

// Python's handles for models and engines. Closing one, from any thread, frees the memory even
// while Python still has the object.

class ModelHandle {
public:
    explicit ModelHandle(std::shared_ptr<const Model> model);

    // Throws EngineClosedError once the model is closed.
    std::shared_ptr<const Model> get() const;

    // Frees the model once no call and no engine uses it.
    void close();

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Model> model_;
};

class EngineHandle {
public:
    EngineHandle(std::shared_ptr<const Model> model, const EngineOptions & options);

    // Calls f(engine). A concurrent second call throws EngineClosedError, as does every call after
    // closing.
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

    // Makes the current call throw EngineClosedError, waits for it to end, and frees everything.
    // Thread-safe.
    void close();
    bool closed() const { return closed_; }

    // While on, decodes are aborted; lost tokens are decoded again later. Thread-safe.
    void interrupt(bool on);

    // Makes Engine::advance() return after the current batch. Thread-safe.
    void wake();

    // As of the last batch. Thread-safe, also after closing.
    EngineStats stats() const;

    // As of the last call. Thread-safe.
    bool wants_request() const;
    bool idle() const;
    uint32_t n_ctx() const { return n_ctx_; }

private:
    // Publishes the engine's state when a call ends, even with an exception.
    struct Publishing {
        EngineHandle & handle;
        ~Publishing() { handle.publish(); }
    };

    void check_open() const;
    void publish();

    std::mutex in_use_;  // held while a call uses the engine
    mutable std::mutex ownership_;  // held while engine_ is accessed outside such a call
    std::unique_ptr<Engine> engine_;  // null once closed
    EngineStats last_stats_;  // used once closed
    uint32_t n_ctx_;
    std::atomic<bool> closed_{false};
    std::atomic<bool> wants_request_{false};
    std::atomic<bool> idle_{true};
};

}  // namespace hpd

#include "bindings_testing_script.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings_common.h"
#include "handles.h"
#include "model/context.h"
#include "sampling/sampling.h"

namespace hpd {

namespace {

// Returns the logits that are not 0, by token, after a prompt, a key and the tokens of a value.
using Script = std::function<std::unordered_map<Token, float>(const std::vector<Token> & prompt,
                                                              const std::vector<Token> & key,
                                                              const std::vector<Token> & tokens)>;

// Fills the cells as usual, but computes no logits: they cost most, and the script has them.
int32_t decode_without_rows(llama_context * context, llama_batch batch) {
    std::vector<int8_t> none(static_cast<size_t>(batch.n_tokens), 0);
    batch.logits = none.data();
    return FallibleCalls().decode(context, batch);
}

class ScriptedLogits {
public:
    ScriptedLogits(Script script, int32_t n_vocab)
        : script_(std::move(script)), row_(static_cast<size_t>(n_vocab)) {}

    // The row is valid until the next call.
    LogitRow operator()(const Value & value) {
        for (const Token token : written_) row_[static_cast<size_t>(token)] = 0.0f;
        written_.clear();
        for (const auto & [token, logit] :
             script_(value.request->prompt, value.field().key, value.tokens)) {
            row_.at(static_cast<size_t>(token)) = logit;
            written_.push_back(token);
        }
        return read_row(row_.data(), static_cast<int32_t>(row_.size()));
    }

private:
    Script script_;
    std::vector<float> row_;
    std::vector<Token> written_;
};

void follow_script(EngineHandle & handle, const ModelHandle & model, const Script & script) {
    const auto logits = std::make_shared<ScriptedLogits>(script, model.get()->n_vocab());
    handle.use([&](Engine & engine) {
        FallibleCalls calls;
        calls.decode = decode_without_rows;
        engine.replace_calls(calls);
        engine.follow([logits](const Value & value) { return (*logits)(value); });
    });
}

}  // namespace

void bind_script(py::module_ & m) {
    m.def("follow_script", &follow_script, py::arg("engine"), py::arg("model"), py::arg("script"));
}

}  // namespace hpd

#include "bindings_testing_faults.h"

#include <atomic>
#include <cstdint>
#include <string>

#include "bindings_common.h"
#include "handles.h"
#include "model/context.h"

namespace hpd {

namespace {

// Functions with llama.cpp's signatures have no argument for their state, so it is global and
// serves one engine at a time.
std::atomic<int64_t> n_calls{0};
std::atomic<int64_t> first_failing{-1};
std::atomic<int64_t> n_failing{0};
std::atomic<int32_t> decode_code{0};
std::atomic<bool> leaves_cells{false};

const FallibleCalls real_calls;

bool fails_now() {
    const int64_t call = n_calls++;
    const int64_t first = first_failing;
    return first >= 0 && call >= first && call - first < n_failing;
}

int32_t decode(llama_context * context, llama_batch batch) {
    if (!fails_now()) return real_calls.decode(context, batch);
    // An interrupted call leaves cells behind.
    if (leaves_cells) real_calls.decode(context, batch);
    return decode_code;
}

bool remove(llama_memory_t memory, llama_seq_id seq, llama_pos begin, llama_pos end) {
    return !fails_now() && real_calls.remove(memory, seq, begin, end);
}

float * get_logits(llama_context * context) {
    return fails_now() ? nullptr : real_calls.get_logits(context);
}

// From here on, counts the engine's fallible calls of llama.cpp and makes `n` of them fail,
// beginning with number `first` (counted from 0); none if `first` is negative.
void fail_calls(EngineHandle & handle, int64_t first, int64_t n, int32_t code, bool leave_cells) {
    handle.use([&](Engine & engine) {
        n_calls = 0;
        first_failing = first;
        n_failing = n;
        decode_code = code;
        leaves_cells = leave_cells;
        engine.replace_calls({decode, remove, get_logits});
    });
}

}  // namespace

void bind_faults(py::module_ & m) {
    m.def("fail_calls", &fail_calls, py::arg("engine"), py::arg("first"), py::kw_only(),
          py::arg("n") = 1, py::arg("code") = -3, py::arg("leaves_cells") = false);
    m.def("n_fallible_calls", [] { return n_calls.load(); });
}

}  // namespace hpd

#include "model/device_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "errors.h"

namespace hpd {

namespace {

constexpr int64_t n_top = 8;  // tokens of a row that are read
constexpr double most_rounding = 1e-2;  // of a sum over a row

std::atomic<bool> is_checked{false};

template <class T>
std::vector<T> values_of(const ggml_tensor * tensor) {
    std::vector<T> values(static_cast<size_t>(ggml_nelements(tensor)));
    ggml_backend_tensor_get(tensor, values.data(), 0, values.size() * sizeof(T));
    return values;
}

// llama.cpp hands out a view of one row, of a copy with a row more than there are: the tensor that
// was copied is the one of all rows.
ggml_tensor * all_rows(ggml_tensor * row) {
    ggml_tensor * rows = row->view_src ? row->view_src : row;
    return rows->op == GGML_OP_PAD ? rows->src[0] : rows;
}

// Of the first batch of a process one row is looked at as a whole, too: nobody has seen all
// devices.
void check(const TopRow & top, const std::vector<float> & logits) {
    const LogitRow whole = read_row(logits.data(), static_cast<int32_t>(logits.size()));
    const float best = logits[static_cast<size_t>(top.tokens[0])];
    if (best == whole.best_logit && std::abs(top.log_sum - whole.log_sum) < most_rounding) return;
    throw DecodeError(
        "the likeliest tokens of a row of logits are not what this device says they are: set "
        "logits_on_device (--logits-on-device) off");
}

DeviceRows & owner_of(llama_sampler * sampler) { return *static_cast<DeviceRows *>(sampler->ctx); }

}  // namespace

llama_sampler_i DeviceRows::interface_ = {
    /*name=*/[](const llama_sampler *) { return "hpd-top"; },
    /*accept=*/nullptr,
    /*apply=*/[](llama_sampler *, llama_token_data_array *) {},
    /*reset=*/nullptr,
    /*clone=*/nullptr,
    /*free=*/nullptr,
    /*backend_init=*/on_init,
    /*backend_accept=*/nullptr,
    /*backend_apply=*/on_build,
    /*backend_set_input=*/nullptr,
    /*backend_reset=*/on_reset,
    /*copy_state=*/nullptr,
};

DeviceRows::DeviceRows(uint32_t n_seq_max, int32_t n_vocab) : n_vocab_(n_vocab) {
    for (uint32_t seq = 0; seq < n_seq_max; ++seq) {
        chains_.emplace_back(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        llama_sampler_chain_add(chains_.back().get(), llama_sampler_init(&interface_, this));
        configs_.push_back({static_cast<llama_seq_id>(seq), chains_.back().get()});
    }
}

void DeviceRows::install(llama_context_params & params) {
    params.samplers = configs_.data();
    params.n_samplers = configs_.size();
    // Where there are several rows of a sequence llama.cpp reserves nodes for as many.
    params.n_outputs_max_per_seq = params.n_outputs_max;
}

void DeviceRows::remove(llama_context & context, uint32_t n_seq_max) {
    for (uint32_t seq = 0; seq < n_seq_max; ++seq) {
        llama_set_sampler(&context, static_cast<llama_seq_id>(seq), nullptr);
    }
}

bool DeviceRows::on_init(llama_sampler * sampler, ggml_backend_buffer_type_t type, uint32_t) {
    DeviceRows & self = owner_of(sampler);
    self.is_supported_ = true;
    ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
    if (!device || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU) return true;
    self.is_on_gpu_ = true;
    // A graph of two rows shows whether the device can compute its nodes.
    constexpr size_t n_nodes = 32;
    const ggml_init_params params = {
        n_nodes * ggml_tensor_overhead() + ggml_graph_overhead_custom(n_nodes, false), nullptr,
        true};
    const std::unique_ptr<ggml_context, decltype(&ggml_free)> context(ggml_init(params), ggml_free);
    ggml_cgraph * graph = ggml_new_graph_custom(context.get(), n_nodes, false);
    self.build(context.get(), graph,
               ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, self.n_vocab_, 2));
    for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
        if (!ggml_backend_dev_supports_op(device, ggml_graph_node(graph, i))) {
            self.is_supported_ = false;
        }
    }
    on_reset(sampler);
    return true;
}

// A graph is about to be built; where one is used again this is not called.
void DeviceRows::on_reset(llama_sampler * sampler) { owner_of(sampler).rows_ = nullptr; }

// Called for each row: the first one builds what is for all of them.
void DeviceRows::on_build(llama_sampler * sampler, ggml_context * context, ggml_cgraph * graph,
                          llama_sampler_data * data) {
    DeviceRows & self = owner_of(sampler);
    if (!self.rows_) self.build(context, graph, all_rows(data->logits));
    data->logits = nullptr;
}

void DeviceRows::build(ggml_context * context, ggml_cgraph * graph, ggml_tensor * rows) {
    const int64_t n_vocab = rows->ne[0];
    const int64_t n_rows = rows->ne[1];
    rows_ = ggml_is_contiguous(rows) ? rows : ggml_cont(context, rows);
    if (n_rows == 0) return;
    const auto picked = [&](ggml_tensor * from) {
        return ggml_get_rows(context, ggml_reshape_3d(context, from, 1, n_vocab, n_rows), tokens_);
    };
    tokens_ = ggml_top_k(context, rows_, static_cast<int>(std::min(n_top, n_vocab)));
    logits_ = picked(rows_);
    probabilities_ = picked(ggml_soft_max(context, rows_));
    ggml_set_output(rows_);
    for (ggml_tensor * result : {tokens_, logits_, probabilities_}) {
        ggml_set_output(result);
        ggml_build_forward_expand(graph, result);
    }
}

size_t DeviceRows::n_rows() const { return rows_ ? static_cast<size_t>(rows_->ne[1]) : 0; }

std::vector<TopRow> DeviceRows::read() const {
    if (n_rows() == 0) throw std::logic_error("device rows: no row was computed");
    const auto tokens = values_of<int32_t>(tokens_);
    const auto logits = values_of<float>(logits_);
    const auto probabilities = values_of<float>(probabilities_);
    const auto n = static_cast<size_t>(tokens_->ne[0]);
    std::vector<TopRow> rows;
    for (size_t begin = 0; begin < tokens.size(); begin += n) {
        const auto first = probabilities.begin() + static_cast<std::ptrdiff_t>(begin);
        const float best = *std::max_element(first, first + static_cast<std::ptrdiff_t>(n));
        rows.push_back(top_row(tokens.data() + begin, logits.data() + begin, n, best, n_vocab_));
    }
    if (!is_checked.exchange(true)) check(rows[0], copy(0));
    return rows;
}

std::vector<float> DeviceRows::copy(size_t row) const {
    std::vector<float> logits(static_cast<size_t>(n_vocab_));
    ggml_backend_tensor_get(rows_, logits.data(), row * rows_->nb[1],
                            logits.size() * sizeof(float));
    return logits;
}

}  // namespace hpd

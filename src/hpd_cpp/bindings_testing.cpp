#include "bindings_testing.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "attention/attention.h"
#include "attention/guard.h"
#include "attention/trial.h"
#include "bindings_common.h"
#include "bindings_testing_faults.h"
#include "bindings_testing_scheduling.h"
#include "bindings_testing_script.h"
#include "drafting/histories.h"
#include "drafting/list_guesser.h"
#include "handles.h"
#include "model/characters.h"
#include "model/context.h"
#include "products/guard.h"
#include "products/products.h"
#include "products/trial.h"
#include "sampling/choices.h"
#include "sampling/constraint.h"
#include "sampling/json_scanner.h"
#include "sampling/repetition.h"
#include "sampling/sampling.h"

// The tests are in Python, as their slow references and Hypothesis are.

using namespace hpd;

namespace {

void bind_switches(py::module_ & m) {
    m.def(
        "check_every_step",
        [](EngineHandle & handle, bool on) {
            handle.use([on](Engine & engine) { engine.check_every_step(on); });
        },
        py::arg("engine"), py::arg("on"));
    m.def(
        "fix_least_probability",
        [](EngineHandle & handle, double p) {
            handle.use([p](Engine & engine) { engine.fix_least_probability(p); });
        },
        py::arg("engine"), py::arg("p"));
}

// Records whether the GIL was held when it was deleted.
struct DeletionWitness {
    bool & had_gil;
    ~DeletionWitness() { had_gil = PyGILState_Check(); }
};

void bind_deletion(py::module_ & m) {
    m.def("has_gil_when_deleted", [] {
        bool had_gil = true;
        std::unique_ptr<DeletionWitness, WithoutGil>(new DeletionWitness{had_gil}).reset();
        return had_gil;
    });
    m.def(
        "is_deleted_without_gil",
        [](const ModelHandle & model) {
            const std::shared_ptr<const Model> shared = model.get();
            return std::get_deleter<WithoutGil>(shared) != nullptr;
        },
        py::arg("model"));
}

// The context alone, for tests of what it rejects.
struct ContextForTests {
    std::shared_ptr<const Model> model;
    Context context;
    int32_t n_rows = 0;  // of the last decode

    ContextForTests(const ModelHandle & handle, const EngineOptions & options)
        : model(handle.get()), context(*model, options) {}

    const char * decode(
        const std::vector<std::tuple<Token, int32_t, std::vector<SeqId>, bool>> & tokens) {
        std::vector<BatchToken> batch;
        n_rows = 0;
        for (const auto & [token, position, seqs, output] : tokens) {
            batch.push_back({token, position, seqs, output});
            n_rows += output;
        }
        const py::gil_scoped_release release;
        switch (context.decode(batch)) {
            case DecodeStatus::ok:
                return "ok";
            case DecodeStatus::full:
                return "full";
            case DecodeStatus::aborted:
                break;
        }
        return "aborted";
    }

    // Returns the rows (n_rows, n_vocab) in llama.cpp's own memory, which the next decode
    // overwrites.
    py::array_t<float> rows(const py::object & owner) {
        const std::vector<LogitRow> read = context.rows();
        const std::vector<py::ssize_t> shape{n_rows, model->n_vocab()};
        return py::array_t<float>(shape, read.empty() ? nullptr : read[0].logits, owner);
    }
};

void bind_context(py::module_ & m) {
    py::class_<ContextForTests>(m, "Context")
        .def(py::init<const ModelHandle &, const EngineOptions &>(), py::arg("model"),
             py::arg("options"))
        .def(
            "fork",
            [](ContextForTests & c, SeqId source, SeqId to, int32_t position) {
                c.context.fork(source, to, position);
            },
            py::arg("source"), py::arg("to"), py::arg("position"))
        .def(
            "drop", [](ContextForTests & c, SeqId seq) { c.context.drop(seq); }, py::arg("seq"))
        .def(
            "trim",
            [](ContextForTests & c, SeqId seq, int32_t position) { c.context.trim(seq, position); },
            py::arg("seq"), py::arg("position"))
        .def("clear", [](ContextForTests & c) { c.context.clear(); })
        .def(
            "n_past", [](const ContextForTests & c, SeqId seq) { return c.context.n_past(seq); },
            py::arg("seq"))
        .def_property_readonly("n_threads",
                               [](const ContextForTests & c) { return c.context.n_threads(); })
        .def_property_readonly(
            "n_threads_batch",
            [](const ContextForTests & c) { return c.context.n_threads_batch(); })
        .def(
            "stop", [](ContextForTests & c, bool on) { c.context.stop(on); }, py::arg("on"))
        .def_property_readonly(
            "pays_for_idle_cells",
            [](const ContextForTests & c) { return c.context.pays_for_idle_cells(); })
        .def_property_readonly("n_value_batch",
                               [](const ContextForTests & c) { return c.context.n_value_batch(); })
        .def("decode", &ContextForTests::decode, py::arg("tokens"))
        .def("rows",
             [](const py::object & self) { return self.cast<ContextForTests &>().rows(self); });
}

// Returns the kernel for an instruction set; throws std::invalid_argument if this processor has
// none.
AttentionKernel kernel_named(const std::string & isa) {
    for (const AttentionKernel & kernel : Attention::kernels()) {
        if (isa == kernel.isa) return kernel;
    }
    throw std::invalid_argument("this processor has no kernel " + isa);
}

// Returns a kernel that writes no results.
AttentionKernel broken_kernel() {
    return {"broken", 8, [](const AttentionJob &) {}};
}

// An attention node of one token and one head, without llama.cpp.
struct LoneNode {
    ggml_tensor q{}, k{}, mask{}, node{};
    std::vector<ggml_fp16_t> mask_data;

    explicit LoneNode(int64_t n_cells, size_t n_mask_data) : mask_data(n_mask_data) {
        q.type = GGML_TYPE_F32;
        k.type = mask.type = GGML_TYPE_F16;
        q.nb[0] = sizeof(float);
        k.nb[0] = mask.nb[0] = sizeof(ggml_fp16_t);
        for (ggml_tensor * t : {&q, &k, &mask}) std::fill(t->ne, t->ne + GGML_MAX_DIMS, 1);
        q.ne[0] = k.ne[0] = 16;
        mask.ne[0] = n_cells;
        mask.data = mask_data.data();
        node.op = GGML_OP_FLASH_ATTN_EXT;
        node.src[0] = &q;
        node.src[1] = node.src[2] = &k;
        node.src[3] = &mask;
    }
};

// Whether a node with a mask larger than memory is left to llama.cpp, and finish() throws the
// exception from reading the mask.
bool survives_an_unreadable_mask() {
    LoneNode lone(std::numeric_limits<int64_t>::max(), 0);
    Attention attention(broken_kernel(), 1);
    attention.begin();
    Attention::on_node(&lone.node, true, &attention);
    if (lone.node.op != GGML_OP_FLASH_ATTN_EXT || attention.n_left() != 1) return false;
    try {
        attention.finish();
    } catch (const std::length_error &) {
        return true;
    }
    return false;
}

// Takes over a node, begins another batch, and computes the node without asking about it again,
// which llama.cpp must not do; throws what Attention::finish() throws.
void compute_without_asking() {
    LoneNode lone(4, 4);
    Attention attention(broken_kernel(), 1);
    attention.begin();
    Attention::on_node(&lone.node, true, &attention);
    if (lone.node.op != GGML_OP_CUSTOM) throw std::runtime_error("the node was not taken over");
    attention.begin();
    ggml_custom_op_t compute;
    std::memcpy(&compute, lone.node.op_params, sizeof compute);
    compute(&lone.node, 0, 1, &attention);
    attention.finish();
}

// The cache of grammars. What a constraint allows is tested with an engine's values.
struct ConstraintsForTests {
    std::shared_ptr<const Model> model;
    ConstraintFactory factory;

    ConstraintsForTests(const ModelHandle & handle, size_t n_grammars_max)
        : model(handle.get()), factory(*model, n_grammars_max) {}

    void make(const std::string & grammar) {
        Field field;
        field.grammar = grammar;
        factory.make(field);
    }
};

void bind_constraints(py::module_ & m) {
    py::class_<ConstraintsForTests>(m, "Constraints")
        .def(py::init<const ModelHandle &, size_t>(), py::arg("model"), py::arg("n_grammars_max"))
        .def("make", &ConstraintsForTests::make, py::arg("grammar"))
        .def_property_readonly("n_grammars", [](const ConstraintsForTests & constraints) {
            return constraints.factory.n_grammars();
        });
}

void bind_attention(py::module_ & m) {
    using Array = py::array_t<float, py::array::c_style | py::array::forcecast>;
    m.def(
        "attention",
        [](const Array & q, const Array & k, const Array & v, const Array & mask, float scale,
           const std::string & isa, int32_t n_threads) {
            const auto size = [](const Array & a, int axis) {
                return static_cast<int32_t>(a.shape(axis));
            };
            const auto floats = [](const Array & a) {
                return std::vector<float>(a.data(), a.data() + a.size());
            };
            const AttentionOperands operands{
                size(q, 0), size(k, 0), size(q, 1), size(k, 1), size(k, 2),   size(v, 2),
                scale,      floats(q),  floats(k),  floats(v),  floats(mask),
            };
            std::optional<AttentionKernel> kernel;
            if (!isa.empty()) kernel = kernel_named(isa);
            const AttentionResult result =
                attention_of(operands, kernel ? &*kernel : nullptr, n_threads);
            return py::make_tuple(Array({q.shape(0), q.shape(1), v.shape(2)}, result.out.data()),
                                  result.taken);
        },
        py::arg("q"), py::arg("k"), py::arg("v"), py::arg("mask"), py::arg("scale"), py::arg("isa"),
        py::arg("n_threads") = 1);
    m.def("attention_kernels", [] {
        std::vector<std::string> names;
        for (const AttentionKernel & kernel : Attention::kernels()) names.emplace_back(kernel.isa);
        return names;
    });
    m.def(
        "attention_problem",
        [](const std::string & isa) { return attention_problem(kernel_named(isa)); },
        py::arg("isa"));
    m.def("usable_kernel", []() -> std::optional<std::string> {
        if (const auto & kernel = usable_kernel()) return kernel->isa;
        return std::nullopt;
    });
    // Returns the kernel that is chosen if the fastest one is broken.
    m.def("usable_kernel_behind_a_broken_one", []() -> std::optional<std::string> {
        std::vector<AttentionKernel> kernels = Attention::kernels();
        kernels.insert(kernels.begin(), broken_kernel());
        if (const auto kernel = first_usable(kernels)) return kernel->isa;
        return std::nullopt;
    });
    m.def("survives_an_unreadable_mask", &survives_an_unreadable_mask);
    m.def("compute_without_asking", &compute_without_asking);
}

void bind_products(py::module_ & m) {
    using Array = py::array_t<float, py::array::c_style | py::array::forcecast>;
    // Returns the products, the weights after quantising, and whether the kernel computed them.
    m.def(
        "product",
        [](const std::string & type, const Array & weights, const Array & activations,
           const std::string & isa, int32_t n_threads) {
            ProductOperands operands{GGML_TYPE_COUNT,
                                     weights.shape(1),
                                     weights.shape(0),
                                     activations.shape(0),
                                     {weights.data(), weights.data() + weights.size()},
                                     {activations.data(), activations.data() + activations.size()}};
            for (int i = 0; i < GGML_TYPE_COUNT; ++i) {
                const char * name = ggml_type_name(static_cast<ggml_type>(i));
                if (name && type == name) operands.type = static_cast<ggml_type>(i);
            }
            std::optional<ProductKernel> kernel;
            for (const ProductKernel & each : Products::kernels()) {
                if (each.isa == isa) kernel = each;
            }
            const ProductResult result =
                product_of(operands, kernel ? &*kernel : nullptr, n_threads);
            return py::make_tuple(
                Array({activations.shape(0), weights.shape(0)}, result.out.data()),
                Array({weights.shape(0), weights.shape(1)}, result.weights.data()), result.taken);
        },
        py::arg("type"), py::arg("weights"), py::arg("activations"), py::arg("isa"),
        py::arg("n_threads") = 1);
    m.def("product_problem_of_a_broken_kernel", [] {
        ProductKernel kernel = Products::kernels().at(0);
        kernel.multiply = [](const ProductJob &) {};
        return product_problem(kernel);
    });
}

// ChoicesLeft together with the list that it points into.
class ChoicesForTests {
public:
    explicit ChoicesForTests(Choices choices) : choices_(sorted(std::move(choices))) {}

    bool allows(Token token) const { return left_.allows(token); }
    void accept(Token token) { left_.accept(token); }
    std::vector<Token> next_tokens() const { return left_.next_tokens(); }
    Token agreed() const { return left_.agreed(); }
    bool ended() const { return left_.ended(); }

private:
    static Choices sorted(Choices choices) {
        std::sort(choices.begin(), choices.end());
        return choices;
    }

    Choices choices_;
    ChoicesLeft left_{choices_};
};

// The pure parts, for tests: each is compared with a slow and obvious version in Python.
void bind_parts(py::module_ & m) {
    m.def(
        "scan_json",
        [](const std::vector<std::string> & pieces, bool end) {
            JsonScanner scanner;
            for (const std::string & piece : pieces) scanner.feed(piece);
            if (end) scanner.finish();
            const char * status = scanner.status() == JsonScanner::Status::complete  ? "complete"
                                  : scanner.status() == JsonScanner::Status::invalid ? "invalid"
                                                                                     : "incomplete";
            return py::make_tuple(status, scanner.length());
        },
        py::arg("pieces"), py::arg("end") = false);
    m.def(
        "choose",
        [](const std::vector<float> & row, const SamplingOptions & options, double uniform,
           const std::optional<std::set<Token>> & allowed, const LogitBias & bias) {
            const LogitRow r = read_row(row.data(), static_cast<int32_t>(row.size()));
            TokenFilter filter;
            if (allowed) filter = [&](Token t) { return allowed->count(t) > 0; };
            const Choice c = bias.empty() ? choose_random(r, options, uniform, filter)
                                          : choose_greedy(r, filter, bias);
            return py::make_tuple(c.token, c.logprob, c.margin);
        },
        py::arg("row"), py::arg("options"), py::arg("uniform") = 0.0,
        py::arg("allowed") = py::none(), py::arg("bias") = LogitBias());
    m.def(
        "repetition_of",
        [](const std::vector<Token> & tokens, size_t first, size_t longest_period) {
            const Repetition found = repetition_of(tokens, first, longest_period);
            return py::make_tuple(found.period, found.n_tokens);
        },
        py::arg("tokens"), py::arg("first"), py::arg("longest_period"));
    m.def(
        "tokens_beside",
        [](const std::vector<float> & row, Token token) {
            return tokens_beside(read_row(row.data(), static_cast<int32_t>(row.size())), token,
                                 negligible);
        },
        py::arg("row"), py::arg("token"));
    m.def(
        "log_sum",
        [](const std::vector<float> & row, const std::vector<Token> & tokens) {
            return log_sum(read_row(row.data(), static_cast<int32_t>(row.size())), tokens);
        },
        py::arg("row"), py::arg("tokens"));
    py::class_<Histories>(m, "Histories")
        .def(py::init<size_t, size_t>(), py::kw_only(), py::arg("n_histories_max"),
             py::arg("n_nodes_max"))
        .def("learn", &Histories::learn, py::arg("attribute"), py::arg("value"))
        .def(
            "guess",
            [](Histories & histories, uint64_t attribute, const std::vector<Token> & beginning) {
                const Guess guess = histories.guess(attribute, beginning);
                return std::make_tuple(guess.token, guess.p);
            },
            py::arg("attribute"), py::arg("beginning"))
        .def("check", &Histories::check)
        .def_property_readonly("n_histories", &Histories::n_histories)
        .def_property_readonly("n_nodes", &Histories::n_nodes);
    m.def(
        "continuation_of_list",
        [](const std::string & document, const std::vector<std::string> & pieces, size_t n_bytes) {
            ListGuesser list(document);
            for (const std::string & piece : pieces) list.push(piece);
            const ListGuesser::Continuation next = list.guess(n_bytes);
            if (next.kinds.size() != next.text.size()) throw std::logic_error("bytes without kind");
            return py::bytes(next.text);
        },
        py::arg("document"), py::arg("pieces"), py::arg("n_bytes"));
    py::class_<ChoicesForTests>(m, "Choices")
        .def(py::init<Choices>(), py::arg("choices"))
        .def("allows", &ChoicesForTests::allows, py::arg("token"))
        .def("accept", &ChoicesForTests::accept, py::arg("token"))
        .def_property_readonly("next_tokens", &ChoicesForTests::next_tokens)
        .def_property_readonly("agreed", &ChoicesForTests::agreed)
        .def_property_readonly("ended", &ChoicesForTests::ended);
    m.def(
        "characters",
        [](const std::string & text) {
            std::vector<std::string> all;
            for (const std::string_view character : characters(text)) all.emplace_back(character);
            return all;
        },
        py::arg("text"));
    m.def("shown", &shown, py::arg("character"));
    m.def("bpe_byte", &bpe_byte, py::arg("byte"));
    m.def("uniform_at", &uniform_at, py::arg("seed"), py::arg("stream"), py::arg("n"));
}

}  // namespace

void hpd::bind_testing(py::module_ & m) {
    bind_switches(m);
    bind_deletion(m);
    bind_context(m);
    bind_constraints(m);
    bind_faults(m);
    bind_script(m);
    bind_attention(m);
    bind_products(m);
    bind_scheduling(m);
    bind_parts(m);
}

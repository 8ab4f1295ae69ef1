#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "attention/probe.h"
#include "engine.h"
#include "errors.h"
#include "model/context.h"
#include "model/log.h"
#include "model/model.h"
#include "sampling/json_scanner.h"
#include "sampling/sampling.h"
#include "scheduling/scheduler.h"

namespace py = pybind11;
using namespace hpd;

namespace {

// Python's exceptions of these names, from hpd.errors: one class each, whoever raises it.
void translate_errors() {
    py::register_local_exception_translator([](std::exception_ptr p) {
        const auto raise = [](const char * name, const std::exception & e) {
            py::object type = py::module_::import("hpd.errors").attr(name);
            py::set_error(type, e.what());
        };
        try {
            if (p) std::rethrow_exception(p);
        } catch (const ModelLoadError & e) {
            raise("ModelLoadError", e);
        } catch (const ContextOverflowError & e) {
            raise("ContextOverflowError", e);
        } catch (const EngineClosedError & e) {
            raise("EngineClosedError", e);
        } catch (const DecodeError & e) {
            raise("DecodeError", e);
        } catch (const Error & e) {
            raise("HpdError", e);
        }
    });
}

const char * name_of(Finish finish) {
    switch (finish) {
        case Finish::complete:
            return "complete";
        case Finish::end_of_generation:
            return "end_of_generation";
        case Finish::truncated:
            return "truncated";
        case Finish::invalid:
            return "invalid";
        case Finish::none:
            break;
    }
    return "none";
}

void bind_options(py::module_ & m) {
    py::class_<SamplingOptions>(m, "SamplingOptions")
        .def(py::init<>())
        .def_readwrite("temperature", &SamplingOptions::temperature)
        .def_readwrite("top_k", &SamplingOptions::top_k)
        .def_readwrite("top_p", &SamplingOptions::top_p)
        .def_readwrite("min_p", &SamplingOptions::min_p)
        .def_readwrite("seed", &SamplingOptions::seed);
    py::class_<ModelOptions>(m, "ModelOptions")
        .def(py::init<>())
        .def_readwrite("n_gpu_layers", &ModelOptions::n_gpu_layers)
        .def_readwrite("use_mmap", &ModelOptions::use_mmap)
        .def_readwrite("use_extra_bufts", &ModelOptions::use_extra_bufts)
        .def_readwrite("vocab_only", &ModelOptions::vocab_only)
        .def_readwrite("loras", &ModelOptions::loras);
    py::class_<EngineOptions>(m, "EngineOptions")
        .def(py::init<>())
        .def_readwrite("n_ctx", &EngineOptions::n_ctx)
        .def_readwrite("n_batch", &EngineOptions::n_batch)
        .def_readwrite("n_ubatch", &EngineOptions::n_ubatch)
        .def_readwrite("n_threads", &EngineOptions::n_threads)
        .def_readwrite("n_seq_max", &EngineOptions::n_seq_max)
        .def_readwrite("n_value_batch", &EngineOptions::n_value_batch)
        .def_readwrite("n_in_flight", &EngineOptions::n_in_flight)
        .def_readwrite("flash_attn", &EngineOptions::flash_attn)
        .def_readwrite("cache_type_k", &EngineOptions::cache_type_k)
        .def_readwrite("cache_type_v", &EngineOptions::cache_type_v)
        .def_readwrite("drafts", &EngineOptions::drafts)
        .def_property(
            "draft_model",
            [](const EngineOptions & o) { return std::const_pointer_cast<Model>(o.draft_model); },
            [](EngineOptions & o, const std::shared_ptr<Model> & model) { o.draft_model = model; })
        .def_readwrite("n_draft", &EngineOptions::n_draft)
        .def_readwrite("draft_p_min", &EngineOptions::draft_p_min)
        .def_readwrite("swa_full", &EngineOptions::swa_full)
        .def_readwrite("cpu_attention", &EngineOptions::cpu_attention)
        .def_readwrite("offload_kqv", &EngineOptions::offload_kqv)
        .def_readwrite("sampling", &EngineOptions::sampling);
}

void bind_model(py::module_ & m) {
    py::class_<Model, std::shared_ptr<Model>>(m, "Model")
        .def(py::init([](const std::vector<std::string> & paths, const ModelOptions & options,
                         const py::object & progress) {
                 // A Python error in the callback stops the loading and is raised afterwards.
                 std::exception_ptr error;
                 LoadProgress report;
                 if (!progress.is_none()) {
                     report = [&progress, &error](float share) {
                         const py::gil_scoped_acquire gil;
                         try {
                             const py::object answer = progress(share);
                             return answer.is_none() || answer.cast<bool>();
                         } catch (...) {
                             error = std::current_exception();
                             return false;
                         }
                     };
                 }
                 std::shared_ptr<Model> model;
                 try {
                     const py::gil_scoped_release release;
                     model = std::make_shared<Model>(paths, options, report);
                 } catch (const ModelLoadError &) {
                     if (error) std::rethrow_exception(error);
                     throw;
                 }
                 return model;
             }),
             py::arg("paths"), py::arg("options") = ModelOptions(),
             py::arg("progress") = py::none())
        .def("tokenize", &Model::tokenize, py::arg("text"), py::arg("parse_special") = false,
             py::call_guard<py::gil_scoped_release>())
        .def(
            "piece", [](const Model & model, Token token) { return py::bytes(model.piece(token)); },
            py::arg("token"))
        .def("ends_generation", &Model::ends_generation, py::arg("token"))
        .def("metadata", &Model::metadata, py::arg("key"))
        .def_property_readonly(
            "control_tokens",
            [](const Model & model) {
                py::list all;
                for (const auto & t : model.control_tokens()) {
                    all.append(py::make_tuple(t.id, t.text, t.strips_left, t.strips_right));
                }
                return all;
            })
        .def_property_readonly("bos", &Model::bos)
        .def_property_readonly("n_vocab", &Model::n_vocab)
        .def_property_readonly("n_ctx_train", &Model::n_ctx_train)
        .def_property_readonly("n_swa", &Model::n_swa)
        .def_property_readonly("n_params", &Model::n_params)
        .def_property_readonly("n_bytes", &Model::n_bytes)
        .def_property_readonly("is_recurrent", &Model::is_recurrent)
        .def_property_readonly("is_hybrid", &Model::is_hybrid)
        .def_property_readonly("description", &Model::description)
        .def_property_readonly("chat_template", &Model::chat_template);
}

void bind_engine(py::module_ & m) {
    py::class_<Field>(m, "Field")
        .def(py::init([](std::vector<Token> key, int32_t max_tokens, std::string grammar,
                         std::vector<std::vector<Token>> choices, std::vector<Token> replay) {
                 if (max_tokens < 1) throw py::value_error("max_tokens must be at least 1");
                 return Field{std::move(key), max_tokens, std::move(grammar), std::move(choices),
                              std::move(replay)};
             }),
             py::arg("key"), py::kw_only(), py::arg("max_tokens") = 64, py::arg("grammar") = "",
             py::arg("choices") = std::vector<std::vector<Token>>(),
             py::arg("replay") = std::vector<Token>())
        .def_readonly("key", &Field::key)
        .def_readonly("max_tokens", &Field::max_tokens);

    py::class_<Value>(m, "Value")
        .def_readonly("tokens", &Value::tokens)
        .def_readonly("logprobs", &Value::logprobs)
        .def_readonly("margins", &Value::margins)
        .def_property_readonly("text", [](const Value & v) { return py::bytes(v.text); })
        .def_property_readonly("finish", [](const Value & v) { return name_of(v.finish); })
        .def("__repr__", [](const Value & v) {
            return "<Value " + std::string(py::repr(py::bytes(v.text))) + ", " + name_of(v.finish) +
                   ", " + std::to_string(v.tokens.size()) + " tokens>";
        });

    py::class_<RequestState>(m, "Result")
        .def_property_readonly("id", [](const RequestState & r) { return r.request.id; })
        .def_readonly("values", &RequestState::values)
        .def_property_readonly("n_prompt_tokens",
                               [](const RequestState & r) { return r.request.prompt.size(); })
        .def_property_readonly(
            "n_cached_tokens",
            [](const RequestState & r) { return r.request.prompt.size() - r.n_prompt_computed; })
        .def_property_readonly(
            "n_prefill_tokens",
            [](const RequestState & r) { return r.n_prompt_computed + r.n_keys_computed; })
        .def_property_readonly("n_completion_tokens",
                               [](const RequestState & r) {
                                   size_t n = 0;
                                   for (const Value & v : r.values) n += v.tokens.size();
                                   return n;
                               })
        .def_readonly("n_steps", &RequestState::n_steps)
        .def_readonly("n_drafted", &RequestState::n_drafted)
        .def_readonly("n_accepted", &RequestState::n_accepted)
        .def_readonly("seconds", &RequestState::seconds)
        .def_readonly("error", &RequestState::error)
        .def_readonly("error_is_overflow", &RequestState::error_is_overflow);

    py::class_<EngineStats>(m, "EngineStats")
        .def_readonly("n_batches", &EngineStats::n_batches)
        .def_readonly("n_tokens", &EngineStats::n_tokens)
        .def_readonly("n_rows", &EngineStats::n_rows)
        .def_readonly("n_preempted", &EngineStats::n_preempted)
        .def_readonly("n_draft_batches", &EngineStats::n_draft_batches)
        .def_readonly("decode_seconds", &EngineStats::decode_seconds)
        .def_readonly("host_seconds", &EngineStats::host_seconds);

    py::class_<Engine>(m, "Engine")
        .def(py::init<std::shared_ptr<const Model>, const EngineOptions &>(), py::arg("model"),
             py::arg("options") = EngineOptions(), py::call_guard<py::gil_scoped_release>())
        .def(
            "submit",
            [](Engine & engine, uint64_t id, std::vector<Token> prompt, std::vector<Field> fields,
               int32_t n_instruction, std::optional<int32_t> n_cached, bool keep_prompt) {
                const py::gil_scoped_release release;
                engine.submit({id, std::move(prompt), std::move(fields), n_instruction,
                               n_cached.value_or(n_instruction), keep_prompt});
            },
            py::arg("id"), py::arg("prompt"), py::arg("fields"), py::kw_only(),
            py::arg("n_instruction"), py::arg("n_cached") = py::none(),
            py::arg("keep_prompt") = false)
        .def("forget_prompt", &Engine::forget_prompt, py::arg("prompt"),
             py::call_guard<py::gil_scoped_release>())
        // The requests are Python's from here on: nothing in the engine points at them any more.
        .def("step", &Engine::step, py::call_guard<py::gil_scoped_release>())
        .def("advance", &Engine::advance, py::call_guard<py::gil_scoped_release>())
        .def("wake", &Engine::wake)
        .def("cancel", &Engine::cancel, py::arg("ids"), py::call_guard<py::gil_scoped_release>())
        .def("cancel_all", &Engine::cancel_all, py::call_guard<py::gil_scoped_release>())
        .def("close", &Engine::close)
        .def("interrupt", &Engine::interrupt, py::arg("on"))
        .def("check_every_step", &Engine::check_every_step, py::arg("on"))
        .def("fix_least_probability", &Engine::fix_least_probability, py::arg("p"))
        .def_property_readonly("wants_request", &Engine::wants_request)
        .def_property_readonly("idle", &Engine::idle)
        .def_property_readonly("closed", &Engine::closed)
        .def_property_readonly("stats", &Engine::stats)
        .def_property_readonly("n_ctx", &Engine::n_ctx);
}

// The context alone, for tests of what it refuses.
void bind_context(py::module_ & m) {
    using TokenTuple = std::tuple<Token, int32_t, std::vector<SeqId>, bool>;
    py::class_<Context>(m, "Context")
        .def(py::init<const Model &, const EngineOptions &>(), py::arg("model"), py::arg("options"),
             py::keep_alive<1, 2>())
        .def("fork", &Context::fork, py::arg("source"), py::arg("to"), py::arg("position"))
        .def("drop", &Context::drop, py::arg("seq"))
        .def("trim", &Context::trim, py::arg("seq"), py::arg("position"))
        .def("clear", &Context::clear)
        .def("n_past", &Context::n_past, py::arg("seq"))
        .def("stop", &Context::stop, py::arg("on"))
        .def(
            "decode",
            [](Context & context, const std::vector<TokenTuple> & tokens) {
                std::vector<BatchToken> batch;
                for (const auto & [token, position, seqs, output] : tokens) {
                    batch.push_back({token, position, seqs, output});
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
            },
            py::arg("tokens"))
        .def(
            "rows",
            [](Context & context, size_t n_rows, size_t n_vocab) {
                // Copied: the next decode writes over llama.cpp's memory.
                const float * rows = context.rows();
                std::vector<std::vector<float>> copy;
                for (size_t i = 0; i < n_rows; ++i) {
                    copy.emplace_back(rows + i * n_vocab, rows + (i + 1) * n_vocab);
                }
                return copy;
            },
            py::arg("n_rows"), py::arg("n_vocab"));
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
            const std::vector<float> out = attention_of(operands, isa, n_threads);
            return Array({q.shape(0), q.shape(1), v.shape(2)}, out.data());
        },
        py::arg("q"), py::arg("k"), py::arg("v"), py::arg("mask"), py::arg("scale"), py::arg("isa"),
        py::arg("n_threads") = 1);
    m.def("attention_kernels", [] {
        std::vector<std::string> names;
        for (const AttentionKernel & kernel : Attention::kernels()) names.emplace_back(kernel.isa);
        return names;
    });
}

// The scheduler alone, for tests that play the model: one decides when each value ends.
class SchedulerForTests {
public:
    explicit SchedulerForTests(const Limits & limits) : scheduler_(limits) {}

    void submit(uint64_t id, std::vector<Token> prompt, std::vector<Field> fields, int32_t n_cached,
                bool keep_prompt) {
        scheduler_.submit(std::make_unique<RequestState>(
            Request{id, std::move(prompt), std::move(fields), 0, n_cached, keep_prompt}));
    }

    // (ops, batch, rows): ops are (kind, seq, from, position), rows (row, request, field).
    py::tuple plan() {
        plan_ = scheduler_.plan();
        py::list ops;
        for (const CacheOp & op : plan_.ops) {
            const char * kind = op.kind == CacheOp::Kind::fork   ? "fork"
                                : op.kind == CacheOp::Kind::drop ? "drop"
                                                                 : "trim";
            ops.append(py::make_tuple(kind, op.seq, op.from, op.position));
        }
        py::list batch;
        for (const BatchToken & t : plan_.batch) {
            batch.append(py::make_tuple(t.token, t.position, t.seqs, t.output));
        }
        py::list rows;
        for (const OutputRow & r : plan_.rows) {
            rows.append(py::make_tuple(r.row, r.value->request->request.id, r.value->index));
        }
        return py::make_tuple(ops, batch, rows);
    }

    // A token for every row of the plan; `last[i]` says that row i's value is done with it.
    void commit(const std::vector<Token> & tokens, const std::vector<bool> & last) {
        scheduler_.commit();
        for (size_t i = 0; i < plan_.rows.size(); ++i) {
            Value & value = *plan_.rows[i].value;
            value.tokens.push_back(tokens.at(i));
            if (last.at(i)) {
                scheduler_.retire(value, Finish::complete);
            } else {
                scheduler_.keep(value, 0);
            }
        }
        scheduler_.check();
    }

    void restart(bool shrink) {
        scheduler_.restart(shrink);
        scheduler_.check();
    }

    std::vector<std::unique_ptr<RequestState>> take_finished() {
        return scheduler_.take_finished();
    }
    void forget_prompt(const std::vector<Token> & prompt) {
        scheduler_.forget_prompt(prompt);
        scheduler_.check();
    }
    void cancel(const std::set<uint64_t> & ids) {
        scheduler_.cancel(ids);
        scheduler_.check();
    }
    bool wants_request() const { return scheduler_.wants_request(); }
    bool idle() const { return scheduler_.idle(); }
    int32_t n_cells_used() const { return scheduler_.n_cells_used(); }
    int32_t n_in_step() const { return scheduler_.n_in_step(); }
    uint64_t n_preempted() const { return scheduler_.n_preempted(); }

private:
    Scheduler scheduler_;
    BatchPlan plan_;
};

void bind_scheduler(py::module_ & m) {
    py::class_<SchedulerForTests>(m, "Scheduler")
        .def(py::init([](int32_t n_seq, int32_t n_cells, int32_t n_batch, int32_t n_in_flight,
                         bool couples, int32_t n_value_batch, int32_t n_busy_cells,
                         int32_t n_common_least) {
                 return std::make_unique<SchedulerForTests>(
                     Limits{n_seq, n_cells, n_batch, n_value_batch, n_in_flight, n_busy_cells,
                            n_common_least, couples});
             }),
             py::kw_only(), py::arg("n_seq"), py::arg("n_cells"), py::arg("n_batch"),
             py::arg("n_in_flight"), py::arg("couples"), py::arg("n_value_batch") = 0,
             py::arg("n_busy_cells") = Limits().n_busy_cells, py::arg("n_common_least") = 16)
        .def("submit", &SchedulerForTests::submit, py::arg("id"), py::arg("prompt"),
             py::arg("fields"), py::kw_only(), py::arg("n_cached") = 0,
             py::arg("keep_prompt") = false)
        .def("plan", &SchedulerForTests::plan)
        .def("commit", &SchedulerForTests::commit, py::arg("tokens"), py::arg("last"))
        .def("restart", &SchedulerForTests::restart, py::arg("shrink"))
        .def("take_finished", &SchedulerForTests::take_finished)
        .def("forget_prompt", &SchedulerForTests::forget_prompt, py::arg("prompt"))
        .def("cancel", &SchedulerForTests::cancel, py::arg("ids"))
        .def_property_readonly("wants_request", &SchedulerForTests::wants_request)
        .def_property_readonly("idle", &SchedulerForTests::idle)
        .def_property_readonly("n_cells_used", &SchedulerForTests::n_cells_used)
        .def_property_readonly("n_in_step", &SchedulerForTests::n_in_step)
        .def_property_readonly("n_preempted", &SchedulerForTests::n_preempted);
}

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
        [](const std::vector<float> & row, const SamplingOptions & options, double uniform) {
            const LogitRow r = read_row(row.data(), static_cast<int32_t>(row.size()));
            const Choice c = choose_random(r, options, uniform);
            return py::make_tuple(c.token, c.logprob, c.margin);
        },
        py::arg("row"), py::arg("options"), py::arg("uniform") = 0.0);
    py::enum_<BatchKind>(m, "BatchKind")
        .value("reading", BatchKind::reading)
        .value("values", BatchKind::values);
    py::class_<BatchCost>(m, "BatchCost")
        .def(py::init<>())
        .def("observe", &BatchCost::observe, py::arg("kind"), py::arg("n_tokens"),
             py::arg("seconds"))
        .def("least_probability", &BatchCost::least_probability, py::arg("n_values"));
    m.def("uniform_at", &uniform_at, py::arg("seed"), py::arg("stream"), py::arg("n"));
}

}  // namespace

PYBIND11_MODULE(_core, m) {
    m.doc() = "The engine of hpd, on llama.cpp.";
    translate_errors();
    bind_options(m);
    bind_model(m);
    bind_engine(m);
    bind_context(m);
    bind_attention(m);
    bind_scheduler(m);
    bind_parts(m);
    m.def("echo_log", &echo_log, py::arg("on"));
    m.def("recent_log", &recent_log);
}

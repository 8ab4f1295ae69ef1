#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/guard.h"
#include "bindings_common.h"
#include "bindings_gguf.h"
#include "bindings_testing.h"
#include "engine.h"
#include "errors.h"
#include "handles.h"
#include "model/cpu_backend.h"
#include "model/llama_cpp.h"
#include "model/log.h"
#include "model/model.h"
#include "options.h"
#include "products/guard.h"
#include "products/timing.h"
#include "sampling/sampling.h"
#include "scheduling/request.h"

// The bindings that hpd uses; those only for tests are in bindings_testing.cpp.

using namespace hpd;

namespace {

// Translates the core's exceptions into those of hpd.errors, so that C++ and Python raise the same
// classes.
void translate_errors() {
    py::register_local_exception_translator([](std::exception_ptr p) {
        const auto raise = [](const char * name, const std::exception & e) {
            const py::object type = py::module_::import("hpd.errors").attr(name);
            py::set_error(type, e.what());
        };
        try {
            if (p) std::rethrow_exception(std::move(p));
        } catch (const InputError & e) {
            raise("InputError", e);
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
        case Finish::repeated:
            return "repeated";
        case Finish::invalid:
            return "invalid";
        case Finish::none:
            break;
    }
    return "none";
}

template <class Struct>
py::class_<Struct> bind_struct(py::module_ & m, const char * name) {
    py::class_<Struct> bound(m, name);
    bound.def(py::init<>());
    Struct::each([&](const char * field, auto member) { bound.def_readwrite(field, member); });
    return bound;
}

void bind_options(py::module_ & m) {
    bind_struct<SamplingOptions>(m, "SamplingOptions");
    bind_struct<ModelOptions>(m, "ModelOptions");
    bind_struct<EngineOptions>(m, "EngineOptions")
        .def_property(
            "draft_model",
            [](const EngineOptions & o) {
                return o.draft_model ? std::make_unique<ModelHandle>(o.draft_model) : nullptr;
            },
            [](EngineOptions & o, const ModelHandle * model) {
                o.draft_model = model ? model->get() : nullptr;
            });
}

std::unique_ptr<ModelHandle> open_model(const std::vector<std::string> & paths,
                                        const ModelOptions & options, const py::object & progress) {
    LoadProgress report;
    if (!progress.is_none()) {
        report = [&progress](float share) {
            const py::gil_scoped_acquire gil;
            const py::object answer = progress(share);
            return answer.is_none() || answer.cast<bool>();
        };
    }
    const py::gil_scoped_release release;
    auto model = std::make_unique<Model>(paths, options, report);
    return std::make_unique<ModelHandle>(
        std::shared_ptr<const Model>(model.release(), WithoutGil()));
}

// Turn a method of the model or engine into a method of its handle, called without the GIL.
template <class Result, class... Arguments>
auto of_model(Result (Model::*method)(Arguments...) const) {
    return [method](const ModelHandle & handle, Arguments... arguments) {
        const py::gil_scoped_release release;
        return (*handle.get().*method)(std::forward<Arguments>(arguments)...);
    };
}

template <class Result, class... Arguments>
auto of_engine(Result (Engine::*method)(Arguments...)) {
    return [method](EngineHandle & handle, Arguments... arguments) {
        const py::gil_scoped_release release;
        return handle.use([&](Engine & engine) {
            return (engine.*method)(std::forward<Arguments>(arguments)...);
        });
    };
}

void bind_model(py::class_<ModelHandle> & model) {
    model
        .def(py::init(&open_model), py::arg("paths"), py::arg("options") = ModelOptions(),
             py::arg("progress") = py::none())
        .def("close", &ModelHandle::close, py::call_guard<py::gil_scoped_release>())
        .def("tokenize", of_model(&Model::tokenize), py::arg("text"),
             py::arg("parse_special") = false)
        .def(
            "piece",
            [](const ModelHandle & model, Token token) {
                return py::bytes(model.get()->piece(token));
            },
            py::arg("token"))
        .def("ends_generation", of_model(&Model::ends_generation), py::arg("token"))
        .def("metadata", of_model(&Model::metadata), py::arg("key"))
        .def("lora_metadata", of_model(&Model::lora_metadata), py::arg("key"))
        .def_property_readonly(
            "control_tokens",
            [](const ModelHandle & model) {
                py::list all;
                for (const auto & t : model.get()->control_tokens()) {
                    all.append(py::make_tuple(t.id, t.text, t.strips_left, t.strips_right));
                }
                return all;
            })
        .def_property_readonly("bos", of_model(&Model::bos))
        .def_property_readonly("n_vocab", of_model(&Model::n_vocab))
        .def_property_readonly("n_ctx_train", of_model(&Model::n_ctx_train))
        .def_property_readonly("n_swa", of_model(&Model::n_swa))
        .def_property_readonly("n_bytes", of_model(&Model::n_bytes))
        .def_property_readonly("description", of_model(&Model::description))
        .def_property_readonly("chat_template", of_model(&Model::chat_template));
}

void bind_engine(py::module_ & m) {
    py::class_<Field>(m, "Field")
        .def(py::init([](std::vector<Token> key, int32_t max_tokens, std::string grammar,
                         Choices choices, std::string counted_grammar, Choices counted_choices,
                         std::vector<Token> replay, uint64_t attribute, LogitBias first_bias,
                         bool normalizes, bool records_branches, bool copies) {
                 if (max_tokens < 1) throw py::value_error("max_tokens must be at least 1");
                 for (const auto & [token, added] : first_bias) {
                     if (!(added >= 0.0f)) throw py::value_error("a bias must not be negative");
                 }
                 std::sort(choices.begin(), choices.end());
                 std::sort(counted_choices.begin(), counted_choices.end());
                 return Field{std::move(key),
                              max_tokens,
                              std::move(grammar),
                              std::move(choices),
                              std::move(counted_grammar),
                              std::move(counted_choices),
                              std::move(replay),
                              attribute,
                              std::move(first_bias),
                              normalizes,
                              records_branches,
                              copies};
             }),
             py::arg("key"), py::kw_only(), py::arg("max_tokens") = 64, py::arg("grammar") = "",
             py::arg("choices") = Choices(), py::arg("counted_grammar") = "",
             py::arg("counted_choices") = Choices(), py::arg("replay") = std::vector<Token>(),
             py::arg("attribute") = 0, py::arg("first_bias") = LogitBias(),
             py::arg("normalizes") = false, py::arg("records_branches") = false,
             py::arg("copies") = false)
        .def_readwrite("replay", &Field::replay)
        .def_readonly("key", &Field::key)
        .def_readonly("max_tokens", &Field::max_tokens)
        .def_readonly("first_bias", &Field::first_bias)
        .def_readwrite("attribute", &Field::attribute)
        .def_readwrite("normalizes", &Field::normalizes);

    py::class_<Value>(m, "Value")
        .def_readonly("tokens", &Value::tokens)
        .def_readonly("logprobs", &Value::logprobs)
        .def_readonly("log_shares", &Value::log_shares)
        .def_readonly("branches", &Value::branches)
        .def_readonly("margins", &Value::margins)
        .def_property_readonly("margin",
                               [](const Value & v) {
                                   float least = std::numeric_limits<float>::infinity();
                                   for (const float margin : v.margins) {
                                       least = std::min(least, margin);
                                   }
                                   return least;
                               })
        .def_property_readonly("text", [](const Value & v) { return py::bytes(v.text); })
        .def_property_readonly("finish", [](const Value & v) { return name_of(v.finish); })
        .def("__repr__", [](const Value & v) {
            return "<Value " + std::string(py::repr(py::bytes(v.text))) + ", " + name_of(v.finish) +
                   ", " + std::to_string(v.tokens.size()) + " tokens>";
        });

    py::class_<Request>(m, "Answer")
        .def_readonly("id", &Request::id)
        .def_readonly("values", &Request::values)
        .def_property_readonly("n_prompt_tokens", [](const Request & r) { return r.prompt.size(); })
        .def_property_readonly(
            "n_cached_tokens",
            [](const Request & r) { return r.prompt.size() - r.n_prompt_computed; })
        .def_property_readonly(
            "n_prefill_tokens",
            [](const Request & r) { return r.n_prompt_computed + r.n_keys_computed; })
        .def_property_readonly("n_completion_tokens",
                               [](const Request & r) {
                                   size_t n = 0;
                                   for (const Value & v : r.values) n += v.tokens.size();
                                   return n;
                               })
        .def_readonly("n_steps", &Request::n_steps)
        .def_readonly("n_drafted", &Request::n_drafted)
        .def_readonly("n_accepted", &Request::n_accepted)
        .def_readonly("seconds", &Request::seconds)
        .def_readonly("error", &Request::error)
        .def_readonly("error_is_overflow", &Request::error_is_overflow);

    py::class_<EngineStats>(m, "EngineStats")
        .def_readonly("n_batches", &EngineStats::n_batches)
        .def_readonly("n_tokens", &EngineStats::n_tokens)
        .def_readonly("n_rows", &EngineStats::n_rows)
        .def_readonly("n_graphs", &EngineStats::n_graphs)
        .def_readonly("n_graphs_reused", &EngineStats::n_graphs_reused)
        .def_readonly("n_preempted", &EngineStats::n_preempted)
        .def_readonly("n_draft_batches", &EngineStats::n_draft_batches)
        .def_readonly("n_attention_taken", &EngineStats::n_attention_taken)
        .def_readonly("n_attention_left", &EngineStats::n_attention_left)
        .def_readonly("n_products_taken", &EngineStats::n_products_taken)
        .def_readonly("decode_seconds", &EngineStats::decode_seconds)
        .def_readonly("reading_seconds", &EngineStats::reading_seconds)
        .def_readonly("host_seconds", &EngineStats::host_seconds);

    py::class_<EngineHandle, std::unique_ptr<EngineHandle, WithoutGil>>(m, "Engine")
        .def(py::init([](const ModelHandle & model, const EngineOptions & options) {
                 const py::gil_scoped_release release;
                 auto engine = std::make_unique<EngineHandle>(model.get(), options);
                 return std::unique_ptr<EngineHandle, WithoutGil>(engine.release());
             }),
             py::arg("model"), py::arg("options") = EngineOptions())
        .def(
            "submit",
            [](EngineHandle & handle, uint64_t id, std::vector<Token> prompt,
               std::vector<Field> fields, int32_t n_instruction, std::optional<int32_t> n_cached,
               bool keep_prompt, bool streams_values) {
                const py::gil_scoped_release release;
                auto request = std::make_unique<Request>(id, std::move(prompt), std::move(fields));
                request->n_instruction = n_instruction;
                request->n_cached = n_cached.value_or(n_instruction);
                request->keep_prompt = keep_prompt;
                request->streams_values = streams_values;
                handle.use([&](Engine & engine) { engine.submit(std::move(request)); });
            },
            py::arg("id"), py::arg("prompt"), py::arg("fields"), py::kw_only(),
            py::arg("n_instruction"), py::arg("n_cached") = py::none(),
            py::arg("keep_prompt") = false, py::arg("streams_values") = false)
        .def("seed_drafter", of_engine(&Engine::seed_drafter), py::arg("attribute"),
             py::arg("tokens"))
        .def("forget_prompt", of_engine(&Engine::forget_prompt), py::arg("prompt"))
        // Python owns the returned requests: the engine no longer refers to them.
        .def("step", of_engine(&Engine::step))
        .def("advance", of_engine(&Engine::advance))
        .def("take_values", of_engine(&Engine::take_values))
        .def("wake", &EngineHandle::wake)
        .def("cancel", of_engine(&Engine::cancel), py::arg("ids"))
        .def("cancel_all", of_engine(&Engine::cancel_all))
        .def("close", &EngineHandle::close, py::call_guard<py::gil_scoped_release>())
        .def("interrupt", &EngineHandle::interrupt, py::arg("on"),
             py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("wants_request", &EngineHandle::wants_request)
        .def_property_readonly("idle", &EngineHandle::idle)
        .def_property_readonly("closed", &EngineHandle::closed)
        .def_property_readonly("stats", &EngineHandle::stats)
        .def_property_readonly("n_ctx", &EngineHandle::n_ctx);
}

void bind_llama_cpp(py::module_ & m) {
    m.def("load_backends", &load_backends, py::arg("folder"));
    m.def("cpu_library", &cpu_library);
    m.def("llama_cpp_version", &llama_cpp_version);
    m.def("system_info", &system_info);
    m.def("supports_gpu_offload", &supports_gpu_offload);
    m.def("devices", &devices);
    m.def("quantize", &quantize, py::arg("source"), py::arg("output"), py::arg("file_type"),
          py::kw_only(), py::arg("output_type") = py::none(),
          py::arg("embedding_type") = py::none(), py::call_guard<py::gil_scoped_release>());
    m.def("leave_out_amx", [] {
        capture_log();  // ggml logs the devices that it finds
        leave_out_amx();
    });
}

}  // namespace

PYBIND11_MODULE(_core, m) {
    m.doc() = "hpd's engine, built on llama.cpp.";
    translate_errors();
    py::class_<ModelHandle> model(m, "Model");  // before the options, which may hold one
    bind_options(m);
    bind_model(model);
    bind_engine(m);
    bind_gguf(m);
    bind_llama_cpp(m);
    m.def("attention_problems", &attention_problems, py::call_guard<py::gil_scoped_release>());
    m.def("product_problems", &product_problems, py::call_guard<py::gil_scoped_release>());
    m.def(
        "time_products",
        [](const std::string & type, int64_t n_columns, int64_t n_rows, int32_t n_matrices,
           int64_t n_tokens, int32_t n_threads, double seconds) {
            const ProductTime time =
                time_products({type, n_columns, n_rows, n_matrices, n_tokens}, n_threads, seconds);
            return std::pair(time.seconds, time.n_bytes);
        },
        py::arg("type"), py::kw_only(), py::arg("n_columns"), py::arg("n_rows"),
        py::arg("n_matrices"), py::arg("n_tokens"), py::arg("n_threads"), py::arg("seconds"),
        py::call_guard<py::gil_scoped_release>());
    m.def("near_tie_margin", [] { return near_tie_margin; });
    m.def("echo_log", &echo_log, py::arg("on"));
#ifdef HPD_BUILD_TESTS
    py::module_ testing = m.def_submodule("testing", "Parts of the engine, for tests.");
    bind_testing(testing);
#endif
}

#include "model/llama_cpp.h"

#include <ggml-backend.h>
#include <llama.h>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "errors.h"
#include "model/log.h"

namespace hpd {

namespace {

const char * name_of(enum ggml_backend_dev_type type) {
    switch (type) {
        case GGML_BACKEND_DEVICE_TYPE_CPU:
            return "CPU";
        case GGML_BACKEND_DEVICE_TYPE_GPU:
            return "GPU";
        case GGML_BACKEND_DEVICE_TYPE_IGPU:
            return "IGPU";
        case GGML_BACKEND_DEVICE_TYPE_ACCEL:
            return "ACCEL";
        case GGML_BACKEND_DEVICE_TYPE_META:
            return "META";
    }
    return "";
}

}  // namespace

void load_backends(const std::string & folder) {
    capture_log();  // ggml logs which ones it finds
    ggml_backend_load_all_from_path(folder.c_str());
    if (!ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)) {
        throw Error("none of llama.cpp's libraries for CPUs in " + folder +
                    " can run on this processor: compile hpd from source");
    }
#if !defined(_WIN32)
    // Otherwise ggml unloads it when the process ends, while a thread may still be computing.
    dlopen(cpu_library().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

std::string cpu_library() {
#if !defined(_WIN32)
    ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!device) return "";
    Dl_info info{};
    if (dladdr(ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device),
                                                 "ggml_backend_set_n_threads"),
               &info) &&
        info.dli_fname) {
        return info.dli_fname;
    }
#endif
    return "";
}

std::string llama_cpp_version() { return llama_version(); }

std::string system_info() {
    capture_log();
    return llama_print_system_info();
}

bool supports_gpu_offload() {
    capture_log();
    return llama_supports_gpu_offload();
}

std::vector<std::pair<std::string, std::string>> devices() {
    capture_log();  // at the first call, llama.cpp looks for them and logs it
    std::vector<std::pair<std::string, std::string>> all;
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
        ggml_backend_dev_t device = ggml_backend_dev_get(i);
        all.emplace_back(name_of(ggml_backend_dev_type(device)),
                         ggml_backend_dev_description(device));
    }
    return all;
}

uint32_t quantize(const std::string & source, const std::string & output, int32_t file_type,
                  std::optional<int32_t> output_type, std::optional<int32_t> embedding_type) {
    capture_log();  // llama.cpp logs lines for each tensor
    llama_model_quantize_params params = llama_model_quantize_default_params();
    params.ftype = static_cast<llama_ftype>(file_type);
    if (output_type) params.output_tensor_type = static_cast<ggml_type>(*output_type);
    if (embedding_type) params.token_embedding_type = static_cast<ggml_type>(*embedding_type);
    return llama_model_quantize(source.c_str(), output.c_str(), &params);
}

}  // namespace hpd

#include "bindings_gguf.h"

#include <ggml.h>
#include <gguf.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "errors.h"
#include "model/log.h"

namespace hpd {

namespace py = pybind11;

namespace {

// Of longer arrays, which are the vocabulary's, Python gets only the length.
constexpr size_t n_longest_array = 4096;

struct GgufDeleter {
    void operator()(gguf_context * header) const { gguf_free(header); }
};
using GgufPtr = std::unique_ptr<gguf_context, GgufDeleter>;

struct FileDeleter {
    void operator()(std::FILE * file) const { std::fclose(file); }
};

// llama.cpp's own reader does not know how long the file is.
struct Reader {
    std::unique_ptr<std::FILE, FileDeleter> file;
    uint64_t size;
    uint64_t at = 0;

    static size_t read(void * self, void * output, uint64_t offset, size_t n) {
        auto & reader = *static_cast<Reader *>(self);
        if (n > reader.size || offset > reader.size - n) return 0;
        if (offset != reader.at) std::fseek(reader.file.get(), static_cast<long>(offset), SEEK_SET);
        const size_t n_read = std::fread(output, 1, n, reader.file.get());
        reader.at = offset + n_read;
        return n_read;
    }
};

// llama.cpp ends the process if a value, such as general.alignment, does not have the expected
// type. While this thread reads a header, an exception is thrown instead.
thread_local bool reads_header = false;
ggml_abort_callback_t abort_before = nullptr;

void throw_instead(const char * message) {
    if (reads_header) throw std::runtime_error(message);
    if (abort_before) abort_before(message);
}

struct ReadsHeader {
    ReadsHeader() {
        static const bool once = [] {
            abort_before = ggml_set_abort_callback(throw_instead);
            return true;
        }();
        static_cast<void>(once);
        reads_header = true;
    }
    ~ReadsHeader() { reads_header = false; }
};

GgufPtr open(const std::string & path, Reader & reader) {
    capture_log();
    const LogSince log;
    std::string problem;
    try {
        const ReadsHeader guard;
        GgufPtr header(
            gguf_init_from_callback(Reader::read, &reader, 0, reader.size, {true, nullptr}));
        if (header) return header;
    } catch (const std::exception & e) {
        problem = std::string(": ") + e.what();
    }
    throw ModelLoadError(log.appended_to(path + ": its header cannot be read" + problem +
                                         " (the file ends at byte " + std::to_string(reader.size) +
                                         "; if it is not complete, download it again)"));
}

py::str text_of(const char * text) {
    return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
        text, static_cast<Py_ssize_t>(std::char_traits<char>::length(text)), "replace"));
}

template <class Number>
py::object number(const void * data, size_t i) {
    return py::cast(static_cast<const Number *>(data)[i]);
}

py::object number_of(gguf_type type, const void * data, size_t i) {
    switch (type) {
        case GGUF_TYPE_UINT8:
            return py::int_(static_cast<const uint8_t *>(data)[i]);
        case GGUF_TYPE_INT8:
            return py::int_(static_cast<const int8_t *>(data)[i]);
        case GGUF_TYPE_UINT16:
            return number<uint16_t>(data, i);
        case GGUF_TYPE_INT16:
            return number<int16_t>(data, i);
        case GGUF_TYPE_UINT32:
            return number<uint32_t>(data, i);
        case GGUF_TYPE_INT32:
            return number<int32_t>(data, i);
        case GGUF_TYPE_FLOAT32:
            return number<float>(data, i);
        case GGUF_TYPE_BOOL:
            return py::bool_(static_cast<const int8_t *>(data)[i] != 0);
        case GGUF_TYPE_UINT64:
            return number<uint64_t>(data, i);
        case GGUF_TYPE_INT64:
            return number<int64_t>(data, i);
        case GGUF_TYPE_FLOAT64:
            return number<double>(data, i);
        default:
            return py::none();
    }
}

// Returns texts, numbers and short arrays of numbers by key, the lengths of all arrays, each tensor
// as (name, type, shape, size in bytes, offset in the data), the offset of the data, and the size
// of the file in bytes.
py::dict read_gguf_header(const std::string & path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(std::filesystem::u8path(path), error);
    Reader reader{std::unique_ptr<std::FILE, FileDeleter>(std::fopen(path.c_str(), "rb")), size};
    if (error || !reader.file) throw ModelLoadError(path + ": cannot be opened");
    GgufPtr opened;
    {
        const py::gil_scoped_release release;
        opened = open(path, reader);
    }
    const gguf_context * header = opened.get();
    py::dict metadata, lengths;
    for (int64_t i = 0; i < gguf_get_n_kv(header); ++i) {
        const py::str key = text_of(gguf_get_key(header, i));
        const gguf_type type = gguf_get_kv_type(header, i);
        if (type == GGUF_TYPE_STRING) {
            metadata[key] = text_of(gguf_get_val_str(header, i));
        } else if (type != GGUF_TYPE_ARRAY) {
            metadata[key] = number_of(type, gguf_get_val_data(header, i), 0);
        } else {
            const size_t n = gguf_get_arr_n(header, i);
            lengths[key] = n;
            const gguf_type kind = gguf_get_arr_type(header, i);
            if (kind == GGUF_TYPE_STRING || n > n_longest_array) continue;
            const void * data = gguf_get_arr_data(header, i);
            py::list all;
            for (size_t k = 0; k < n; ++k) all.append(number_of(kind, data, k));
            metadata[key] = all;
        }
    }
    py::list tensors;
    for (int64_t i = 0; i < gguf_get_n_tensors(header); ++i) {
        const int64_t * ne = gguf_get_tensor_ne(header, i);
        int n_dims = GGML_MAX_DIMS;
        while (n_dims > 1 && ne[n_dims - 1] == 1) --n_dims;
        py::tuple shape(n_dims);
        for (int k = 0; k < n_dims; ++k) shape[static_cast<size_t>(k)] = py::int_(ne[k]);
        tensors.append(py::make_tuple(text_of(gguf_get_tensor_name(header, i)),
                                      ggml_type_name(gguf_get_tensor_type(header, i)), shape,
                                      gguf_get_tensor_size(header, i),
                                      gguf_get_tensor_offset(header, i)));
    }
    py::dict all;
    all["metadata"] = metadata;
    all["lengths"] = lengths;
    all["tensors"] = tensors;
    all["data_offset"] = gguf_get_data_offset(header);
    all["n_file_bytes"] = static_cast<uint64_t>(size);
    return all;
}

}  // namespace

void bind_gguf(py::module_ & m) { m.def("read_gguf_header", &read_gguf_header, py::arg("path")); }

}  // namespace hpd

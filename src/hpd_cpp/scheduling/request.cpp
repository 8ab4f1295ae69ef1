#include "scheduling/request.h"

#include <algorithm>
#include <utility>

#include "scheduling/key_trie.h"

namespace hpd {

void Value::forget() { *this = Value(*request, index); }

Request::Request(uint64_t number, std::vector<Token> tokens, std::vector<Field> asked)
    : id(number), prompt(std::move(tokens)), fields(std::move(asked)) {
    values.reserve(fields.size());  // pointers to values must stay valid
    for (size_t i = 0; i < fields.size(); ++i) values.emplace_back(*this, i);
}

Request::~Request() = default;

void Request::forget() {
    for (Value & v : values) {
        if (v.state != Value::State::done) v.forget();
    }
    n_prompt_computed = 0;
    n_keys_computed = 0;
}

int32_t Request::n_longest_field() const {
    int32_t n = 0;
    for (const Field & f : fields) {
        n = std::max(n, static_cast<int32_t>(f.key.size()) + f.max_tokens);
    }
    return n;
}

int64_t Request::n_reserved(const Value & v) const {
    const auto n_key = static_cast<int64_t>(v.field().key.size());
    if (reserves_all) return n_key + v.field().max_tokens;
    const auto n_so_far = static_cast<int32_t>(v.tokens.size()) + 1;
    const int32_t n_tokens = std::max(n_prompt() - n_instruction, n_so_far);
    return n_key + std::min(v.field().max_tokens, n_tokens);
}

int32_t Request::n_unread() const {
    return n_prompt() - n_trunk + static_cast<int32_t>(nodes.size() - next_node);
}

size_t Request::n_done() const {
    return static_cast<size_t>(std::count_if(values.begin(), values.end(), [](const Value & v) {
        return v.state == Value::State::done;
    }));
}

}  // namespace hpd

#include "sampling/choices.h"

#include <algorithm>
#include <iterator>

namespace hpd {

bool ChoicesLeft::allows(int32_t token) const {
    const Iterator it = first_from(token);
    return it != end_ && next(*it) == token;
}

void ChoicesLeft::accept(int32_t token) {
    const Iterator begin = first_from(token);
    end_ = first_from(token + 1);
    begin_ = begin;
    ++n_accepted_;
}

std::vector<int32_t> ChoicesLeft::next_tokens() const {
    std::vector<int32_t> tokens;
    for (Iterator it = first_from(0); it != end_; it = first_from(tokens.back() + 1)) {
        tokens.push_back(next(*it));
    }
    return tokens;
}

std::vector<std::vector<int32_t>> ChoicesLeft::endings(size_t n_max) const {
    std::vector<std::vector<int32_t>> rests;
    for (Iterator it = first_from(0); it != end_; ++it) {
        if (it->size() - n_accepted_ > n_max) continue;
        rests.emplace_back(it->begin() + static_cast<std::ptrdiff_t>(n_accepted_), it->end());
    }
    return rests;
}

int32_t ChoicesLeft::agreed() const {
    if (begin_ == end_) return -1;
    const int32_t token = next(*begin_);
    return token == next(*std::prev(end_)) ? token : -1;
}

bool ChoicesLeft::ended() const { return begin_ == end_ || next(*std::prev(end_)) < 0; }

int32_t ChoicesLeft::next(const std::vector<int32_t> & choice) const {
    return n_accepted_ < choice.size() ? choice[n_accepted_] : -1;
}

// Returns the first choice whose next token is at least this one.
ChoicesLeft::Iterator ChoicesLeft::first_from(int32_t token) const {
    return std::partition_point(begin_, end_,
                                [&](const auto & choice) { return next(choice) < token; });
}

}  // namespace hpd

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

using Choices = std::vector<std::vector<int32_t>>;

// The choices that begin with the accepted tokens: a range of the sorted list.
class ChoicesLeft {
public:
    // `sorted` must outlive this.
    explicit ChoicesLeft(const Choices & sorted) : begin_(sorted.begin()), end_(sorted.end()) {}

    bool allows(int32_t token) const;
    void accept(int32_t token);

    // Returns the distinct next tokens of all choices.
    std::vector<int32_t> next_tokens() const;

    // Returns the remaining tokens of the choices with at most n_max left.
    std::vector<std::vector<int32_t>> endings(size_t n_max) const;

    // Returns the next token that all choices share; -1 if they differ or none continues.
    int32_t agreed() const;

    // Whether no choice continues.
    bool ended() const;

private:
    using Iterator = Choices::const_iterator;

    // A choice's next token; -1 at its end, so that it sorts before longer ones.
    int32_t next(const std::vector<int32_t> & choice) const;
    Iterator first_from(int32_t token) const;

    Iterator begin_;
    Iterator end_;
    size_t n_accepted_ = 0;
};

}  // namespace hpd

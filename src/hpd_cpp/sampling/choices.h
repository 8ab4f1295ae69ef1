#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

using Choices = std::vector<std::vector<int32_t>>;

// Those of a list of choices that begin with the tokens accepted so far: a walk down the trie of
// their tokens, which is a range of the list where that is sorted.
class ChoicesLeft {
public:
    // `sorted` must outlive this.
    explicit ChoicesLeft(const Choices & sorted) : begin_(sorted.begin()), end_(sorted.end()) {}

    bool allows(int32_t token) const;
    void accept(int32_t token);

    // The tokens that come next in some of them, each once.
    std::vector<int32_t> next_tokens() const;

    // What is left of those that have at most so many tokens left.
    std::vector<std::vector<int32_t>> endings(size_t n_most) const;

    // The token that comes next in all of them; -1 where they differ, or none goes on.
    int32_t agreed() const;

    // Whether none goes on.
    bool ended() const;

private:
    using Iterator = Choices::const_iterator;

    // The token that a choice has next; -1 at its end, so that it sorts before those that go on.
    int32_t next(const std::vector<int32_t> & choice) const;
    Iterator first_from(int32_t token) const;

    Iterator begin_;
    Iterator end_;
    size_t n_accepted_ = 0;
};

}  // namespace hpd

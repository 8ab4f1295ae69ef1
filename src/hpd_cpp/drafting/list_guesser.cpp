#include "drafting/list_guesser.h"

#include <algorithm>

namespace hpd {

void ListGuesser::push(Token token) {
    const auto t = static_cast<size_t>(token);
    const bool is_mark = shapes_.n_quotes[t] > 0 || (!in_string_ && shapes_.is_mark[t] != 0);
    if (shapes_.n_quotes[t] % 2 == 1) in_string_ = !in_string_;
    if (!is_mark) {
        if (item_.empty() && n_items_ > 0) last_marks_ = marks_;
        marks_.clear();
        item_.push_back(token);
        return;
    }
    if (!item_.empty()) end_item();
    marks_.push_back(token);
}

void ListGuesser::end_item() {
    size_t place = expected_ != nowhere && stands_at(expected_) ? expected_ : find(last_end_);
    if (place != nowhere && place + item_.size() < prompt_.size()) {
        last_end_ = place + item_.size();
        before_.push_back(prompt_[place - 1]);
        after_.push_back(prompt_[last_end_]);
    }
    expected_ = nowhere;
    item_.clear();
    ++n_items_;
}

ListGuesser::ListGuess ListGuesser::guess() {
    if (!item_.empty()) {
        size_t place = expected_ != nowhere && stands_at(expected_) ? expected_ : find(last_end_);
        if (place == nowhere) place = find(begin_);
        if (place == nowhere || place + item_.size() >= prompt_.size()) return {};
        const Token next = prompt_[place + item_.size()];
        const bool ends =
            std::any_of(after_.begin(), after_.end(), [&](Token t) { return is_alike(t, next); });
        if (!ends) return {next, Kind::inner};
        return last_marks_.empty() ? ListGuess{} : ListGuess{last_marks_.front(), Kind::end};
    }
    if (n_items_ == 0 || last_marks_.empty() || marks_.size() > last_marks_.size() ||
        !std::equal(marks_.begin(), marks_.end(), last_marks_.begin()))
        return {};
    if (marks_.size() < last_marks_.size()) return {last_marks_[marks_.size()], Kind::mark};
    expected_ = next_start();
    if (expected_ == nowhere) return {};
    const Token first = prompt_[expected_];
    return {in_string_ ? shapes_.without_space[static_cast<size_t>(first)] : first, Kind::start};
}

// Returns the first occurrence of the current item at or after a position.
size_t ListGuesser::find(size_t from) const {
    for (size_t i = std::max(from, begin_ + 1); i + item_.size() <= prompt_.size(); ++i) {
        if (stands_at(i)) return i;
    }
    return nowhere;
}

bool ListGuesser::stands_at(size_t place) const {
    if (place + item_.size() > prompt_.size()) return false;
    const Token first = prompt_[place];
    return (first == item_[0] || shapes_.without_space[static_cast<size_t>(first)] == item_[0]) &&
           std::equal(item_.begin() + 1, item_.end(),
                      prompt_.begin() + static_cast<std::ptrdiff_t>(place) + 1);
}

// Returns the first position after the last item that is preceded by the same text as the last
// item, or else by the same text as an earlier item, the latest first.
size_t ListGuesser::next_start() const {
    for (auto before = before_.rbegin(); before != before_.rend(); ++before) {
        for (size_t i = last_end_; i + 1 < prompt_.size(); ++i) {
            const auto next = static_cast<size_t>(prompt_[i + 1]);
            if (is_alike(prompt_[i], *before) && !shapes_.ends_line[next]) return i + 1;
        }
    }
    return nowhere;
}

bool ListGuesser::is_alike(Token one, Token other) const {
    return one == other || (shapes_.ends_line[static_cast<size_t>(one)] &&
                            shapes_.ends_line[static_cast<size_t>(other)]);
}

}  // namespace hpd

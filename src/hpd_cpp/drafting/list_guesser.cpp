#include "drafting/list_guesser.h"

#include <algorithm>
#include <string_view>

namespace hpd {

void ListGuesser::push(Token token) {
    if (scan(shapes_.pieces[static_cast<size_t>(token)])) {
        if (value_.empty() && has_values_) columns_[last_column_].marks_after = marks_;
        marks_.clear();
        value_.push_back(token);
        return;
    }
    if (!value_.empty()) end_value();
    marks_.push_back(token);
}

// Reads the text of a token, and returns whether it belongs to a value: whether it has characters
// of one, and no quotation mark.
bool ListGuesser::scan(const std::string & piece) {
    bool is_of_value = false;
    bool has_quote = false;
    for (const char c : piece) {
        const bool was_in_string = scanner_.in_string();
        scanner_.feed({&c, 1});
        if (scanner_.in_string() != was_in_string) {
            has_quote = true;
            if (scanner_.in_key()) column_.clear();
        } else if (scanner_.in_key()) {
            column_ += c;
        } else if (was_in_string || std::string_view("[]{},: \n").find(c) == std::string::npos) {
            is_of_value = true;
        }
    }
    return is_of_value && !has_quote;
}

void ListGuesser::end_value() {
    Column & column = columns_[column_];
    const size_t place = expected_ != nowhere && stands_at(expected_) ? expected_ : find(last_end_);
    if (place != nowhere && place + value_.size() < prompt_.size()) {
        const Token before = prompt_[place - 1];
        column.n_skipped = 0;
        for (size_t i = last_end_ + 1; i < place; ++i) column.n_skipped += may_start(i, before);
        column.before.push_back(before);
        last_end_ = place + value_.size();
        column.after.push_back(prompt_[last_end_]);
    }
    expected_ = nowhere;
    value_.clear();
    has_values_ = true;
    last_column_ = column_;
}

ListGuesser::ListGuess ListGuesser::guess() {
    const Column & column = columns_[column_];
    if (!value_.empty()) {
        size_t place = expected_ != nowhere && stands_at(expected_) ? expected_ : find(last_end_);
        if (place == nowhere) place = find(begin_);
        if (place == nowhere || place + value_.size() >= prompt_.size()) return {};
        const Token next = prompt_[place + value_.size()];
        const bool ends = std::any_of(column.after.begin(), column.after.end(),
                                      [&](Token t) { return is_alike(t, next); });
        if (!ends) return {next, Kind::inner};
        return column.marks_after.empty() ? ListGuess{}
                                          : ListGuess{column.marks_after.front(), Kind::end};
    }
    if (!has_values_) return {};
    const std::vector<Token> & marks = columns_[last_column_].marks_after;
    if (marks.empty() || marks_.size() > marks.size() ||
        !std::equal(marks_.begin(), marks_.end(), marks.begin()))
        return {};
    if (marks_.size() < marks.size()) return {marks[marks_.size()], Kind::mark};
    expected_ = next_start(column);
    if (expected_ == nowhere) return {};
    const Token first = prompt_[expected_];
    return {scanner_.in_string() ? shapes_.without_space[static_cast<size_t>(first)] : first,
            Kind::start};
}

// Returns the first occurrence of the current value at or after a position.
size_t ListGuesser::find(size_t from) const {
    for (size_t i = std::max(from, begin_ + 1); i + value_.size() <= prompt_.size(); ++i) {
        if (stands_at(i)) return i;
    }
    return nowhere;
}

bool ListGuesser::stands_at(size_t place) const {
    if (place + value_.size() > prompt_.size()) return false;
    const Token first = prompt_[place];
    return (first == value_[0] || shapes_.without_space[static_cast<size_t>(first)] == value_[0]) &&
           std::equal(value_.begin() + 1, value_.end(),
                      prompt_.begin() + static_cast<std::ptrdiff_t>(place) + 1);
}

// Returns whether a value may start at a position, as it comes after this token.
bool ListGuesser::may_start(size_t place, Token before) const {
    return is_alike(prompt_[place - 1], before) &&
           !shapes_.ends_line[static_cast<size_t>(prompt_[place])];
}

// Returns the position after the last value that is preceded by the same text as the value above
// it, and by as many others like it; or else by the same text as an earlier value, the latest
// first.
size_t ListGuesser::next_start(const Column & column) const {
    size_t n_skipped = column.n_skipped;
    for (auto before = column.before.rbegin(); before != column.before.rend(); ++before) {
        for (size_t i = last_end_ + 1; i < prompt_.size(); ++i) {
            if (may_start(i, *before) && n_skipped-- == 0) return i;
        }
        n_skipped = 0;
    }
    return nowhere;
}

bool ListGuesser::is_alike(Token one, Token other) const {
    return one == other || (shapes_.ends_line[static_cast<size_t>(one)] &&
                            shapes_.ends_line[static_cast<size_t>(other)]);
}

}  // namespace hpd

#include "drafting/list_guesser.h"

#include <algorithm>

namespace hpd {

namespace {

// Values are searched for no further than this, so that a missing value costs little.
constexpr size_t n_search_bytes = 4096;
constexpr size_t n_separator_bytes = 8;  // longer ones are compared up to here
constexpr size_t n_gap_bytes = 128;  // of marks and blanks between two values
constexpr size_t n_word_bytes = 24;
constexpr double memory = 0.7;

enum class CharKind { digit, letter, separator, beyond_ascii };

CharKind kind_of(char c) {
    if (static_cast<unsigned char>(c) >= 0x80) return CharKind::beyond_ascii;
    if (c >= '0' && c <= '9') return CharKind::digit;
    const auto lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'z' ? CharKind::letter : CharKind::separator;
}

bool is_letter(char c) { return kind_of(c) == CharKind::letter; }
bool is_separator(char c) { return kind_of(c) == CharKind::separator; }
bool is_blank(char c) { return std::string_view(" \t\n\r").find(c) != std::string_view::npos; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The number of blanks between columns differs from row to row.
std::string with_alike_blanks(std::string_view text) {
    if (text.find('\n') != std::string_view::npos) return "\n";
    std::string result;
    for (const char c : text) {
        const bool repeats = is_blank(c) && result.size() >= 2 && is_blank(result.back()) &&
                             is_blank(result[result.size() - 2]);
        if (!repeats && result.size() < n_separator_bytes) result += c == '\t' ? ' ' : c;
    }
    return result;
}

// Returns one for all digits, and one for all letters.
std::string alike(std::string_view character) {
    switch (kind_of(character[0])) {
        case CharKind::digit:
            return "0";
        case CharKind::letter:
            return "a";
        default:
            return std::string(character);
    }
}

bool contains(const std::vector<std::string> & texts, const std::string & text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

void move_to_end(std::vector<std::string> & texts, const std::string & text) {
    texts.erase(std::remove(texts.begin(), texts.end(), text), texts.end());
    texts.push_back(text);
}

}  // namespace

void ListGuesser::Continuation::add(std::string_view more, Kind first, Kind others) {
    text += more;
    for (size_t i = 0; i < more.size(); ++i) kinds.push_back(i == 0 ? first : others);
}

void ListGuesser::Row::add(const std::string & column, size_t end) {
    ends[column] = end;
    last_end = end;
    reach = std::max(reach, end);
}

// Begins the next row if this one has a value of the column.
void ListGuesser::Row::advance_to(const std::string & column) {
    if (ends.count(column) == 0) return;
    begin = reach;
    last_end = reach;
    ends.clear();
    next_label = nowhere;
}

void ListGuesser::push(std::string_view text) {
    for (const char c : text) push_byte(c);
    n_bytes_ += text.size();
}

void ListGuesser::push_byte(char c) {
    const bool was_in_key = scanner_.in_key();
    const bool was_in_string = scanner_.in_string();
    scanner_.feed({&c, 1});
    if (was_in_key || scanner_.in_key()) {
        if (!was_in_key) {
            column_.clear();
        } else if (scanner_.in_key()) {
            column_ += c;
        }
        between_ += c;
    } else if (was_in_string != scanner_.in_string()) {
        if (was_in_string) {
            end_value();
        } else {
            begin_value(true);
        }
    } else if (was_in_string || std::string_view("[]{},: \n").find(c) == std::string_view::npos) {
        if (!in_value_) begin_value(false);
        value_ += c;
    } else {
        if (in_value_) end_value();
        between_ += c;
    }
}

void ListGuesser::begin_value(bool is_string) {
    if (has_values_) {
        Column & last = columns_[last_column_];
        last.has_next = true;
        last.next = column_;
        last.between = between_;
    }
    between_.clear();
    row_.advance_to(column_);
    starts_ = next_starts(columns_[column_], row_);
    is_string_ = is_string;
    in_value_ = true;
}

void ListGuesser::end_value() {
    Column & column = columns_[column_];
    const size_t begin = locate();
    if (begin != nowhere) {
        learn(column, begin);
        add_to_row(row_, column_, begin + value_.size());
        column.elsewhere.clear();
    } else {
        row_.ends[column_] = nowhere;
        const std::string whole = is_string_ ? '"' + value_ + '"' : value_;
        column.is_repeated = column.elsewhere == whole;
        column.elsewhere = whole;
    }
    if (value_ != "null") column.is_string = is_string_;
    value_.clear();
    in_value_ = false;
    has_values_ = true;
    last_column_ = column_;
}

// Learns from the current value, which begins here in the document.
void ListGuesser::learn(Column & column, size_t begin) {
    if ((starts_.by_word == begin) != (starts_.by_separator == begin)) {
        column.words_are_better =
            memory * column.words_are_better + (starts_.by_word == begin ? 1 - memory : memory - 1);
    }
    const std::string separator = separator_before(begin);
    size_t from = row_.begin;
    column.anchor.clear();
    for (const auto & [name, end] : row_.ends) {
        if (end <= begin && end > from) {
            from = end;
            column.anchor = name;
        }
    }
    column.n_skipped = 0;
    // The text before the first row is a heading.
    if (from == 0 && begin > 0) from = document_.rfind('\n', begin - 1) + 1;
    for (size_t i = from + 1; i < begin; ++i) {
        column.n_skipped += !is_blank(document_[i]) && separator_before(i) == separator;
    }
    const size_t end = begin + value_.size();
    column.n_inside.clear();
    for (size_t i = begin + 1; i < end; ++i) {
        if (is_separator(document_[i]) && !is_separator(document_[i - 1])) {
            ++column.n_inside[separator_after(i)];
        }
    }
    move_to_end(column.words_before, word_before(begin));
    move_to_end(column.separators_before, separator);
    move_to_end(column.separators_after, separator_after(end));
}

ListGuesser::Continuation ListGuesser::guess(size_t n_bytes) const {
    Continuation guess;
    if (!has_values_ && !in_value_) return guess;
    Row row = row_;
    std::string name = in_value_ ? column_ : last_column_;
    bool is_ended = !in_value_;
    bool is_string = is_string_;
    size_t n_written = value_.size();
    size_t begin = in_value_ ? locate() : nowhere;
    std::string_view elsewhere;  // the whole value, if it is not in the document
    std::string_view written = between_;
    while (guess.text.size() < n_bytes) {
        const Column & column = columns_.at(name);
        if (!elsewhere.empty()) {
            guess.add(elsewhere, Kind::start, Kind::inner);
        } else if (!is_ended) {
            if (begin == nowhere) break;
            const size_t end = end_of(column, is_string, begin, begin + n_written);
            guess.add(view().substr(begin + n_written, end - begin - n_written),
                      n_written == 0 ? Kind::start : Kind::inner, Kind::inner);
            if (is_string && column.separators_after.empty()) break;
            if (is_string) guess.add("\"", Kind::end, Kind::end);
            add_to_row(row, name, end);
        }
        if (!column.has_next || column.between.compare(0, written.size(), written) != 0) break;
        guess.add(std::string_view(column.between).substr(written.size()),
                  is_ended || is_string ? Kind::mark : Kind::end, Kind::mark);
        name = column.next;
        const Column & next = columns_.at(name);
        row.advance_to(name);
        begin = likelier(next, next_starts(next, row));
        const bool is_absent = begin > row.next_label && !next.separators_before.empty();
        elsewhere = {};
        if (is_absent) {
            elsewhere = "null";
        } else if (begin == nowhere && next.is_repeated) {
            elsewhere = next.elsewhere;
        }
        is_string = next.is_string && elsewhere.empty();
        if (is_string) guess.add("\"", Kind::mark, Kind::mark);
        n_written = 0;
        is_ended = false;
        written = {};
    }
    return guess;
}

// Adds a value's end to a row; with the first one, also the label at which the next row begins.
void ListGuesser::add_to_row(Row & row, const std::string & name, size_t end) const {
    const bool is_first = row.ends.empty();
    row.add(name, end);
    const Column & column = columns_.at(name);
    const bool has_label = !column.words_before.empty() && column.words_are_better >= 0.0 &&
                           column.words_before.back() != column.separators_before.back();
    if (!is_first || !has_label) return;
    const size_t to = std::min(document_.size(), end + n_search_bytes);
    for (size_t i = end + 1; i < to && row.next_label == nowhere; ++i) {
        if (!is_blank(document_[i]) && word_before(i) == column.words_before.back()) {
            row.next_label = i;
        }
    }
}

// Returns where the current value begins in the document: where it was expected, or else nearest to
// the value before it.
size_t ListGuesser::locate() const {
    const size_t expected = likelier(columns_.at(column_), starts_);
    if (value_.empty()) return expected;
    if (expected != nowhere && document_.compare(expected, value_.size(), value_) == 0) {
        return expected;
    }
    const size_t begin = row_.last_end - std::min(row_.last_end, n_search_bytes);
    size_t end =
        has_values_ ? std::min(document_.size(), row_.last_end + n_search_bytes) : document_.size();
    end = std::min(end, row_.next_label);
    size_t nearest = nowhere;
    size_t least = nowhere;
    for (size_t i = document_.find(value_, begin); i < end; i = document_.find(value_, i + 1)) {
        if (separator_before(i).empty()) continue;
        const size_t distance = i < row_.last_end ? row_.last_end - i : i - row_.last_end;
        if (distance < least) {
            least = distance;
            nearest = i;
        }
        if (i >= row_.last_end) break;
    }
    return nearest;
}

// Returns where the next value of a column may begin, after the value that precedes it in a row.
ListGuesser::Starts ListGuesser::next_starts(const Column & column, const Row & row) const {
    const auto anchor = row.ends.find(column.anchor);
    const bool has_anchor = anchor != row.ends.end() && anchor->second != nowhere;
    const size_t from = has_anchor ? anchor->second : row.begin;
    const size_t to = std::min({document_.size(), from + n_search_bytes, row.next_label});
    Starts starts;
    size_t n_skipped = column.n_skipped;
    for (size_t i = from + 1; i < to && !column.separators_before.empty(); ++i) {
        if (is_blank(document_[i])) continue;
        const std::string separator = separator_before(i);
        if (!contains(column.separators_before, separator)) continue;
        const std::string word = word_before(i);
        if (starts.by_word == nowhere && word != separator && contains(column.words_before, word)) {
            starts.by_word = i;
        }
        if (starts.by_separator == nowhere && separator == column.separators_before.back() &&
            n_skipped-- == 0) {
            starts.by_separator = i;
        }
        if (starts.by_word != nowhere && starts.by_separator != nowhere) break;
    }
    // The first row may have begun after something else, like a heading.
    const bool is_first = column.anchor.empty() && row.ends.empty();
    if (is_first && starts.by_word == nowhere && starts.by_separator == nowhere) {
        size_t i = from;
        while (i < document_.size() && is_separator(document_[i])) ++i;
        if (i < document_.size()) starts.by_separator = i;
    }
    for (size_t * start : {&starts.by_word, &starts.by_separator}) {
        if (*start == nowhere || column.is_string) continue;
        const char c = document_[*start];
        if (c != '-' && kind_of(c) != CharKind::digit) *start = nowhere;
    }
    return starts;
}

// Until one way has proved better, words count if they look like labels or are in a sentence.
size_t ListGuesser::likelier(const Column & column, const Starts & starts) {
    if (column.words_before.empty()) return nowhere;
    const std::string & word = column.words_before.back();
    const bool is_untried = column.words_are_better == 0.0;
    const bool is_label = is_untried && word.find(':') != std::string::npos;
    if (is_label || column.words_are_better > 0.0) return starts.by_word;
    const bool is_in_sentence = is_untried && word.size() > 2 && word.back() == ' ' &&
                                std::all_of(word.begin(), word.end() - 1, is_letter);
    if (is_in_sentence && starts.by_word != nowhere) return starts.by_word;
    return starts.by_separator != nowhere ? starts.by_separator : starts.by_word;
}

// Returns where a value that begins here ends. A number ends with its digits. A text ends
// before a separator that ended another value of its column, if it has as many of them inside as
// the last value; or before one of several characters that the last value lacks; else at the end
// of the line.
size_t ListGuesser::end_of(const Column & column, bool is_string, size_t begin, size_t from) const {
    std::map<std::string, size_t> n_left = column.n_inside;
    size_t end = begin + 1;
    for (; end < document_.size() && document_[end] != '\n'; ++end) {
        if (!is_string) {
            const bool is_point = document_[end] == '.' && end + 1 < document_.size() &&
                                  kind_of(document_[end + 1]) == CharKind::digit;
            if (end >= from && !is_point && kind_of(document_[end]) != CharKind::digit) break;
            continue;
        }
        if (continues_character(document_[end]) || is_separator(document_[end - 1])) continue;
        const std::string after = separator_after(end);
        const auto left = n_left.find(after);
        const bool is_new = left == n_left.end() && is_separator(after[0]) && after.size() > 1;
        if (!is_new && !contains(column.separators_after, after)) continue;
        const bool is_inside = left != n_left.end() && left->second > 0;
        if (is_inside) --left->second;
        if (end >= from && !is_inside) break;
    }
    return std::max(from, std::min(end, document_.size()));
}

// Returns the separator before a position: marks and blanks, or the kind of the character before
// it; empty inside a word or number.
std::string ListGuesser::separator_before(size_t position) const {
    size_t begin = position;
    while (begin > 0 && is_separator(document_[begin - 1]) && position - begin < n_gap_bytes) {
        --begin;
    }
    if (begin < position) return with_alike_blanks(view().substr(begin, position - begin));
    if (position == 0) return "\n";
    do {
        --begin;
    } while (begin > 0 && continues_character(document_[begin]));
    const CharKind kind = kind_of(document_[begin]);
    const bool is_inside = kind != CharKind::beyond_ascii && position < document_.size() &&
                           kind_of(document_[position]) == kind;
    return is_inside ? "" : alike(view().substr(begin, position - begin));
}

// Returns that separator with the word before it, if that is in the same cell.
std::string ListGuesser::word_before(size_t position) const {
    const std::string separator = separator_before(position);
    const bool is_gap = separator.find_first_of("\n|") != std::string::npos ||
                        separator.find("  ") != std::string::npos;
    if (is_gap || position < separator.size()) return separator;
    const size_t end = position - separator.size();
    size_t begin = end;
    while (begin > 0 && !is_separator(document_[begin - 1]) && end - begin < n_word_bytes) --begin;
    return std::string(document_.substr(begin, end - begin)) + separator;
}

// Likewise, what follows a position.
std::string ListGuesser::separator_after(size_t position) const {
    size_t end = position;
    while (end < document_.size() && is_separator(document_[end]) && end - position < n_gap_bytes) {
        ++end;
    }
    if (end > position) return with_alike_blanks(view().substr(position, end - position));
    if (position >= document_.size()) return "\n";
    do {
        ++end;
    } while (end < document_.size() && continues_character(document_[end]));
    return alike(view().substr(position, end - position));
}

}  // namespace hpd

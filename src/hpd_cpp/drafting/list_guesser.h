#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/json_scanner.h"

namespace hpd {

// Guesses the continuation of a list. Its values are in the document in order, with similar text
// before and after each, like cells of a column or words separated by commas. So a value is
// expected to end before the same text as an earlier one of its column, and the next value to begin
// after the same text as the one above it. The columns are the members of the list's objects, by
// name; a list of texts or numbers has one column. The marks between two values are expected to be
// those of the last row, with the names of members.
//
// It compares text and not tokens, as a value's tokens differ from those of the same text in the
// document: the first word follows a quotation mark, and the last one another.
class ListGuesser {
public:
    enum class Kind : uint8_t {
        mark,  // between values
        start,  // the beginning of a value
        inner,  // inside a value
        end,  // the mark that ends a value
    };
    static constexpr size_t n_kinds = 4;

    struct Continuation {
        std::string text;
        std::vector<Kind> kinds;  // of each byte
        void add(std::string_view more, Kind first, Kind others);
    };

    explicit ListGuesser(std::string document) : document_(std::move(document)) {}

    // Adds text of the list.
    void push(std::string_view text);

    // Returns how much text it has.
    size_t n_bytes() const { return n_bytes_; }

    // Returns what is likely to follow, some n_bytes of it or less.
    Continuation guess(size_t n_bytes) const;

    // Whether the current value is not in the document as far as it is written.
    bool is_lost() const { return in_value_ && !value_.empty() && locate() == nowhere; }

private:
    static constexpr size_t nowhere = static_cast<size_t>(-1);

    // Ways to find where the next value of a column begins, by what is before it.
    struct Starts {
        size_t by_word = nowhere;  // after a word that was before another value: a label
        size_t by_separator = nowhere;  // after so many of the separators
    };

    struct Column {
        bool is_string = false;
        bool has_next = false;
        std::string next;  // the column of the value after its last one
        std::string between;  // from that value to the next one, without their quotation marks
        std::string elsewhere;  // its last value, if that is not in the document
        bool is_repeated = false;  // and the one before it was the same

        // What was before and after its values, each once, the latest last.
        std::vector<std::string> words_before;
        std::vector<std::string> separators_before;
        std::vector<std::string> separators_after;
        std::map<std::string, size_t> n_inside;  // separators in its last value
        std::string anchor;  // the column of the value before it in the document, in the same row
        size_t n_skipped = 0;  // separators between the two like the one before it
        double words_are_better = 0.0;  // -1 to 1: which way was right if the other was not
    };

    // Where the values of a row end in the document; nowhere if they are not there.
    struct Row {
        size_t begin = 0;
        size_t reach = 0;  // the last end
        size_t last_end = 0;  // of the latest value
        std::map<std::string, size_t> ends;
        size_t next_label = nowhere;  // where the next row begins, if labels tell it

        void add(const std::string & column, size_t end);
        void advance_to(const std::string & column);
    };

    std::string_view view() const { return document_; }
    void push_byte(char c);
    void begin_value(bool is_string);
    void end_value();
    void learn(Column & column, size_t begin);

    void add_to_row(Row & row, const std::string & name, size_t end) const;
    size_t locate() const;
    Starts next_starts(const Column & column, const Row & row) const;
    static size_t likelier(const Column & column, const Starts & starts);
    size_t end_of(const Column & column, bool is_string, size_t begin, size_t from) const;
    std::string separator_before(size_t position) const;
    std::string word_before(size_t position) const;
    std::string separator_after(size_t position) const;

    std::string document_;
    size_t n_bytes_ = 0;
    JsonScanner scanner_;
    std::map<std::string, Column> columns_;
    Row row_;
    std::string column_;  // of the current value, or of the next one
    std::string last_column_;  // of the last value
    std::string value_;  // the current one, as far as it is written
    std::string between_;  // since the last value
    bool in_value_ = false;
    bool is_string_ = false;  // the current value
    bool has_values_ = false;
    Starts starts_;  // where the current value was expected to begin
};

}  // namespace hpd

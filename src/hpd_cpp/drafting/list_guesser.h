#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "drafting/histories.h"
#include "sampling/json_scanner.h"
#include "scheduling/tokens.h"

namespace hpd {

// Properties of the text of tokens that guesses need, by token id.
struct TokenShapes {
    const std::vector<std::string> & pieces;
    std::vector<Token> without_space;  // the same text less a leading blank, or the token itself
    std::vector<uint8_t> ends_line;
};

// Guesses the next tokens of a list whose values are in the document in order, with similar text
// before and after each, like cells of a column or words separated by commas. So a value is
// expected to end before the same text as an earlier one of its column, and the next value to begin
// after the same text as the one above it. The columns are the members of the list's objects, by
// name; a list of texts or numbers has one column. The marks between two values are expected to be
// those of the last row, with the names of members.
class ListGuesser {
public:
    enum class Kind : uint8_t {
        mark,  // a token between values
        start,  // the first token of a value
        inner,  // a further token of a value
        end,  // the mark that ends a value
        none,
    };
    struct ListGuess {
        Token token = -1;
        Kind kind = Kind::none;
    };

    // Documents begin at `begin` in the prompt.
    ListGuesser(const TokenShapes & shapes, const std::vector<Token> & prompt, size_t begin)
        : shapes_(shapes), prompt_(prompt), begin_(begin), last_end_(begin) {}

    // Adds a token of the list.
    void push(Token token);

    // Returns a guess for the next token.
    ListGuess guess();

private:
    static constexpr size_t nowhere = static_cast<size_t>(-1);

    struct Column {
        std::vector<Token> marks_after;  // between its last value and the next one; empty: unknown
        std::vector<Token> before;  // the tokens before its values in the prompt, the latest last
        std::vector<Token> after;  // the tokens after them
        size_t n_skipped = 0;  // places before the last value where it seemed to begin
    };

    bool scan(const std::string & piece);
    size_t find(size_t from) const;
    bool stands_at(size_t place) const;
    bool may_start(size_t place, Token before) const;
    size_t next_start(const Column & column) const;
    bool is_alike(Token one, Token other) const;
    void end_value();

    const TokenShapes & shapes_;
    const std::vector<Token> & prompt_;
    size_t begin_;

    JsonScanner scanner_;
    std::map<std::string, Column> columns_;
    std::string column_;  // of the current value, or of the next one
    std::string last_column_;  // of the last value
    std::vector<Token> value_;  // tokens of the current value
    std::vector<Token> marks_;  // since the last value
    bool has_values_ = false;

    size_t last_end_;  // in the prompt, of the last value that was found there
    size_t expected_ = nowhere;  // where the current value was expected to begin
};

}  // namespace hpd

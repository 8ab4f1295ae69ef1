#pragma once

#include <cstdint>
#include <vector>

#include "drafting/histories.h"
#include "scheduling/tokens.h"

namespace hpd {

// Properties of the text of tokens that guesses need, by token id.
struct TokenShapes {
    std::vector<Token> without_space;  // the same text less a leading blank, or the token itself
    std::vector<uint8_t> n_quotes;  // the number of quotation marks
    std::vector<uint8_t> is_mark;  // whether it has only JSON punctuation and blanks
    std::vector<uint8_t> ends_line;
};

// Guesses the next tokens of a list of texts or numbers whose items are in the document in order,
// with similar text before and after each, like cells of a column or words separated by commas. So
// an item is expected to end before the same text as an earlier one, and the next item to begin
// after the same text as the last one.
class ListGuesser {
public:
    enum class Kind : uint8_t {
        mark,  // a token between items, as before the last item
        start,  // the first token of an item
        inner,  // a further token of an item
        end,  // the mark that ends an item
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

    size_t find(size_t from) const;
    bool stands_at(size_t place) const;
    size_t next_start() const;
    bool is_alike(Token one, Token other) const;
    void end_item();

    const TokenShapes & shapes_;
    const std::vector<Token> & prompt_;
    size_t begin_;

    bool in_string_ = false;
    std::vector<Token> item_;  // tokens of the current item
    std::vector<Token> marks_;  // since the last item
    std::vector<Token> last_marks_;  // between the last two items that began; empty: none
    size_t n_items_ = 0;

    size_t last_end_;  // in the prompt, of the last item that was found there
    std::vector<Token> before_;  // the tokens before items found there, the latest last
    std::vector<Token> after_;  // the tokens after them
    size_t expected_ = nowhere;  // where the current item was expected to begin
};

}  // namespace hpd

#pragma once

#include <cstdint>
#include <vector>

#include "drafting/histories.h"
#include "scheduling/tokens.h"

namespace hpd {

// Properties of the text of tokens that guesses need, by token id.
struct TokenShapes {
    std::vector<Token> without_space;  // the token that is its text less a leading blank, or itself
    std::vector<uint8_t> n_quotes;  // quotation marks in it
    std::vector<uint8_t> is_mark;  // whether it is nothing but JSON's marks and blanks
    std::vector<uint8_t> ends_line;
};

// Guesses the next tokens of a list of texts or numbers whose items are in the document in order,
// with similar text before and after each, like cells of a column or words separated by commas. So
// an item is followed by what followed the last one, and the next item begins in the document after
// the same text as the last one.
class ListGuesser {
public:
    enum class Kind : uint8_t {
        mark,  // a token between items, as the last time
        start,  // the first token of an item
        inner,  // one more token of it
        end,  // the mark that ends it
        none,
    };
    struct KindOfGuess {
        Token token = -1;
        Kind kind = Kind::none;
    };

    // `begin`: where documents begin in the prompt.
    ListGuesser(const TokenShapes & shapes, const std::vector<Token> & prompt, size_t begin)
        : shapes_(shapes), prompt_(prompt), begin_(begin), behind_(begin) {}

    // One more token of the list.
    void push(Token token);

    // The token that is to come.
    KindOfGuess guess();

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
    std::vector<Token> item_;  // that is under way
    std::vector<Token> marks_;  // since the last item
    std::vector<Token> last_marks_;  // between the two items before; empty: there were none
    size_t n_items_ = 0;

    size_t behind_;  // the end in the prompt of the last item that was found there
    std::vector<Token> before_;  // tokens in front of items, the latest last
    std::vector<Token> after_;  // tokens behind items
    size_t expected_ = nowhere;  // where the item under way was thought to begin
};

}  // namespace hpd

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sampling/choices.h"
#include "sampling/json_scanner.h"
#include "sampling/sampling.h"
#include "scheduling/tokens.h"

namespace hpd {

// A field to decode.
struct Field {
    std::vector<Token> key;       // tokens between the prompt and the value; may be empty
    int32_t max_tokens = 64;      // a longer value is cut and marked truncated
    std::string grammar;          // GBNF for the value's text; empty: none
    Choices choices;              // the only values allowed, as tokens, sorted; empty: any
    // A wider grammar, or choices that include those above: their values count in normalized
    // probabilities, but the additional ones are never chosen. Empty: only allowed values count.
    std::string counted_grammar;
    Choices counted_choices;
    std::vector<Token> replay;  // known tokens to take instead of the model's, for timing
    uint64_t attribute = 0;  // what it asks, as an id for all documents; 0: derived from the key
    LogitBias first_bias;  // of the first token, under a constraint at temperature 0
    bool normalizes = false;  // probabilities are shares of the total of what counts
    bool records_branches = false;  // a value also has the shares of tokens not chosen
    bool copies = false;  // a list of texts from the document; ends if many are invented
};

// The tokens with which a value could have continued, each with the log of its share.
using Branches = std::vector<std::pair<Token, float>>;

enum class Finish {
    none,
    complete,  // one whole JSON value
    end_of_generation,  // the model ended its turn before that
    truncated,  // max_tokens was reached
    repeated,  // the text repeated itself, or items were invented, and it was cut
    invalid,  // the text can no longer become JSON
};

struct Request;
class ListGuesser;

// A field being decoded, with its own sequence of tokens.
struct Value {
    enum class State { pending, prefill, decoding, done };

    Value(Request & owner, size_t field_index) : request(&owner), index(field_index) {}

    const Field & field() const;
    int32_t n_past() const;  // position of the next token to get a cell

    Request * request;
    size_t index;  // of the field in the request
    State state = State::pending;
    SeqId seq = no_seq;
    std::vector<size_t> path;  // the nodes of its key, in the request's trie

    std::vector<Token> tokens;  // accepted
    std::vector<float> logprobs;  // of each token
    std::vector<float> margins;  // of each token, as in Choice
    std::vector<float> log_shares;  // of each token, if the field normalizes; else as logprobs
    std::vector<Branches> branches;  // at each token; empty unless the field tells them
    std::vector<Token> draft;  // guesses in the batch that is being decoded
    std::vector<uint8_t> draft_sources;  // the source of each, by the drafter's numbers
    std::vector<Token> proposed;  // guesses of a draft model, for the next batch
    std::shared_ptr<ListGuesser> list;  // the drafter's, if it is a list
    int32_t n_cells = 0;  // tokens, guesses included, that have KV cells
    std::string text;  // of the accepted tokens, up to the end of the value
    JsonScanner scanner;
    size_t n_before_lexeme = 0;  // tokens up to and with the one in which the current lexeme begins
    Finish finish = Finish::none;

    void forget();  // resets it to pending, with nothing decoded
};

struct Prefix;
struct KeyNode;

// One prompt with its fields, tokenized, and how far the engine is with it.
struct Request {
    Request(uint64_t number, std::vector<Token> tokens, std::vector<Field> asked);
    ~Request();

    uint64_t id;
    std::vector<Token> prompt;
    std::vector<Field> fields;
    int32_t n_instruction = 0;  // leading tokens that all of the schema's requests share
    int32_t n_cached = 0;  // leading tokens that others share: their cells are kept
    bool keep_prompt = false;  // more requests will have this prompt: keep its cells a while
    bool streams_values = false;  // also hand out each value as soon as it is done

    std::vector<Value> values;  // one per field

    Prefix * prefix = nullptr;
    bool creates_prefix = false;  // it reads the prefix itself
    bool in_turns = false;  // its fields may not all fit at once
    bool reserves_all = false;  // in turns, those started have cells for all their max_tokens
    SeqId base = no_seq;  // holds the prompt, for fields in turns or for later requests
    int32_t n_trunk = 0;  // prompt tokens already in a batch, or cached
    bool trunk_decoded = false;  // the whole prompt has KV cells, and can be forked
    int32_t n_trunk_owners = 0;  // live sequences that hold the prompt's cells
    std::vector<KeyNode> nodes;  // keys of the fields started so far
    size_t next_node = 0;  // the first node not yet put in a batch

    uint64_t n_prompt_computed = 0;  // prompt tokens that this request decoded itself
    uint64_t n_keys_computed = 0;  // likewise, key tokens
    uint64_t n_steps = 0;  // batches that held a value token of this request
    uint64_t n_drafted = 0;
    uint64_t n_accepted = 0;
    std::chrono::steady_clock::time_point admitted;
    double seconds = 0.0;
    std::string error;  // why the request could not be decoded at all
    bool error_is_overflow = false;

    void forget();  // resets it to waiting: finished values stay, others are decoded again

    // Returns how many cells its longest field may take, key and value together.
    int32_t n_longest_field() const;

    // Returns how many cells a value has if fields go in turns: for its key, and for as many tokens
    // as the document has, which few values exceed, or for all that it may have.
    int64_t n_reserved(const Value & v) const;

    // Returns how many tokens of the prompt and of started keys have not been in a batch.
    int32_t n_unread() const;

    size_t n_done() const;
    bool done() const { return !error.empty() || n_done() == values.size(); }
    int32_t n_prompt() const { return static_cast<int32_t>(prompt.size()); }
};

inline const Field & Value::field() const { return request->fields[index]; }

inline int32_t Value::n_past() const {
    return request->n_prompt() + static_cast<int32_t>(field().key.size()) + n_cells;
}

}  // namespace hpd

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sampling/choices.h"
#include "sampling/json_scanner.h"
#include "scheduling/tokens.h"

namespace hpd {

// A field to decode.
struct Field {
    std::vector<Token> key;       // tokens between the prompt and the value; may be empty
    int32_t max_tokens = 64;      // a longer value is cut and marked truncated
    std::string grammar;          // GBNF for the value's text; empty: none
    Choices choices;              // the only values allowed, as tokens, sorted; empty: any
    // A wider grammar or more choices, including these, whose values count in normalized
    // probabilities but are never chosen. Empty: allowed values count.
    std::string counted_grammar;
    Choices counted_choices;
    std::vector<Token> replay;  // tokens taken instead of the model's, to time known answers
    uint64_t attribute = 0;  // the question that it asks, in any document; 0: as its key says
    bool normalizes = false;  // a probability is a share of what counts
    bool tells_branches = false;  // a value has all shares, also those of tokens not taken
    bool copies = false;  // a list of texts from the document: it ends where many are invented
};

// The tokens with which a value might have gone on, each with the log of its share.
using Branches = std::vector<std::pair<Token, float>>;

// One prompt with its fields, tokenised.
struct Request {
    uint64_t id = 0;
    std::vector<Token> prompt;
    std::vector<Field> fields;
    int32_t n_instruction = 0;  // leading tokens that all requests of the schema begin with
    int32_t n_cached = 0;  // leading tokens that other requests have too: their cells are kept
    bool keep_prompt = false;  // more will be asked of this prompt: its cells stay for a while
    bool tells_values = false;  // each value is handed out as soon as it is done, too

    // Cells that its longest field may take, key and value.
    int32_t n_longest_field() const;
};

enum class Finish {
    none,
    complete,  // one whole JSON value
    end_of_generation,  // the model ended its turn before that
    truncated,  // max_tokens was reached
    repeated,  // it went round without end, or invented items, and was cut
    invalid,  // the text can no longer become JSON
};

struct RequestState;

// A field being decoded, with its own sequence of tokens.
struct Value {
    enum class State { pending, prefill, decoding, done };

    Value(RequestState & owner, size_t field_index) : request(&owner), index(field_index) {}

    const Field & field() const;
    int32_t n_past() const;  // tokens before the next one to get a cell: prompt, key and its own

    RequestState * request;
    size_t index;  // of the field in the request
    State state = State::pending;
    SeqId seq = no_seq;
    std::vector<size_t> path;  // the nodes of its key, in the request's trie

    std::vector<Token> tokens;  // accepted
    std::vector<float> logprobs;  // of each, and its margin over the runner-up
    std::vector<float> margins;
    std::vector<float> log_shares;  // shares if the field normalizes, else as logprobs
    std::vector<Branches> branches;  // at each, if the field tells them; else empty
    std::vector<Token> draft;  // guesses that ride in the batch now being decoded
    std::vector<uint8_t> draft_sources;  // where each came from
    std::vector<Token> proposed;  // guesses of a draft model, for the next batch
    int32_t n_cells = 0;  // tokens, guesses included, that have KV cells
    std::string text;  // of the accepted tokens, up to the end of the value
    JsonScanner scanner;
    size_t n_before_lexeme = 0;  // tokens up to the one that begins what it is in
    Finish finish = Finish::none;

    void forget();  // back to pending, nothing decoded
};

struct Prefix;
struct KeyNode;

// The state of a request in the engine.
struct RequestState {
    explicit RequestState(Request && r);
    ~RequestState();

    Request request;
    std::vector<Value> values;

    Prefix * prefix = nullptr;
    bool creates_prefix = false;  // its own prefill fills the prefix's cells
    bool in_turns = false;  // not all fields fit at once
    SeqId base = no_seq;  // holds the prompt, for fields in turns or for later requests
    int32_t n_trunk = 0;  // prompt tokens that have been put in a batch, or were cached
    bool trunk_decoded = false;  // the whole prompt has KV cells: forks may be taken from it
    int32_t n_trunk_owners = 0;  // live sequences that hold the prompt's cells
    std::vector<KeyNode> nodes;  // keys of the fields started so far
    size_t next_node = 0;  // the first that has not been put in a batch

    uint64_t n_prompt_computed = 0;  // prompt tokens that this request decoded itself
    uint64_t n_keys_computed = 0;  // and key tokens
    uint64_t n_steps = 0;  // batches that held a value token of this request
    uint64_t n_drafted = 0;
    uint64_t n_accepted = 0;
    std::chrono::steady_clock::time_point admitted;
    double seconds = 0.0;
    std::string error;  // why it could not be decoded at all
    bool error_is_overflow = false;

    void forget();  // back to waiting: what is done stays, all else is decoded again

    size_t n_done() const;
    bool done() const { return !error.empty() || n_done() == values.size(); }
    int32_t n_prompt() const { return static_cast<int32_t>(request.prompt.size()); }
};

inline const Field & Value::field() const { return request->request.fields[index]; }

inline int32_t Value::n_past() const {
    return request->n_prompt() + static_cast<int32_t>(field().key.size()) + n_cells;
}

}  // namespace hpd

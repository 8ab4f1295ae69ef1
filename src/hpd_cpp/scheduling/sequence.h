#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampling/choices.h"
#include "sampling/json_scanner.h"

namespace hpd {

using Token = int32_t;
using SeqId = int32_t;

constexpr SeqId no_seq = -1;

// FNV-1a, to name values by what is asked: one more number, and all tokens of a text.
constexpr uint64_t hash_start = 0xcbf29ce484222325ULL;

constexpr uint64_t hash_step(uint64_t hash, uint64_t x) { return (hash ^ x) * 0x100000001b3ULL; }

inline uint64_t hash_tokens(const std::vector<Token> & tokens, uint64_t hash = hash_start) {
    for (Token t : tokens) hash = hash_step(hash, static_cast<uint64_t>(t));
    return hash;
}

// What the caller asks of one field.
struct Field {
    std::vector<Token> key;       // tokens between the prompt and the value; may be empty
    int32_t max_tokens = 64;      // a longer value is cut and marked truncated
    std::string grammar;          // GBNF for the value's text; empty: none
    Choices choices;              // the only values allowed, as tokens, sorted; empty: any
    std::vector<Token> replay;    // tokens taken instead of the model's, to time known answers
    uint64_t attribute = 0;  // the question that it asks, in any document; 0: as its key says
};

// One prompt with its fields, tokenised.
struct Request {
    uint64_t id = 0;
    std::vector<Token> prompt;
    std::vector<Field> fields;
    int32_t n_instruction = 0;  // leading tokens that all requests of the schema begin with
    int32_t n_cached = 0;  // leading tokens that other requests have too: their cells are kept
    bool keep_prompt = false;  // more will be asked of this prompt: its cells stay for a while
};

enum class Finish {
    none,
    complete,  // one whole JSON value
    end_of_generation,  // the model ended its turn before that
    truncated,  // max_tokens was reached
    invalid,  // the text can no longer become JSON
};

struct RequestState;

// One field being filled: a sequence of tokens of its own.
struct Value {
    enum class State { pending, prefill, decoding, done };

    Value(RequestState & owner, size_t field_index) : request(&owner), index(field_index) {}

    const Field & field() const;

    RequestState * request;
    size_t index;  // of the field in the request
    State state = State::pending;
    SeqId seq = no_seq;
    std::vector<size_t> path;  // the nodes of its key, in the request's trie

    std::vector<Token> tokens;  // accepted
    std::vector<float> logprobs;  // of each, and its margin over the runner-up
    std::vector<float> margins;
    std::vector<Token> draft;  // guesses that ride in the batch now being decoded
    std::vector<uint8_t> draft_sources;  // where each came from
    std::vector<Token> proposed;  // guesses of a draft model, for the next batch
    int32_t n_cells = 0;  // tokens, guesses included, that have KV cells
    std::string text;  // of the accepted tokens, up to the end of the value
    JsonScanner scanner;
    Finish finish = Finish::none;

    void forget();  // back to pending, nothing decoded
};

// The beginning of a prompt kept in the KV cache: an instruction that many requests share, or a
// whole prompt of which more will be asked.
struct Prefix {
    std::vector<Token> tokens;
    SeqId seq = no_seq;
    bool ready = false;  // all of it has been decoded
    bool once = false;  // dropped after its next use
    int32_t n_users = 0;  // running requests, and prefixes, that stand on its cells
    uint64_t last_used = 0;  // for dropping the least recently used
    Prefix * parent = nullptr;  // the shorter prefix whose cells it begins with

    int32_t n_tokens() const { return static_cast<int32_t>(tokens.size()); }
    int32_t n_inherited() const { return parent ? parent->n_tokens() : 0; }
    int32_t n_own_cells() const { return n_tokens() - n_inherited(); }
    int32_t n_ready() const { return ready ? n_tokens() : n_inherited(); }  // cells there to fork
};

struct KeyNode;

// A request on its way through the engine.
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

    size_t n_done() const;
    bool done() const { return !error.empty() || n_done() == values.size(); }
    int32_t n_prompt() const { return static_cast<int32_t>(request.prompt.size()); }
};

inline const Field & Value::field() const { return request->request.fields[index]; }

}  // namespace hpd

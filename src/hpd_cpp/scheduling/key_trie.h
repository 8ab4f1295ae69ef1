#pragma once

#include <cstddef>
#include <vector>

#include "scheduling/request.h"

namespace hpd {

// A node of a trie of the keys of several fields, in which common prefixes occur once.
//
// A node's token belongs to the sequences of all its `values`, so it costs one KV cell and one row
// of every matrix product, however many fields share it. In the `skeleton` layout field n's key
// continues field n-1's, so the same structure holds all the keys of a document in one chain.
struct KeyNode {
    Token token;
    int32_t depth;                // tokens before it in its key
    std::vector<Value *> values;  // every value whose key passes through
    std::vector<Value *> ends;    // values whose key ends here: its row gives their first token
    int32_t n_live = 0;           // the number of its values that still hold its cell
};

// Returns the nodes in preorder, so that every token comes after all that it sees.
// If `share` is false, keys share no nodes (for models that cannot couple sequences).
std::vector<KeyNode> build_key_trie(const std::vector<Value *> & values, bool share);

}  // namespace hpd

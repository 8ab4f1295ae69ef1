#include "bindings_testing_scheduling.h"

#include <pybind11/stl.h>

#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings_common.h"
#include "scheduling/cache_ops.h"
#include "scheduling/key_trie.h"
#include "scheduling/prefix_cache.h"
#include "scheduling/scheduler.h"
#include "scheduling/sequence_pool.h"

namespace hpd {

namespace {

// Returns each operation as (kind, seq, from, position).
py::list list_of(const std::vector<CacheOp> & ops) {
    py::list all;
    for (const CacheOp & op : ops) {
        const char * kind = op.kind == CacheOp::Kind::fork   ? "fork"
                            : op.kind == CacheOp::Kind::drop ? "drop"
                                                             : "trim";
        all.append(py::make_tuple(kind, op.seq, op.from, op.position));
    }
    return all;
}

// The scheduler alone, for tests that play the model and decide when each value ends.
class SchedulerForTests {
public:
    explicit SchedulerForTests(const Limits & limits) : scheduler_(limits) {}

    void submit(uint64_t id, std::vector<Token> prompt, std::vector<Field> fields, int32_t n_cached,
                bool keep_prompt) {
        auto request = std::make_unique<Request>(id, std::move(prompt), std::move(fields));
        request->n_cached = n_cached;
        request->keep_prompt = keep_prompt;
        scheduler_.submit(std::move(request));
    }

    // Returns (ops, batch, rows). An op is (kind, seq, from, position), a token of the batch
    // (token, position, seqs, output), and a row (row, request, field).
    py::tuple plan() {
        plan_ = scheduler_.plan();
        py::list batch;
        for (const BatchToken & t : plan_.batch) {
            batch.append(py::make_tuple(t.token, t.position, t.seqs, t.output));
        }
        py::list rows;
        for (const OutputRow & r : plan_.rows) {
            rows.append(py::make_tuple(r.row, r.value->request->id, r.value->index));
        }
        return py::make_tuple(list_of(plan_.ops), batch, rows);
    }

    // Appends a token for each row of the plan; `last[i]` says whether it completes the value of
    // row i.
    void commit(const std::vector<Token> & tokens, const std::vector<bool> & last) {
        scheduler_.commit();
        for (size_t i = 0; i < plan_.rows.size(); ++i) {
            Value & value = *plan_.rows[i].value;
            value.tokens.push_back(tokens.at(i));
            if (last.at(i)) {
                value.finish = Finish::complete;
                scheduler_.retire(value);
            } else {
                scheduler_.keep(value, 0);
            }
        }
        scheduler_.check();
    }

    void restart(bool shrink) {
        scheduler_.restart(shrink);
        scheduler_.check();
    }

    std::vector<std::unique_ptr<Request>> take_finished() { return scheduler_.take_finished(); }
    void forget_prompt(const std::vector<Token> & prompt) {
        scheduler_.forget_prompt(prompt);
        scheduler_.check();
    }
    void cancel(const std::set<uint64_t> & ids) {
        scheduler_.cancel(ids);
        scheduler_.check();
    }
    // Leaves the requests of the last plan without anything to decode, although they are not done.
    void empty_requests() {
        for (const OutputRow & row : plan_.rows) {
            row.value->state = Value::State::prefill;
            row.value->request->prompt.clear();
            for (Field & f : row.value->request->fields) f.key.clear();
        }
    }
    void check() const { scheduler_.check(); }
    bool wants_request() const { return scheduler_.wants_request(); }
    bool idle() const { return scheduler_.idle(); }
    int32_t n_cells_used() const { return scheduler_.n_cells_used(); }
    int32_t n_in_step() const { return scheduler_.n_in_step(); }
    uint64_t n_preempted() const { return scheduler_.n_preempted(); }

private:
    Scheduler scheduler_;
    BatchPlan plan_;
};

class SequencePoolForTests {
public:
    explicit SequencePoolForTests(int32_t n_seq) : pool_(n_seq, ops_) {}

    SeqId take() { return pool_.take(); }
    void give_back(SeqId seq) { pool_.give_back(seq); }
    void check(const std::vector<SeqId> & taken) const { pool_.check(taken); }
    int32_t n_free() const { return pool_.n_free(); }
    py::list take_ops() { return list_of(ops_.take()); }

private:
    CacheOps ops_;
    SequencePool pool_;
};

// Prefixes are identified by their sequences; -1 stands for no prefix.
class PrefixCacheForTests {
public:
    explicit PrefixCacheForTests(int32_t n_seq) : pool_(n_seq, ops_), prefixes_(pool_, ops_) {}

    SeqId find(const std::vector<Token> & prompt, int32_t n_tokens) {
        return seq_of(prefixes_.find(prompt, n_tokens));
    }
    std::tuple<SeqId, bool> find_parent(const std::vector<Token> & prompt, int32_t n_tokens,
                                        int32_t n_least) {
        const PrefixCache::Parent parent = prefixes_.find_parent(prompt, n_tokens, n_least);
        return {seq_of(parent.prefix), parent.is_coming};
    }
    SeqId add(const std::vector<Token> & prompt, int32_t n_tokens, SeqId parent) {
        return prefixes_.add(prompt, n_tokens, prefix_with(parent)).seq;
    }
    void adopt(const std::vector<Token> & prompt, SeqId seq, SeqId parent) {
        if (parent != no_seq) --n_users_[parent];
        prefixes_.adopt(prompt, seq, prefix_with(parent));
    }
    void use(SeqId seq) {
        prefixes_.use(*prefix_with(seq));
        ++n_users_[seq];
    }
    void leave(SeqId seq) {
        prefixes_.leave(*prefix_with(seq));
        --n_users_[seq];
    }
    void touch(SeqId seq) { prefixes_.touch(*prefix_with(seq)); }
    void set_ready(SeqId seq) { prefixes_.set_ready(*prefix_with(seq)); }
    void drop(SeqId seq) { prefixes_.drop(*prefix_with(seq)); }
    void forget(const std::vector<Token> & prompt) { prefixes_.forget(prompt); }
    bool evict(uint64_t n_touched_since) { return prefixes_.evict(n_touched_since); }
    SeqId take_seq() { return pool_.take(); }
    py::list take_ops() { return list_of(ops_.take()); }
    int32_t n_free_seqs() const { return pool_.n_free(); }
    int32_t n_cells() const { return prefixes_.n_cells(); }
    int32_t n_ready_cells() const { return prefixes_.n_ready_cells(); }
    size_t n_idle() const { return prefixes_.n_idle(); }

    // Returns each prefix as (seq, tokens, parent, ready).
    py::list all() const {
        py::list all;
        for (const Prefix & p : prefixes_.all()) {
            all.append(py::make_tuple(p.seq, p.tokens, seq_of(p.parent), p.ready));
        }
        return all;
    }

    void check() const {
        std::vector<SeqId> seqs;
        std::unordered_map<const Prefix *, int32_t> n_users;
        for (const Prefix & p : prefixes_.all()) {
            seqs.push_back(p.seq);
            const auto it = n_users_.find(p.seq);
            if (it != n_users_.end()) n_users[&p] = it->second;
        }
        prefixes_.check(n_users);
        pool_.check(seqs);
    }

private:
    static SeqId seq_of(const Prefix * prefix) { return prefix ? prefix->seq : no_seq; }

    Prefix * prefix_with(SeqId seq) {
        for (const Prefix & p : prefixes_.all()) {
            if (p.seq == seq) return const_cast<Prefix *>(&p);
        }
        if (seq != no_seq) throw py::value_error("no prefix has this sequence");
        return nullptr;
    }

    CacheOps ops_;
    SequencePool pool_;
    PrefixCache prefixes_;
    std::unordered_map<SeqId, int32_t> n_users_;  // without the prefixes that extend it
};

void bind_scheduler(py::module_ & m) {
    py::class_<SchedulerForTests>(m, "Scheduler")
        .def(py::init([](int32_t n_seq, int32_t n_cells, int32_t n_batch, int32_t n_in_flight,
                         bool shares_tokens, int32_t n_value_batch, int32_t n_busy_cells,
                         int32_t n_common_least) {
                 return std::make_unique<SchedulerForTests>(
                     Limits{n_seq, n_cells, n_batch, Limits().n_rows, n_value_batch, n_in_flight,
                            n_busy_cells, n_common_least, shares_tokens});
             }),
             py::kw_only(), py::arg("n_seq"), py::arg("n_cells"), py::arg("n_batch"),
             py::arg("n_in_flight"), py::arg("shares_tokens"), py::arg("n_value_batch") = 0,
             py::arg("n_busy_cells") = Limits().n_busy_cells, py::arg("n_common_least") = 16)
        .def("submit", &SchedulerForTests::submit, py::arg("id"), py::arg("prompt"),
             py::arg("fields"), py::kw_only(), py::arg("n_cached") = 0,
             py::arg("keep_prompt") = false)
        .def("plan", &SchedulerForTests::plan)
        .def("commit", &SchedulerForTests::commit, py::arg("tokens"), py::arg("last"))
        .def("restart", &SchedulerForTests::restart, py::arg("shrink"))
        .def("take_finished", &SchedulerForTests::take_finished)
        .def("forget_prompt", &SchedulerForTests::forget_prompt, py::arg("prompt"))
        .def("cancel", &SchedulerForTests::cancel, py::arg("ids"))
        .def("empty_requests", &SchedulerForTests::empty_requests)
        .def("check", &SchedulerForTests::check)
        .def_property_readonly("wants_request", &SchedulerForTests::wants_request)
        .def_property_readonly("idle", &SchedulerForTests::idle)
        .def_property_readonly("n_cells_used", &SchedulerForTests::n_cells_used)
        .def_property_readonly("n_in_step", &SchedulerForTests::n_in_step)
        .def_property_readonly("n_preempted", &SchedulerForTests::n_preempted);
}

void bind_sequence_pool(py::module_ & m) {
    py::class_<SequencePoolForTests>(m, "SequencePool")
        .def(py::init<int32_t>(), py::arg("n_seq"))
        .def("take", &SequencePoolForTests::take)
        .def("give_back", &SequencePoolForTests::give_back, py::arg("seq"))
        .def("check", &SequencePoolForTests::check, py::arg("taken"))
        .def("take_ops", &SequencePoolForTests::take_ops)
        .def_property_readonly("n_free", &SequencePoolForTests::n_free);
}

void bind_prefix_cache(py::module_ & m) {
    py::class_<PrefixCacheForTests>(m, "PrefixCache")
        .def(py::init<int32_t>(), py::arg("n_seq"))
        .def("find", &PrefixCacheForTests::find, py::arg("prompt"), py::arg("n_tokens"))
        .def("find_parent", &PrefixCacheForTests::find_parent, py::arg("prompt"),
             py::arg("n_tokens"), py::arg("n_least"))
        .def("add", &PrefixCacheForTests::add, py::arg("prompt"), py::arg("n_tokens"),
             py::arg("parent"))
        .def("adopt", &PrefixCacheForTests::adopt, py::arg("prompt"), py::arg("seq"),
             py::arg("parent"))
        .def("use", &PrefixCacheForTests::use, py::arg("seq"))
        .def("leave", &PrefixCacheForTests::leave, py::arg("seq"))
        .def("touch", &PrefixCacheForTests::touch, py::arg("seq"))
        .def("set_ready", &PrefixCacheForTests::set_ready, py::arg("seq"))
        .def("drop", &PrefixCacheForTests::drop, py::arg("seq"))
        .def("forget", &PrefixCacheForTests::forget, py::arg("prompt"))
        .def("evict", &PrefixCacheForTests::evict, py::arg("n_touched_since") = 0)
        .def("take_seq", &PrefixCacheForTests::take_seq)
        .def("take_ops", &PrefixCacheForTests::take_ops)
        .def("all", &PrefixCacheForTests::all)
        .def("check", &PrefixCacheForTests::check)
        .def_property_readonly("n_free_seqs", &PrefixCacheForTests::n_free_seqs)
        .def_property_readonly("n_cells", &PrefixCacheForTests::n_cells)
        .def_property_readonly("n_ready_cells", &PrefixCacheForTests::n_ready_cells)
        .def_property_readonly("n_idle", &PrefixCacheForTests::n_idle);
}

}  // namespace

void bind_scheduling(py::module_ & m) {
    bind_scheduler(m);
    bind_sequence_pool(m);
    bind_prefix_cache(m);
}

}  // namespace hpd

//! Every way in which a scenario can be wrong, and what is said about it. A case is a small change to a good file; the
//! snapshots hold the message of each.

mod common;

use std::fmt::Write;

use common::read;

const TREE: &str = r#"title = "A tree"
analysis = "What to notice."
seeds = [1, 2]
limits = [7, 20]
clocks = ["virtual", "wall"]
runs = 5
threads = [2]
timeout = "2m"
memory = "4GiB"
call-future-bytes = 0

[workload.tree]
branching = 5
depth = 5

[latency]
constant = "10ms"

[[fault]]
share = 0.02

[downstream]
capacity = 20
when-full = "reject"

[[variant]]
name = "one"

[[variant]]
name = "two"

[strategy.sequential-stack]
clocks = ["virtual"]

[strategy.unbounded-join-all]

[strategy.queue-workers]
expect = { outcome = "complete", visited = 3906 }

[strategy.slot-before-spawn]
limits = [20]
"#;

const STREAM: &str = r#"title = "A stream"
analysis = "What to notice."
limits = [100]

[workload.stream]
messages = 20000
payload = "200B"
arrivals.even = 72000

[latency]
constant = "50ms"

[strategy.queue-workers]
expect = { outcome = "complete" }
"#;

const BATCH: &str = r#"title = "A batch"
analysis = "What to notice."
limits = [50]

[workload.batch]
items = 2000
blocking-threads = 4

[dependency.catalogue]
latency.constant = "40ms"

[dependency.pricing]
latency.constant = "30ms"
downstream = { capacity = 50, when-full = "reject" }
limit = 50
fallback = true

[calls]
deadline = "1.9s"
attempts = 3
backoff = "50ms"

[[variant]]
name = "one"

[strategy.queue-workers]
expect = { outcome = "complete", "pricing.in-flight-peak" = 50, fresh = "items" }
"#;

/// A file with one part of it replaced, and what that part became.
struct Case(&'static str, &'static str);

fn messages(base: &str, cases: &[Case]) -> String {
    read(base).expect("the file that cases start from is good");
    let mut all = String::new();
    for Case(from, to) in cases {
        assert!(base.contains(from), "{from:?} does not stand in the file");
        let error = read(&base.replacen(from, to, 1)).expect_err(to);
        let to = if to.is_empty() { format!("without {from}") } else { (*to).to_owned() };
        writeln!(all, "{}\n    {error}\n", to.trim_end().replace('\n', "\n    ")).unwrap();
    }
    all
}

macro_rules! assert_messages {
    ($base:expr, $($from:literal => $to:literal),+ $(,)?) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(messages($base, &[$(Case($from, $to)),+]));
        })
    };
}

#[test]
fn what_is_no_toml() {
    assert_messages!(TREE,
        "title = \"A tree\"" => "title = A tree",
        "seeds = [1, 2]" => "seeds = [1, 2",
        "[latency]" => "[latency",
        "runs = 5" => "runs = 5\nruns = 6",
        "branching = 5\n" => "branching = 5 depth = 6\n",
        "constant = \"10ms\"" => "constant = \"10ms",
    );
}

#[test]
fn keys_and_types() {
    assert_messages!(TREE,
        "title = \"A tree\"\n" => "",
        "analysis = \"What to notice.\"\n" => "",
        "title = \"A tree\"" => "title = \" \"",
        "title = \"A tree\"" => "title = 5",
        "runs = 5" => "rnus = 5",
        "runs = 5" => "runs = \"5\"",
        "runs = 5" => "runs = 2.5",
        "seeds = [1, 2]" => "seeds = 1",
        "seeds = [1, 2]" => "seeds = [\"one\"]",
        "depth = 5" => "depht = 5",
        "depth = 5\n" => "",
        "share = 0.02" => "share = \"2%\"",
        "share = 0.02" => "shares = 0.02",
        "capacity = 20" => "capacity = 20\nwhen = 3",
        "capacity = 20\n" => "",
        "when-full = \"reject\"" => "when-full = \"rejct\"",
        "name = \"two\"" => "nome = \"two\"",
        "[[fault]]" => "[fault]",
        "limits = [20]\n" => "limit = [20]\n",
        "clocks = [\"virtual\"]" => "clock = \"virtual\"",
        "[strategy.queue-workers]" => "[strategies.queue-workers]",
    );
}

#[test]
fn lists_and_numbers() {
    assert_messages!(TREE,
        "seeds = [1, 2]" => "seeds = []",
        "seeds = [1, 2]" => "seeds = [1, 2, 1]",
        "seeds = [1, 2]" => "seeds = [-1]",
        "seeds = [1, 2]" => "seeds = [18446744073709551616]",
        "limits = [7, 20]" => "limits = []",
        "limits = [7, 20]" => "limits = [0, 20]",
        "limits = [7, 20]" => "limits = [7, 20, 7]",
        "limits = [7, 20]" => "limits = [-7, 20]",
        "limits = [7, 20]" => "limits = [7, 20, 4294967296]",
        "limits = [7, 20]\n" => "",
        "clocks = [\"virtual\", \"wall\"]" => "clocks = []",
        "clocks = [\"virtual\", \"wall\"]" => "clocks = [\"virtual\", \"virtual\"]",
        "clocks = [\"virtual\", \"wall\"]" => "clocks = [\"virtual\", \"wal\"]",
        "runs = 5" => "runs = 0",
        "runs = 5" => "runs = -1",
        "runs = 5" => "runs = 99999999999999999999999999999999999999999",
        "threads = [2]" => "threads = [0]",
        "threads = [2]" => "threads = [5000]",
        "threads = [2]" => "threads = [2, 2]",
        "timeout = \"2m\"" => "timeout = \"0s\"",
        "timeout = \"2m\"" => "timeout = \"-2m\"",
        "timeout = \"2m\"" => "timeout = \"400days\"",
        "timeout = \"2m\"" => "timeout = \"2\"",
        "timeout = \"2m\"" => "timeout = \"2MiB\"",
        "memory = \"4GiB\"" => "memory = \"4G\"",
        "memory = \"4GiB\"" => "memory = \"-4GiB\"",
        "memory = \"4GiB\"" => "memory = \"0B\"",
        "memory = \"4GiB\"" => "memory = \"4s\"",
        "memory = \"4GiB\"" => "memory = \"99999999999EiB\"",
        "memory = \"4GiB\"" => "memory = 4096",
        "call-future-bytes = 0" => "call-future-bytes = 100",
        "call-future-bytes = 0" => "call-future-bytes = -1024",
    );
}

#[test]
fn limits_of_the_wall_clock() {
    assert_messages!(TREE,
        "runs = 5" => "runs = 5\nwall-limits = []",
        "runs = 5" => "runs = 5\nwall-limits = [0]",
        "runs = 5" => "runs = 5\nwall-limits = [8]",
        "runs = 5" => "runs = 5\nwall-limits = [7, 7]",
        "runs = 5" => "runs = 5\nwall-limits = 7",
        "runs = 5" => "runs = 5\nwall-limits = [7]",
        "clocks = [\"virtual\", \"wall\"]" => "wall-limits = [7]",
        "visited = 3906 }" => "visited = 3906 }\nwall-limits = [7]",
    );
    assert_messages!(
        &TREE.replace("runs = 5", "wall-limits = [20]"),
        "outcome = \"complete\", visited = 3906" => "clock = \"wall\", limits = { max = 19 }, visited = 3906",
        "outcome = \"complete\", visited = 3906" => "limits = { max = 19 }, visited = \"slot-before-spawn\"",
    );
    assert_messages!(
        "title = \"Two\"\nanalysis = \"Two.\"\nclocks = [\"wall\"]\nlatency.constant = \"10ms\"\n\
         workload.chain.nodes = 9\n[strategy.sequential-stack]\n",
        "latency.constant" => "wall-limits = [7]\nlatency.constant",
    );
}

#[test]
fn axes() {
    assert_messages!(TREE, "title" => "axis = \"limits\"\ntitle");
    assert_messages!(STREAM,
        "title" => "axis = \"limit\"\ntitle",
        "title" => "axis = \"size\"\ntitle",
        "title" => "axis = \"variant\"\ntitle",
    );
}

#[test]
fn workloads() {
    assert_messages!(TREE,
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "",
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "[workload]\n",
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "workload = 5\n",
        "[workload.tree]" => "[workload.chain]\nnodes = 5\n[workload.tree]",
        "[workload.tree]" => "[workload.treee]",
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "workload.tree = 5\n",
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "[[workload]]\ntree = 5\n",
        "branching = 5" => "branching = 0",
        "branching = 5" => "branching = -5",
        "branching = 5" => "branching = 5000000000",
        "depth = 5" => "depth = -1",
        "depth = 5" => "depth = 14",
        "depth = 5" => "depth = 4294967295",
        "tree]\nbranching = 5\ndepth = 5" => "chain]\nnodes = 0",
        "tree]\nbranching = 5\ndepth = 5" => "star]\nleaves = 4294967295",
        "tree]\nbranching = 5\ndepth = 5" => "star]\nleaves = -1",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 0\nbranching.uniform = { min = 0, max = 4 }",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching.uniform = { min = 4, max = 2 }",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching.uniform = { min = 0, max = 0 }",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching.geometric = -1.0",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching.skewed = { exponent = nan, max = 3 }",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching = \"skewed\"",
        "tree]\nbranching = 5\ndepth = 5" => "random]\nnodes = 9\nbranching = {}",
        "tree]\nbranching = 5\ndepth = 5" => "listing]\npath = \"nowhere.txt\"",
        "tree]\nbranching = 5\ndepth = 5" => "listing]\npath = \"mixed-paths.txt\"",
        "tree]\nbranching = 5\ndepth = 5" => "empty]\nnodes = 0",
        "tree]\nbranching = 5\ndepth = 5" => "diamond]\nparents = 0",
        "tree]\nbranching = 5\ndepth = 5" => "diamond]\nparents = 4294967295",
        "tree]\nbranching = 5\ndepth = 5" => "cycle]\nnodes = 0",
        "tree]\nbranching = 5\ndepth = 5" => "complete]\nnodes = -6",
    );
}

#[test]
fn streams() {
    assert_messages!(STREAM,
        "messages = 20000" => "messages = -1",
        "messages = 20000" => "messages = 4294967296",
        "payload = \"200B\"" => "payload = \"-200B\"",
        "payload = \"200B\"" => "payload = \"200ms\"",
        "payload = \"200B\"" => "payload = 200",
        "payload = \"200B\"" => "payload = \"5GiB\"",
        "arrivals.even = 72000" => "arrivals.even = 0",
        "arrivals.even = 72000" => "arrivals.poisson = \"72000/s\"",
        "arrivals.even = 72000" => "arrivals = \"even\"",
        "arrivals.even = 72000" => "arrivals = \"at-ones\"",
        "arrivals.even = 72000" => "arrivals = { even = 1, poisson = 1 }",
        "arrivals.even = 72000\n" => "",
        "[latency]" => "[[fault]]\nevery = { nth = 2, depth = 3 }\n[latency]",
        "expect = {" => "expect = { visited = \"nodes\",",
    );
}

#[test]
fn latencies() {
    assert_messages!(TREE,
        "[latency]\nconstant = \"10ms\"\n" => "",
        "constant = \"10ms\"\n" => "",
        "constant = \"10ms\"" => "constant = \"10\"",
        "constant = \"10ms\"" => "constant = \"10 parsecs\"",
        "constant = \"10ms\"" => "constant = \"-10ms\"",
        "constant = \"10ms\"" => "constant = 10",
        "constant = \"10ms\"" => "constant = \"4ms\"",
        "constant = \"10ms\"" => "constant = \"99999999999999999999s\"",
        "constant = \"10ms\"" => "constnat = \"10ms\"",
        "constant = \"10ms\"" => "constant = \"10ms\"\nexponential = \"10ms\"",
        "constant = \"10ms\"" => "uniform = { min = \"20ms\", max = \"10ms\" }",
        "constant = \"10ms\"" => "uniform = { min = \"20ms\" }",
        "constant = \"10ms\"" => "uniform = { min = \"1ms\", max = \"3ms\" }",
        "constant = \"10ms\"" => "exponential = \"1us\"",
        "constant = \"10ms\"" => "log-normal = { median = \"20ms\", sigma = -1 }",
        "constant = \"10ms\"" => "log-normal = { median = \"20ms\", sigma = \"0.5\" }",
        "constant = \"10ms\"" => "log-normal = { median = \"2ms\", sigma = 0.5 }",
        "constant = \"10ms\"" => "samples.path = \"bad-latencies.txt\"",
        "constant = \"10ms\"" => "samples.path = \"empty.txt\"",
        "constant = \"10ms\"" => "samples.path = \"nowhere.txt\"",
    );
}

#[test]
fn faults_and_downstreams() {
    assert_messages!(TREE,
        "share = 0.02" => "answer = \"error\"",
        "share = 0.02" => "share = 0.02\nevery = { nth = 2 }",
        "share = 0.02" => "share = 2",
        "share = 0.02" => "share = -0.1",
        "share = 0.02" => "share = nan",
        "share = 0.02" => "share = 0.02\nanswer = \"maybe\"",
        "share = 0.02" => "share = 0.02\nanswer = 5",
        "share = 0.02" => "share = 0.02\nfirst-calls = 0",
        "share = 0.02" => "share = 0.02\nfirst-calls = \"2\"",
        "share = 0.02" => "every = 50",
        "share = 0.02" => "every = { nth = 0 }",
        "share = 0.02" => "every = { nth = 2, depth = -1 }",
        "share = 0.02" => "every = { depth = 3 }",
        "capacity = 20" => "capacity = 0",
        "capacity = 20" => "capacity = \"20\"",
        "capacity = 20" => "capacity = 20\nper-second = 0",
    );
}

#[test]
fn walks() {
    assert_messages!(TREE,
        "runs = 5" => "runs = 5\nwalk = 5",
        "[[variant]]" => "[walk]\norder = \"fifo\"\n[[variant]]",
        "[[variant]]" => "[walk]\nordre = \"last-in-first-out\"\n[[variant]]",
        "[[variant]]" => "[walk]\ndepth = -1\n[[variant]]",
        "[[variant]]" => "[walk]\nnodes = \"100\"\n[[variant]]",
        "[[variant]]" => "[walk]\nnodes = 4294967296\n[[variant]]",
        "[[variant]]" => "[walk]\nfrontier = 0\n[[variant]]",
        "[[variant]]" => "[walk]\ndeadline = \"0s\"\n[[variant]]",
        "[[variant]]" => "[walk]\ndeadline = 300\n[[variant]]",
        "[[variant]]" => "[walk]\ncall-deadline = \"1\"\n[[variant]]",
        "[[variant]]" => "[walk]\nseen = \"path\"\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = 3\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = { attempts = 3 }\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = { attempts = 0, backoff = \"50ms\" }\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = { attempts = 3, backoff = \"50\" }\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = { attempts = 3, backoff = \"50ms\", longest = \"400days\" }\n[[variant]]",
        "[[variant]]" => "[walk]\nretry = { attempts = 3, backoff = \"50ms\", jitter = 0.5 }\n[[variant]]",
        "name = \"two\"" => "name = \"two\"\nwalk.depth = -1",
        "name = \"two\"" => "name = \"two\"\nworkload.cycle.nodes = 3\nwalk.retry = { attempts = 3, backoff = \"1s\" }",
    );
    let nobody =
        TREE.replace("[strategy.queue-workers]\nexpect = { outcome = \"complete\", visited = 3906 }\n", "");
    assert_messages!(&nobody, "[strategy.slot-before-spawn]\nlimits = [20]\n" => "[walk]\ndepth = 3\n");
    assert_messages!(STREAM, "[latency]" => "[walk]\ndepth = 3\n[latency]");
}

#[test]
fn shutdowns() {
    assert_messages!(STREAM,
        "[latency]" => "[shutdown]\nat = \"278ms\"\n[latency]",
        "[latency]" => "[shutdown]\nat = 278\ndrain = \"0ms\"\n[latency]",
        "[latency]" => "[shutdown]\nat = \"278\"\ndrain = \"0ms\"\n[latency]",
        "[latency]" => "[shutdown]\nat = \"278ms\"\ndrain = \"-1s\"\n[latency]",
        "[latency]" => "[shutdown]\nat = \"278ms\"\nafter = \"1s\"\n[latency]",
    );
    assert_messages!(TREE, "[downstream]" => "[shutdown]\nat = \"1s\"\ndrain = \"1s\"\n[downstream]");
}

#[test]
fn variants() {
    assert_messages!(TREE,
        "name = \"two\"" => "name = \"one\"",
        "name = \"two\"" => "name = \"\"",
        "name = \"two\"" => "name = \"200 B\"",
        "name = \"two\"\n" => "",
        "name = \"two\"" => "name = \"two\"\nworkload.chain.nodes = 0",
        "name = \"two\"" => "name = \"two\"\nworkload.stream = { messages = 1, payload = \"1B\", arrivals = \"at-once\" }",
        "name = \"two\"" => "name = \"two\"\nlatency.constant = \"1ms\"",
        "name = \"two\"" => "name = \"two\"\nlimits = [1]",
    );
    assert_messages!(TREE,
        "[workload.tree]\nbranching = 5\ndepth = 5\n" => "",
        "[latency]\nconstant = \"10ms\"\n" => "",
    );
}

#[test]
fn strategies() {
    assert_messages!(TREE,
        "[strategy.queue-workers]" => "[strategy.queue-worker]",
        "[strategy.queue-workers]" => "[strategy.breadth-first]",
        "[strategy.sequential-stack]\nclocks" => "[strategy.sequential-stack]\nlimits = [20]\nclocks",
        "limits = [20]\n" => "limits = [21]\n",
        "limits = [20]\n" => "limits = [0]\n",
        "limits = [20]\n" => "limits = []\n",
        "limits = [20]\n" => "variants = [\"three\"]\n",
        "limits = [20]\n" => "variants = []\n",
        "limits = [20]\n" => "variants = [\"one\", \"one\"]\n",
        "limits = [20]\n" => "variants = \"one\"\n",
        "limits = [20]\n" => "variants = [\"one\"]\nexpect = { variant = \"two\", visited = 1 }\n",
        "limits = [20]\n" => "runs = 6\n",
        "limits = [20]\n" => "runs = 0\n",
        "limits = [20]\n" => "clocks = []\n",
        "limits = [20]\n" => "published = { wal = \"2.13s\" }\n",
        "limits = [20]\n" => "published = { wall = 2.13 }\n",
        "limits = [20]\n" => "published = { wall = 2 }\n",
        "limits = [20]\n" => "published = { wall = \"0.2MiB\" }\n",
        "limits = [20]\n" => "published = { visited = -1 }\n",
        "limits = [20]\n" => "published = { visited = \"nodes\" }\n",
        "limits = [20]\n" => "published = {}\n",
        "limits = [20]\n" => "published = 5\n",
        "limits = [20]\n" => "published = { limits = { min = 21 }, visited = 1 }\n",
        "limits = [20]\n" => "published = [{ variant = \"tow\", visited = 1 }]\n",
    );
    assert_messages!(STREAM,
        "[strategy.queue-workers]" => "[strategy.semaphore-across-recursion]",
        "[strategy.queue-workers]\nexpect = { outcome = \"complete\" }\n" => "",
        "[strategy.queue-workers]" => "[strategy.queue-workers]\nvariants = [\"one\"]",
        "limits = [100]\n" => "",
        "[strategy.queue-workers]" => "[strategy.queue-workers]\nclocks = [\"wall\"]",
    );
}

#[test]
fn selectors_of_expectations() {
    assert_messages!(TREE,
        "visited = 3906" => "clock = \"wal\"",
        "visited = 3906" => "limits = { min = 8, max = 19 }",
        "visited = 3906" => "limits = {}",
        "visited = 3906" => "limits = { min = 0 }",
        "visited = 3906" => "limits = 20",
        "visited = 3906" => "variant = \"tow\"",
        "visited = 3906" => "seed = 3",
        "visited = 3906" => "seed = -3",
        "visited = 3906" => "threads = 1",
        "visited = 3906" => "clock = \"wall\", threads = 7",
        "visited = 3906" => "clock = \"wall\", threads = 0",
        "outcome = \"complete\", visited = 3906" => "seed = 1",
        "outcome = \"complete\"" => "outcome = \"completed\"",
        "{ outcome = \"complete\", visited = 3906 }" => "[{ visited = 3906 }, { visted = 3906 }]",
        "{ outcome = \"complete\", visited = 3906 }" => "\"complete\"",
        "clocks = [\"virtual\"]" => "clocks = [\"virtual\"]\nexpect = { clock = \"wall\", visited = 3906 }",
        "clocks = [\"virtual\"]" => "clocks = [\"wall\"]\nexpect = { visited = 3906 }",
        "clocks = [\"virtual\"]" => "expect = { limits = { min = 7 }, visited = 3906 }",
    );
    assert_messages!(STREAM, "outcome = \"complete\"" => "visited = 20000, variant = \"one\"");
}

#[test]
fn values_of_expectations() {
    assert_messages!(TREE,
        "visited = 3906" => "visted = 3906",
        "visited = 3906" => "visited = -1",
        "visited = 3906" => "visited = 3906.5",
        "visited = 3906" => "visited = true",
        "visited = 3906" => "visited = {}",
        "visited = 3906" => "visited = { least = 3906 }",
        "visited = 3906" => "visited = { min = 2, max = 1 }",
        "visited = 3906" => "visited = { min = { max = 1 } }",
        "visited = 3906" => "visited = \"\"",
        "visited = 3906" => "visited = \"limit +\"",
        "visited = 3906" => "visited = \"2 limit\"",
        "visited = 3906" => "visited = \"limit+1\"",
        "visited = 3906" => "visited = \"2 * lmit\"",
        "visited = 3906" => "visited = \"2 * * limit\"",
        "visited = 3906" => "visited = { max = \"1 + workers\" }",
        "visited = 3906" => "visited = \"20ms\"",
        "visited = 3906" => "virtual = 20",
        "visited = 3906" => "virtual = \"1.97sec + 20\"",
        "visited = 3906" => "virtual = \"1.97x\"",
        "visited = 3906" => "virtual = \"0.2MiB\"",
        "visited = 3906" => "heap-peak = \"latency * heap-peak\"",
        "visited = 3906" => "heap-peak = \"0.2ms\"",
        "visited = 3906" => "wall = \"2s\"",
        "visited = 3906" => "clock = \"wall\", heap-peak = \"0.2MiB\"",
        "visited = 3906" => "virtual = \"wall\"",
        "visited = 3906" => "visited = \"visited\"",
        "visited = 3906" => "visited = \"queue-workers\"",
        "visited = 3906" => "visited = \"messages\"",
        "visited = 3906" => "visited = \"slot-before-spawn\"",
        "visited = 3906" => "visited = \"semaphore-around-fetch\"",
        "visited = 3906" => "clock = \"wall\", visited = \"sequential-stack\"",
        "clocks = [\"virtual\"]" => "variants = [\"one\"]\n[strategy.semaphore-around-fetch]\n\
            expect.visited = \"sequential-stack\"",
        "clocks = [\"virtual\"]" => "expect.visited = \"limit\"",
        "clocks = [\"virtual\"]" => "expect.visited = \"queue-workers\"",
        "clocks = [\"virtual\"]" => "clocks = [\"wall\"]\nexpect = { clock = \"wall\", wall = \"virtual\" }",
    );
}

#[test]
fn batches() {
    assert_messages!(BATCH,
        "items = 2000" => "items = -1",
        "blocking-threads = 4" => "blocking-threads = 0",
        "[dependency.catalogue]\nlatency.constant = \"40ms\"\n" => "[dependency.catalogue]\n",
        "[dependency.catalogue]" => "[dependency.\"cata logue\"]",
        "limit = 50\n" => "limits = 50\n",
        "limit = 50\n" => "limit = 0\n",
        "limit = 50\n" => "call = \"blocking\"\n",
        "limit = 50\n" => "call = \"sleeping\"\n",
        "limit = 50\n" => "fault = [{ every = { nth = 2, depth = 3 } }]\n",
        "deadline = \"1.9s\"\n" => "",
        "deadline = \"1.9s\"\nattempts = 3\n" => "deadline = \"1.9s\"\n",
        "deadline = \"1.9s\"\nattempts = 3\nbackoff = \"50ms\"\n" => "",
        "attempts = 3" => "attempts = 0",
        "limits = [50]" => "limits = [50]\ncall-future-bytes = 1024",
        "limits = [50]" => "limits = [50]\ndownstream = { capacity = 1, when-full = \"queue\" }",
        "limits = [50]" => "limits = [50]\nwalk = { depth = 1 }",
        "limits = [50]" => "limits = [50]\nshutdown = { at = \"1s\", drain = \"1s\" }",
        "name = \"one\"" => "name = \"one\"\nfault = [{ share = 0.5 }]",
        "pricing.in-flight-peak" => "prices.in-flight-peak",
        "pricing.in-flight-peak" => "pricing.heap-peak",
        "fresh = \"items\"" => "fresh = \"nodes\"",
        "fresh = \"items\"" => "virtual = \"latency\"",
    );
}

#[test]
fn what_only_batches_have() {
    assert_messages!(STREAM,
        "[latency]" => "[dependency.pricing]\n[latency]",
        "[latency]" => "[calls]\ndeadline = \"1s\"\n[latency]",
        "outcome = \"complete\"" => "\"pricing.calls\" = 1",
    );
    assert_messages!(TREE,
        "[latency]" => "[dependency.pricing]\n[latency]",
        "[latency]" => "[calls]\ndeadline = \"1s\"\n[latency]",
    );
    let without =
        "[workload.batch]\nitems = 1\n[latency]\nconstant = \"10ms\"\n[strategy.sequential-stack]\n";
    let text = format!("title = \"t\"\nanalysis = \"a\"\n{without}");
    let error = read(&text).expect_err("nothing to call");
    assert!(error.to_string().ends_with("add a table such as `[dependency.pricing]`"), "{error}");
}

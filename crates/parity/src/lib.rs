//! Plimsoll held against the real `spin`, model by model: a tool of the tests, no part of the product.
//!
//! [`spin`] runs SPIN, gcc and the verifier that they make; [`mod@reference`] explores a model in the plainest way over the step
//! semantics. [`automata`] compares control flow, [`graph`] compares whole state graphs, [`steps`]
//! follows random runs, [`output`] compares what deterministic ones print, [`cycles`] and [`formulas`] compare verdicts about infinite ones, [`engines`] asks `search` the same,
//! [`fair_reference`] decides formulas and progress under fairness in the slowest way. [`generate`]
//! makes random models, [`campaign`] compares many of them, [`soundness`] holds the portfolio's proofs against plain
//! exploration ([`explored`]), [`occupancy`] proved bounds against
//! searched ones, [`dependencies`] the route over cycles, and [`shrink`] makes small ones of those that differ.
//! [`trails`] has counterexamples replayed both ways, [`verdicts`] compares what the whole portfolio says, [`capacities`] what is proved for every capacity, [`fair_progress`] what is said of progress of fair runs,
//! [`together`] searches on disk and by several processes with the one in memory.
//!
//! What is compared is SPIN's verifier without statement merging and without reduction (`spin -o3`, `-DNOREDUCE`): that is the
//! semantics; the rest are optimisations.

pub mod alone;
pub mod automata;
pub mod campaign;
pub mod capacities;
pub mod cycles;
pub mod dependencies;
pub mod engines;
pub mod everything;
pub mod explored;
pub mod fair_progress;
pub mod fair_reference;
pub mod formulas;
pub mod generate;
pub mod graph;
pub mod input;
pub mod occupancy;
pub mod output;
pub mod plain;
pub mod random;
pub mod reference;
pub mod shrink;
pub mod soundness;
pub mod spin;
pub mod steps;
pub mod together;
pub mod trails;
pub mod verdicts;

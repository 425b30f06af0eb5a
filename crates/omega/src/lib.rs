//! LTL formulas and Büchi automata over opaque propositions.

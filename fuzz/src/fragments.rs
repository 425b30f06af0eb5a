//! Words and phrases that mean something to the preprocessor or the parser, alone or together.

use crate::random::Random;

/// Any of them.
pub fn fragment(random: &mut Random) -> &'static str {
    FRAGMENTS[random.below(FRAGMENTS.len())]
}

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "active", "assert", "atomic", "bit", "bool", "break", "byte", "c_code", "c_expr", "chan", "D_proctype",
    "d_step", "do", "else", "empty", "enabled", "eval", "fi", "for", "full", "get_priority", "goto",
    "hidden", "if", "in", "init", "inline", "int", "len", "local", "ltl", "mtype", "nempty", "never",
    "nfull", "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm", "priority", "proctype",
    "provided", "return", "run", "select", "set_priority", "short", "show", "skip", "timeout", "trace",
    "typedef", "unless", "unsigned", "until", "xr", "xs", "true", "false", "U", "V", "W", "X", "always",
    "(", ")", "[", "]", "{", "}", ",", ";", ":", "::", ".", "..", "...", "@", "=", "==", "!=", "<", "<=",
    ">", ">=", "<<", ">>", "+", "++", "-", "--", "->", "-->", "<->", "*", "/", "%", "~", "^", "&", "&&",
    "|", "||", "!", "!!", "?", "??", "[]", "<>", "/\\", "\\/", "*/", "/*", "//", "'", "\"", "#", "##",
    "\\\n", "\n", " ", "\t", "\r\n", "$", "`", "é", "\u{0}", "\\", "0", "1", "2", "255", "256",
    "2147483647", "2147483648", "4294967296", "99999999999999999999", "0x1F", "010", "1fi", "'a'", "'\\n'",
    "\"%d %e\\n\"", "_", "_pid", "_nr_pr", "_last", "_priority", "a", "b", "c", "x", "P", "Q", "N", "M",
    "msg", "\n#define M ", "\n#define F(x) ", "\n#define G(x,y) x##y #x ",
    "\n#define V(a,...) a,##__VA_ARGS__ ", "\n#undef M\n", "\n#if ", "\n#ifdef M\n", "\n#ifndef F\n",
    "\n#elif ", "\n#else\n", "\n#endif\n", "\n#include \"a\"\n", "\n#line 3 \"q\"\n", "\n#error e\n",
    "\n# 7 \"f\" 2\n", "\n#pragma once\n", "defined(M)", "__LINE__", "__FILE__", "__COUNTER__", "F(",
    "G(a,b)", "chan q = [2] of { byte, mtype };\n", "mtype = { one, two };\n",
    "mtype:fruit = { apple };\n", "typedef T { byte f[2]; chan c };\n", "T t;\n", "byte a[3] = 1;\n",
    "unsigned u : 3 = 5;\n", "inline I(p, q) { p = q; L: skip }\n", "I(x, 1);\n", "I(I(1,2),3)\n",
    "active [2] proctype P(byte n) provided (x > 0) priority 2 {\n", "proctype Q(chan c; int i) {\n",
    "init {\n", "run P(1);\n", "q!one,1;\n", "q?two(x);\n", "q??<eval(x),_>;\n", "q!!1;\n", "q?[one];\n",
    "do\n:: ", "\n:: else -> ", " od;\n", "if\n:: ", " fi;\n", "for (i : 1 .. 3) {\n", "for (i in a) {\n",
    "select (i : 0 .. N);\n", "goto L;\nL: ", "end_1: ", "accept_x: ", "progress: ", "atomic {\n",
    "d_step {\n", "} unless {\n", "(x -> 1 : 2)", "P[0]@L", "P:x", "P[1]:a[0]", "never {\n", "trace {\n",
    "ltl p { [] (x -> <> !y) }\n", "ltl { (a U b) }\n", "t.f[1]", "t.c", "len(q)", "timeout",
    "c_code { x++; }\n", "\"unclosed\n",
];

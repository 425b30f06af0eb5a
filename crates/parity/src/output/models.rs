//! Random models whose run is determined: one process moves at a time, and it prints everything that it touches.
//!
//! SPIN's simulator, which prints, and its verifier, which we follow, disagree in two points, and the models keep away from them: the
//! simulator cuts an element of an array of bits to one bit, and `!!` looks for the place of a value after it was cut.

use std::fmt::Write;
use system::simulate::Dice;

/// Scalars and elements that can be read and written: the name, and whether indices are computed.
const PLACES: [&str; 14] = [
    "b",
    "s",
    "i",
    "t",
    "o",
    "u",
    "p",
    "a[x]",
    "h[(b & 3) % 3]",
    "r.f",
    "r.n",
    "r.g[1]",
    "w[1].g[b & 1]",
    "x",
];

/// What is printed after each statement, so that nothing stays unseen.
const EVERYTHING: &str = "printf(\"%d %d %d %d %d %u %d|%d %d %d|%d %d %d|%d %d %d %d %x %o|%e %d\\n\", \
    b, s, i, t, o, u, p, a[0], a[1], a[2], h[0], h[1], h[2], r.f, r.n, r.g[0], w[1].g[1], b, s & 511, m, len(q))";

/// The model with this number.
pub fn model(seed: u64) -> String {
    let mut writer = Writer { dice: Dice::new(seed), text: String::new(), depth: 0, labels: 0 };
    writer.model();
    writer.text
}

struct Writer {
    dice: Dice,
    text: String,
    depth: usize,
    labels: usize,
}

impl Writer {
    fn model(&mut self) {
        let (byte, short, int) = (self.dice.roll(256), self.dice.roll(60_000), self.dice.roll(1 << 31));
        let short = short as i64 - 30_000;
        let int = int as i64 - (1 << 30);
        let _ = write!(
            self.text,
            "mtype = {{ red, green, blue }};\nmtype : fruit = {{ apple, pear }};\n\
             typedef R {{ bit f; short n; byte g[2] }};\n\
             byte b = {byte}; short s = {short}; int i = {int}; bit t; bool o = true; unsigned u : 5 = 9; pid p; byte x;\n\
             int a[4] = 3; byte h[3]; R r; R w[2]; mtype m = green; mtype : fruit k = pear;\n\
             chan q = [3] of {{ byte, mtype, short }}; chan z = [0] of {{ int, byte }}; chan v;\n\
             inline swap(one, other, through) {{ through = one; one = other; other = through }}\n\
             inline tell() {{ {EVERYTHING} }}\n\
             proctype helper(byte n; mtype c; chan from) {{\n  int l = n * 1000; byte y; short d[2] = -1;\n"
        );
        self.text.push_str("  printf(\"helper %d %e %d %d\\n\", n, c, l, d[1]);\n");
        self.text
            .push_str("  if :: n == 1 -> z!l - 7,n; z?l,y :: n == 2 -> from!n,c,l :: else -> skip fi;\n");
        self.text.push_str(
            "  d[n & 1] = l; l = l * l; printf(\"helper %d %d %d %d %d\\n\", _pid, l, y, d[0], d[1])\n}\n",
        );
        self.text.push_str("init {\n  int j; byte c;\n");
        for _ in 0..12 + self.dice.roll(12) {
            self.statement();
        }
        self.text.push_str("  printf(\"end %d %d %e\\n\", _nr_pr, len(q), k);\n  printm(m); printf(\"\\n\")");
        // Some models read every variable elsewhere than in a `printf`, some do not: nobody may see the difference.
        if self.dice.roll(2) == 0 {
            self.text.push_str(
                ";\n  (b + s + i + t + o + u + p + a[0] + h[0] + r.f + r.n + r.g[0] + m + k != 7 || true)",
            );
        }
        self.text.push_str("\n}\n");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {}{text};", "  ".repeat(self.depth));
    }

    fn open(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {}{text}", "  ".repeat(self.depth));
    }

    /// A statement, and what the variables are then.
    fn statement(&mut self) {
        self.keep_index();
        match self.dice.roll(15) {
            0..=4 => self.assignment(),
            5 => self.choice(),
            6 => self.counted_loop(),
            7 => self.together(),
            8 | 9 => self.messages(),
            10 => self.process(),
            11 => self.line("swap(b, x, s)"),
            12 => self.jump(),
            13 => self.names(),
            _ => self.conditional(),
        }
        self.line("tell()");
    }

    /// `x` is the index of `a`.
    fn keep_index(&mut self) {
        self.line("x = x & 3");
    }

    fn place(&mut self) -> &'static str {
        PLACES[self.dice.roll(PLACES.len())]
    }

    fn assignment(&mut self) {
        let place = self.place();
        let text = match self.dice.roll(5) {
            0 => format!("{place}++"),
            1 => format!("{place}--"),
            _ => format!("{place} = {}", self.expression(3)),
        };
        self.line(&text);
        self.keep_index();
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.roll(4) {
                0 => self.dice.roll(70_000).to_string(),
                1 => format!("len(q) - {}", self.dice.roll(5)),
                _ => self.place().to_string(),
            };
        }
        let left = self.expression(depth - 1);
        let less = self.dice.roll(depth);
        let right = self.expression(less);
        match self.dice.roll(16) {
            0 | 1 => format!("({left} + {right})"),
            2 => format!("({left} - {right})"),
            3 => format!("({left} * {right})"),
            4 => format!("({left} / (({right} & 7) + 1))"),
            5 => format!("({left} % (({right} & 15) + 1))"),
            6 => format!("({left} & {right})"),
            7 => format!("({left} | {right})"),
            8 => format!("({left} ^ {right})"),
            9 => format!("({left} << ({right} & 7))"),
            10 => format!("({left} >> ({right} & 7))"),
            11 => format!("(-{left})"),
            12 => format!("(~{left})"),
            13 => format!("({left} < {right})"),
            14 => format!("({left} == {right} || !({left} != 3) && {right} >= 1)"),
            _ => format!("({left} > {right} -> {right} : {left})"),
        }
    }

    fn choice(&mut self) {
        let condition = self.expression(1);
        self.open("if");
        self.open(&format!(":: {condition} ->"));
        self.inside();
        self.open(":: else ->");
        self.inside();
        self.line("fi");
    }

    fn inside(&mut self) {
        self.depth += 1;
        if self.depth < 3 && self.dice.roll(3) == 0 {
            self.statement();
        } else {
            self.assignment();
        }
        self.depth -= 1;
    }

    fn counted_loop(&mut self) {
        match self.dice.roll(3) {
            0 => {
                let last = self.dice.roll(4);
                self.open(&format!("for (j : 0 .. {last}) {{ a[j] = a[j] + j; printf(\"%d\\n\", a[j]) }}"));
            }
            1 => self.open("for (j in h) { h[j] = h[j] + j; printf(\"%d %d\\n\", j, h[j]) }"),
            _ => {
                self.line("j = 0");
                self.open("do :: j < 3 ->");
                self.inside();
                self.line("j++");
                self.line(":: else -> break od");
            }
        }
    }

    fn together(&mut self) {
        let word = if self.dice.roll(2) == 0 { "atomic" } else { "d_step" };
        self.open(&format!("{word} {{"));
        self.depth += 1;
        for _ in 0..2 + self.dice.roll(3) {
            self.assignment();
        }
        self.line("if :: s > 0 -> s = s - b :: else -> s = s + 1 fi");
        self.line("printf(\"together %d\\n\", s)");
        self.depth -= 1;
        self.line("}");
    }

    fn messages(&mut self) {
        let value = self.expression(1);
        match self.dice.roll(6) {
            0 => self.line(&format!("if :: nfull(q) -> q!{value},blue,{value} :: full(q) -> skip fi")),
            1 => self.line(&format!("if :: nfull(q) -> q!!({value}) & 255,red,s :: full(q) -> skip fi")),
            2 => self.line("if :: nempty(q) -> q?c,m,s :: empty(q) -> skip fi"),
            3 => self.line("if :: q??[_,blue,_] -> q??c,blue,s :: else -> skip fi"),
            4 => self.line(
                "if :: nempty(q) -> q?<c,m,j>; printf(\"%d %e %d\\n\", c, m, j) :: empty(q) -> skip fi",
            ),
            _ => self.line("if :: q?[eval(b),_,_] -> b = 77 :: else -> v = q; printf(\"%d\\n\", v == q) fi"),
        }
    }

    /// Another process, which the first one waits for.
    fn process(&mut self) {
        match self.dice.roll(3) {
            0 => {
                self.line("p = run helper(0, red, q); (_nr_pr == 1)");
            }
            1 => {
                self.line("run helper(1, blue, q)");
                self.line("z?i,c; printf(\"%d %d\\n\", i, c)");
                self.line("z!i + 1,c; (_nr_pr == 1)");
            }
            _ => {
                self.line("if :: nfull(q) -> run helper(2, green, q); (_nr_pr == 1) :: full(q) -> skip fi");
            }
        }
    }

    fn jump(&mut self) {
        self.labels += 1;
        let label = format!("L{}", self.labels);
        self.line(&format!("if :: b > 100 -> goto {label} :: else -> skip fi"));
        self.assignment();
        self.open(&format!("{label}:"));
        self.line("{ i = i + 1; i = i * 3 } unless { b == 255 -> b = 1 }");
    }

    fn names(&mut self) {
        match self.dice.roll(4) {
            0 => self.line("m = blue; printm(m); printf(\"\\n\")"),
            1 => self.line("k = apple; printf(\"%e\\n\", k)"),
            2 => {
                self.line("m = (m == red -> green : red); printf(\"a\\tb %c %e 100%%\\n\", 65 + (b & 7), m)")
            }
            _ => self.line("printm(red); printf(\" %e %x %o %u\\n\", green, 255, 8, b)"),
        }
    }

    fn conditional(&mut self) {
        let (condition, place) = (self.expression(1), self.place());
        let (one, other) = (self.dice.roll(300), self.dice.roll(9));
        self.line(&format!("{place} = ({condition} -> {one} : {other})"));
        self.keep_index();
    }
}

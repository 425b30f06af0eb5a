//! A text that is read again after an edit means what it means when it is read for the first time.

use promela::again::{Memory, read_again};
use promela::diagnostic::Diagnostic;
use promela::model::Model;
use promela::source::{SourceMap, Span};
use promela::{IncludeLoader, Options, interrupt, read};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

struct OneFile;

impl IncludeLoader for OneFile {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        match name {
            "common.h" => Ok((name.into(), COMMON.into())),
            _ => Err("there is no such file".into()),
        }
    }
}

const COMMON: &str = "#define LIMIT 10\nmtype = { req, ack };\nbyte total, unused;\n\
    inline bump(what, by) { atomic { what = what + by; total = total + 1 } }\n\
    inline pick(v) { if :: v < LIMIT -> v++ :: else -> v = 0 fi }\ninline idle() { skip }\n";

/// Everything that makes bodies depend on each other, and bodies that cannot be left out.
const MODEL: &str = "#include \"common.h\"\n#define next(v) ((v + 1) % LIMIT)\n#define TWICE(x) x; x\n#define BODY { skip }\n\
typedef Pair { byte left; chan c }\nchan c = [2] of { mtype, byte };\nchan d = [1] of { byte };\nint g;\n\
proctype P(byte id; chan e) {\n\tbyte x, y;\n\tdo\n\t:: c!req, x; x = next(x); e = d\n\t:: c?ack, y -> pick(y)\n\
\t:: x > LIMIT -> break\n\tod;\nagain:\n\td_step { x = (x + y) % 7; y = id };\n\tif\n\t:: x == 3 -> bump(x, y); goto again\n\t:: else\n\tfi\n}\n\
proctype Q() {\n#ifdef LIMIT\n\tg = LIMIT;\n#endif\n\tTWICE(g++);\n\tprintf(\"%d\\n\", g)\n}\n\
active proctype R() BODY\nTWICE(hidden byte h)\nactive [2] proctype S() provided (g < 3) {\n\tPair p;\n\tp.c = c; p.left = len(c);\n\
there:\tskip; xr d;\n\tfor (g : 1 .. 3) { d!g, 1 }\n\tatomic { run P(g, c); run Q() } unless { g > 2 }\n}\n\
never { do :: S@there -> skip :: else od }\ninit { pick(g); idle(); assert(g >= 0) }\nltl a { [] (P@again -> <> (g > 0)) }\n";

/// Bodies that do something to what those behind them see, and that look into each other.
const NEIGHBOURS: &str = "#include \"common.h\"\n#define HELLO(c) c!1; c!2\n#define FREE (len(q) == 0)\n\
mtype:fruit = { apple, pear };\nmtype:tool = { saw };\ntypedef Box { byte inside[2]; bit open }\nint any;\nchan q = [2] of { byte };\n\
active proctype A() {\n\tmtype:fruit f = apple;\n\tchan own = [1] of { byte };\n\tany = apple;\n\t_ = 3;\n\txr q;\nthere:\n\tq?any;\n\
\tif :: q?any -> skip :: else -> own!any fi\n}\nbyte late;\nactive proctype B(byte id) {\n\tmtype:colour c;\n\tchan own = [1] of { byte, byte };\n\
\tBox box;\n\tany = saw;\n\tHELLO(q);\n\tbox.inside[1] = id;\n\town!1, 2;\n\tbump(any, late)\n}\n\
active proctype C() {\n\tbyte x;\n\tA@there; (B:id == 3);\n\t_ = 1;\n\tif :: FREE -> x = 300 :: else -> any = pear fi;\n\
\tgoto done;\n\tx = 1;\ndone:\tskip\n}\nactive proctype D(chan in) {\n\tchan t = q;\n\tq = in;\n\tq!1, 2;\n\trun B(1);\n\tpick(any)\n}\n\
trace { do :: q!_ :: q?1 od }\nltl free { [] (FREE && C:x < 3) }\ninit { run D(q); late = 1 }\n";

/// What changes a macro, a label, a declaration, an effect.
const NEIGHBOURLY: [&str; 24] = [
    "#define FREE (any)\n",
    "#undef FREE\n",
    "#define LIMIT 3\n",
    "there:\n",
    "done: skip;\n",
    "byte x;\n",
    "byte other;\n",
    "byte any;\n",
    "mtype:tool t;\n",
    "any = saw;\n",
    "any = pear;\n",
    "_ = any;\n",
    "xr q;\n",
    "xs q;\n",
    "q = own;\n",
    "chan extra = [3] of { byte };\n",
    "C@done;\n",
    "(D:t == 1);\n",
    "timeout;\n",
    "typedef Bag { byte b }\n",
    "mtype = { blue };\n",
    "inline idler(z) { z = 1 }\n",
    "amy = nay;\n",
    "x #y\n",
];

const TYPED: [&str; 24] = [
    "x",
    " ",
    ";",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "=",
    "\n",
    "#",
    "/*",
    "::",
    "y = g;\n",
    "skip;",
    "'",
    "//",
    "d?x;",
    "goto again;",
    "bump(g, 1);",
    "byte z;",
    "ltl { g }",
    "h = unused;",
    "__LINE__",
];

/// Everything that is said, with places as a reader sees them: the numbers of expansions may differ.
fn said(model: &Model, diagnostics: &[Diagnostic]) -> Vec<String> {
    let sources = &model.sources;
    let at = |span: Span| {
        let chain: Vec<_> = sources
            .expansion_chain(span)
            .into_iter()
            .map(|e| (e.name.clone(), place(sources, e.used_at)))
            .collect();
        format!("{:?} through {chain:?}", place(sources, span))
    };
    let line = |d: &Diagnostic| {
        let related: Vec<_> = d.related.iter().map(|label| (at(label.span), &label.message)).collect();
        let fix = d.fix.as_ref().map(|fix| (at(fix.span), &fix.text));
        format!(
            "{} {:?} {} {} {:?} {related:?} {:?} {fix:?}",
            d.code,
            d.severity,
            d.message,
            at(d.span),
            d.label,
            d.help
        )
    };
    diagnostics.iter().map(line).collect()
}

fn place(sources: &SourceMap, span: Span) -> (u32, u32, u32, u32) {
    let visible = sources.visible_span(span);
    (visible.file.0, visible.start, visible.end, sources.line(visible))
}

/// Without the numbers of expansions.
fn meaning(model: &Model) -> String {
    let model = Model { sources: SourceMap::default(), ..model.clone() };
    let text = format!("{model:?}");
    let mut parts = text.split("ExpansionId(");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

fn agree(name: &str, text: &str, memory: &mut Memory) {
    let options = Options::default();
    let (first, found) = read(name, text, &options, &OneFile);
    let (again, found_again) = read_again(name, text, &options, &OneFile, memory);
    assert_eq!(said(&again, &found_again), said(&first, &found), "of\n{text}");
    assert!(meaning(&again) == meaning(&first), "it means something else when it is read again:\n{text}");
    let mentions = |model: &Model| model.sources.mentions().iter().copied().collect::<BTreeSet<_>>();
    let missing: Vec<_> = mentions(&first).difference(&mentions(&again)).copied().collect();
    assert!(missing.is_empty(), "{missing:?} are not mentioned any more in\n{text}");
    assert!(
        again.sources.mentions().len() <= 2 * first.sources.mentions().len() + 100,
        "what is mentioned grows with every edit"
    );
}

#[test]
fn after_any_edit_it_means_what_it_means_when_read_for_the_first_time() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(models).expect("models").flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut texts = vec![
        ("model.pml".to_string(), MODEL.to_string()),
        ("neighbours.pml".to_string(), NEIGHBOURS.to_string()),
    ];
    texts.extend(
        paths
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "pml"))
            .map(|path| (path.display().to_string(), std::fs::read_to_string(path).expect("text"))),
    );
    let mut seed = 17_u64;
    let mut roll = |sides: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % sides
    };
    for (index, (name, original)) in texts.iter().enumerate() {
        let mut memory = Memory::default();
        let edits = if index < 2 { 600 } else { 12 };
        let mut text = original.clone();
        for _ in 0..edits {
            // Broken texts are mended again, or soon everything would be broken.
            if roll(3) == 0 {
                text.clone_from(original);
                agree(name, &text, &mut memory);
            }
            let mut at = roll(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            // Whole lines between two others, with or without one that goes.
            if index == 1 && roll(4) > 0 {
                at = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
                let end = if roll(3) == 0 { end } else { at };
                text.replace_range(at..end, NEIGHBOURLY[roll(NEIGHBOURLY.len())]);
                agree(name, &text, &mut memory);
                continue;
            }
            let mut end = if roll(4) == 0 { (at + roll(12)).min(text.len()) } else { at };
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.replace_range(at..end.max(at), TYPED[roll(TYPED.len())]);
            agree(name, &text, &mut memory);
        }
    }
}

/// What a declaration may become: its variables have other names, types, lengths, values, and there are more of them or fewer.
const DECLARED: [&str; 36] = [
    "int any;",
    "int amy;",
    "byte any;",
    "bool any = 1;",
    "int any = late;",
    "int any = LIMIT;",
    "int any, amy;",
    "int any[3];",
    "mtype:fruit any;",
    "mtype:metal any = apple;",
    "mtype any;",
    "chan any = [1] of { byte };",
    "Box any;",
    "hidden int any;",
    "int there;",
    "int A;",
    "int x;",
    "int pear;",
    "int anz y;",
    "int any /* ; */;",
    "int any // ;\n;",
    "int any",
    "chan q = [2] of { byte };",
    "chan q = [300] of { byte };",
    "chan q = [2] of { byte, bit };",
    "chan q = [2] of { byte, bit, bit };",
    "chan q = [2] of { Box };",
    "chan q[2] = [2] of { byte };",
    "chan q;",
    "chan q = c;",
    "chan r = [2] of { byte };",
    "chan q = [2] of { mtype:fruit };",
    "byte late;",
    "byte later = late;",
    "byte late = 300;",
    "byte inside;",
];

#[test]
fn after_any_change_of_a_declaration_it_means_what_it_means_when_read_for_the_first_time() {
    let mut seed = 5_u64;
    let mut roll = |sides: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % sides
    };
    let begins = ["int any;", "chan q =", "byte late;", "chan c =", "chan d =", "int g;"];
    for original in [NEIGHBOURS, MODEL] {
        let mut memory = Memory::default();
        let lines: Vec<&str> = original.lines().collect();
        let declared: Vec<usize> = (0..lines.len())
            .filter(|line| begins.iter().any(|word| lines[*line].starts_with(word)))
            .collect();
        let mut now = lines.clone();
        for _ in 0..800 {
            let line = declared[roll(declared.len())];
            now[line] = if roll(2) == 0 { lines[line] } else { DECLARED[roll(DECLARED.len())] };
            if roll(6) == 0 {
                now.clone_from(&lines);
            }
            agree("declared.pml", &now.join("\n"), &mut memory);
        }
    }
}

/// How often reading looked whether it is to go on: how much there was to do, by no clock.
fn looks(work: impl FnOnce()) -> usize {
    let count = Rc::new(Cell::new(0));
    let counted = count.clone();
    let done = interrupt::until(
        move || {
            counted.set(counted.get() + 1);
            false
        },
        work,
    );
    assert!(done.is_ok());
    count.get()
}

#[test]
fn an_edit_inside_of_a_body_costs_less_than_reading_everything() {
    let processes = |last: &str| {
        let body = "\tbyte x;\n\tdo\n\t:: x < 3 -> x = (x + 1) % 7; c!x\n\t:: c?x\n\tod\n".repeat(5);
        let all: String = (0..100).map(|n| format!("active proctype P{n}() {{\n{body}}}\n")).collect();
        format!("chan c = [1] of {{ byte }};\nint d;\n{all}active proctype Last() {{ d = 1; {last} }}\n")
    };
    let options = Options::default();
    let mut memory = Memory::default();
    let mut read = |text: String| looks(|| drop(read_again("x.pml", &text, &options, &OneFile, &mut memory)));
    let everything = read(processes("c!1"));
    let edited = read(processes("c!2; c?_"));
    assert!(edited * 2 < everything, "{edited} looks after an edit, {everything} for everything");
    let declared = read(processes("c!2; c?_").replace("int d;", "byte d;"));
    assert!(declared * 2 < everything, "{declared} looks after a declaration, {everything} for everything");
    let concerning_all = read(processes("c!2; c?_").replace("c = [1] of { byte }", "b = [1] of { byte }"));
    assert!(concerning_all > edited, "all of them name the channel");
}

//! What comes out of the front end, for each thing of the language: exact numbers, slots, statements.

use promela::diagnostic::Severity;
use promela::model::{
    ChannelTypeId, Initializer, Ltl, Model, MtypeSetId, Scalar, Sequence, StatementKind, Type, Variable,
};
use promela::print::{formula_text, statement_text};
use promela::{Options, read, read_formula};

fn model(text: &str) -> Model {
    let (model, diagnostics) = read("model.pml", text, &Options::default(), &promela::NoIncludes);
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    model
}

/// The body of the first proctype on one line: `if{…|…}`, `do{…|…}`, `atomic{…}`, labels before a colon.
fn body(text: &str) -> String {
    let model = model(text);
    let proctype = &model.proctypes[0];
    sequence(&model, &proctype.locals, &proctype.body)
}

fn sequence(model: &Model, locals: &[Variable], body: &Sequence) -> String {
    body.statements.iter().map(|s| statement(model, locals, s)).collect::<Vec<_>>().join("; ")
}

fn statement(model: &Model, locals: &[Variable], statement: &promela::model::Statement) -> String {
    let options = |options: &[Sequence]| {
        options.iter().map(|o| sequence(model, locals, o)).collect::<Vec<_>>().join(" | ")
    };
    let labels: String = statement.labels.iter().map(|l| format!("{}: ", l.name)).collect();
    let text = match &statement.kind {
        StatementKind::If(inner) => format!("if{{{}}}", options(inner)),
        StatementKind::Do(inner) => format!("do{{{}}}", options(inner)),
        StatementKind::Atomic(inner) => format!("atomic{{{}}}", sequence(model, locals, inner)),
        StatementKind::DStep(inner) => format!("d_step{{{}}}", sequence(model, locals, inner)),
        StatementKind::Block(inner) => format!("{{{}}}", sequence(model, locals, inner)),
        StatementKind::Unless { main, escape } => {
            format!(
                "{} unless {}",
                self::statement(model, locals, main),
                self::statement(model, locals, escape)
            )
        }
        kind => statement_text(model, locals, kind),
    };
    labels + &text
}

#[test]
fn mtype_names_are_numbered_from_the_last_of_each_declaration() {
    let model = model("mtype = { a, b, c }; mtype:f = { x, y }; mtype = { d, e }; init { skip }");
    let numbers = |set: usize| -> Vec<(&str, i32)> {
        model.mtype_sets[set].names.iter().map(|(n, v, _)| (n.as_str(), *v)).collect()
    };
    assert_eq!(numbers(0), [("a", 3), ("b", 2), ("c", 1), ("d", 5), ("e", 4)]);
    assert_eq!(numbers(1), [("x", 2), ("y", 1)]);
    assert_eq!(model.mtype_sets[1].name.as_deref(), Some("f"));
}

#[test]
fn structs_and_arrays_are_flattened_in_declaration_order() {
    let model = model(
        "typedef In { byte p; bit q[2] };
         typedef Out { int a; In in[3]; chan c = [2] of { In, int } };
         byte before; Out o[2]; short after;
         init { o[1].in[2].q[1] = 1; o[0].c!o[1].in[0], before; after = 1 }",
    );
    let slots: Vec<(u32, u32)> = model.globals.iter().map(|v| (v.slot, v.slots)).collect();
    assert_eq!(slots, [(0, 1), (1, 22), (23, 1)]);
    assert_eq!(model.global_slots, 24);
    let StatementKind::Assign { place, .. } = &model.proctypes[0].body.statements[0].kind else {
        panic!("an assignment")
    };
    let strides: Vec<(u32, u32)> = place.indices.iter().map(|i| (i.length, i.stride)).collect();
    assert_eq!(strides, [(2, 11), (3, 3), (2, 1)]);
    assert_eq!((place.base, place.scalar), (3, Scalar::Byte), "SPIN makes bytes of an array of bits");
    let fields: Vec<_> =
        model.channel_types[0].fields.iter().map(|f| (f.scalar, f.name.as_deref())).collect();
    assert_eq!(
        fields,
        [
            (Scalar::Byte, Some("p")),
            (Scalar::Bit, Some("q[0]")),
            (Scalar::Bit, Some("q[1]")),
            (Scalar::Int, None)
        ]
    );
    let send = statement_text(&model, &[], &model.proctypes[0].body.statements[1].kind);
    assert_eq!(send, "o[0].c!o[1].in[0].p,o[1].in[0].q[0],o[1].in[0].q[1],before");
}

#[test]
fn types_and_initial_values() {
    let model = model(
        "bit a = 1; bool b; byte c[3] = 7; pid d; short e = -2; int f[2] = { 1, 2 }; unsigned g : 5 = 3;
         mtype = { m }; mtype h = m; chan i[2] = [3] of { byte }; hidden byte j; show byte k; local byte l;
         init { a = b; c[0] = d; e = f[0] + g; h = m; i[0]!c[1]; j = k + l }",
    );
    let types: Vec<Type> = model.globals.iter().map(|v| v.ty).collect();
    let scalar = Type::Scalar;
    assert_eq!(
        types[..9],
        [
            scalar(Scalar::Bit),
            scalar(Scalar::Bool),
            scalar(Scalar::Byte),
            scalar(Scalar::Pid),
            scalar(Scalar::Short),
            scalar(Scalar::Int),
            scalar(Scalar::Unsigned(5)),
            scalar(Scalar::Mtype(MtypeSetId(0))),
            scalar(Scalar::Chan)
        ]
    );
    assert_eq!(model.globals[2].length, Some(3));
    assert!(matches!(&model.globals[5].init, Initializer::List(values) if values.len() == 2));
    assert_eq!(model.globals[8].init, Initializer::Channel(ChannelTypeId(0)));
    assert_eq!(model.channel_types[0].capacity, 3);
    use promela::model::Visibility::{Hidden, Local, Show};
    assert_eq!(model.globals[9..].iter().map(|v| v.visibility).collect::<Vec<_>>(), [Hidden, Show, Local]);
}

#[test]
fn a_declaration_after_a_statement_is_an_assignment() {
    assert_eq!(
        body(
            "typedef T { int a }; init { int x = 1; skip; int y; byte z[3]; T t; chan c; int w = x; y = w + z[1] + t.a }"
        ),
        "(1); y = 0; z[0] = 0; (1); c = 0; w = x; y = ((w+z[1])+t.a)"
    );
    assert_eq!(body("init { { int x; x = 1 } }"), "{x = 0; x = 1}");
}

#[test]
fn for_counts_and_leaves_by_else() {
    assert_eq!(
        body("init { byte i; L: for (i : 1 .. 3) { skip; break }; goto L }"),
        "i = 1; L: do{((i<=3)); (1); break; i = (i+1) | else; break}; goto L"
    );
    assert_eq!(
        body("int a[4]; init { byte i; for (i in a) { a[i] = i } }"),
        "i = 0; do{((i<=3)); a[i] = i; i = (i+1) | else; break}"
    );
}

#[test]
fn for_over_a_channel_rotates_it() {
    assert_eq!(
        body("typedef T { byte a, b }; chan c = [2] of { T }; init { T t; for (t in c) { skip } }"),
        "_f0r_t3mp_1_ = 0; do{((_f0r_t3mp_1_<len(c))); c?t.a,t.b; c!t.a,t.b; (1); \
         _f0r_t3mp_1_ = (_f0r_t3mp_1_+1) | else; break}"
    );
    let model = model(
        "typedef T { byte a }; chan c = [2] of { T };
         init { T t; for (t in c) { skip }; for (t in c) { skip } }",
    );
    assert_eq!(model.proctypes[0].locals.len(), 2, "two loops in one block share their counter");
}

#[test]
fn select_takes_one_of_three_forms() {
    assert_eq!(body("init { byte i; select (i : 2 .. 4) }"), "if{i = 2 | i = 3 | i = 4}");
    assert_eq!(
        body("init { byte i; L: select (i : 0 .. 33); goto L }"),
        "L: i = 0; do{((i<33)); i = (i+1) | break}; goto L"
    );
    assert_eq!(
        body("byte n = 3; init { byte i; L: select (i : 0 .. n); goto L }"),
        "i = 0; L: do{break | ((i<n)); i = (i+1)}; goto L"
    );
    // SPIN looks at letters and digits only, so a name with an underscore is not written out.
    assert_eq!(
        body("init { byte i_j; select (i_j : 0 .. 1) }"),
        "i_j = 0; do{break | ((i_j<1)); i_j = (i_j+1)}"
    );
}

#[test]
fn inlines_have_fresh_variables_and_labels_at_each_call() {
    let text = "inline f(a, b) { int t = b; skip; L: a = t; if :: a > 3 -> goto L :: else fi }
                init { int x; f(x, 2 + 1); f(x, x) }";
    assert_eq!(
        body(text),
        "{t = (2+1); (1); L: x = t; if{((x>3)); goto L | else}}; {t = x; (1); L:2: x = t; if{((x>3)); goto L:2 | else}}"
    );
    let model = model(text);
    let names: Vec<(&str, &str)> =
        model.proctypes[0].locals.iter().map(|v| (v.name.as_str(), v.block.as_str())).collect();
    assert_eq!(names, [("x", ""), ("t", "1"), ("t", "2")]);
}

#[test]
fn inlines_call_inlines_and_return_values() {
    assert_eq!(
        body("inline g(v) { v = 2 } inline f(x) { g(x); return x + 1 } init { int a, b; b = f(a) }"),
        "{{a = 2}; b = (a+1)}"
    );
}

#[test]
fn a_statement_of_an_inline_stands_where_it_is_written() {
    let model = model("inline f(x) {\n  x = 1\n}\ninit {\n  int a;\n  f(a)\n}");
    let StatementKind::Block(block) = &model.proctypes[0].body.statements[0].kind else { panic!("a block") };
    assert_eq!(model.sources.visible_line(block.statements[0].span), 2);
    assert_eq!(model.sources.visible_line(model.proctypes[0].body.statements[0].span), 6);
}

#[test]
fn labels_of_blocks_beside_each_other_are_told_apart() {
    assert_eq!(
        body("init { { skip; L: skip; goto L }; { skip; L: skip; goto L }; goto L }"),
        "{(1); L: (1); goto L}; {(1); L:2: (1); goto L:2}; goto L:2"
    );
    assert_eq!(body("init { goto L; A: B: skip; L: }"), "goto L; A: B: (1); L: (1)");
}

#[test]
fn the_label_of_a_block_with_unless_is_lifted() {
    assert_eq!(
        body("byte x; init { L: atomic { x = 1; x = 2 } unless { x == 3 }; goto L }"),
        "L: atomic{{x = 1; x = 2} unless {((x==3))}}; goto L"
    );
    assert_eq!(body("byte x; init { x = 1 unless x == 3 }"), "x = 1 unless ((x==3))");
}

#[test]
fn line_ends_separate_as_in_spin() {
    assert_eq!(
        body("init {\n int x\n x = 1\n if\n :: x > 0 -> x = 2\n :: else\n fi\n x = (1\n + 2)\n}"),
        "x = 1; if{((x>0)); x = 2 | else}; x = (1+2)"
    );
    // After a name the line ends the statement, so this is an assignment and a condition.
    assert_eq!(body("init { int x, y; x = y\n -y\n}"), "x = y; (-(y))");
    assert_eq!(
        body("init { byte x; do :: x++ :: break od x = 1 }".replace(" od x", " od\n x").as_str()),
        "do{x = (x+1) | break}; x = 1"
    );
}

#[test]
fn messages_in_all_their_forms() {
    assert_eq!(
        body(
            "mtype = { m, n }; chan c = [2] of { mtype, byte, int };
             init { byte x; int y;
               c!m(x, -1); c!!n,1,2; c?m(x, y); c?eval(n),_,-1; c??m,x,y; c?<m,x,y>; c??<n,_,_>; c?(m,x,y);
               c?[m,x,_] && len(c) > 0; c??[n,1,2]; nempty(c) && nfull(c) || x > 0 }"
        ),
        "c!m,x,-(1); c!!n,1,2; c?m,x,y; c?n,_,-1; c??m,x,y; c?<m,x,y>; c??<n,_,_>; c?m,x,y; \
         ((c?[m,x,_]&&(len(c)>0))); (c??[n,1,2]); (((nempty(c)&&nfull(c))||(x>0)))"
    );
}

#[test]
fn a_message_keeps_the_number_of_fields_that_is_written() {
    assert_eq!(
        body("chan c = [1] of { byte, byte }; chan d = [1] of { byte }; init { c!1; c?_; d!1,2; d?_,_ }"),
        "c!1; c?_; d!1,2; d?_,_"
    );
}

#[test]
fn the_channel_type_is_known_unless_the_variable_is_assigned() {
    let model = model(
        "chan a = [1] of { byte }; chan b = [2] of { byte };
         proctype P(chan c) { a!1; b!1; c!1 }
         init { b = a; run P(a) }",
    );
    let declared: Vec<_> = model.proctypes[0]
        .body
        .statements
        .iter()
        .map(|s| match &s.kind {
            StatementKind::Send { channel, .. } => channel.declared,
            _ => panic!("a send"),
        })
        .collect();
    assert_eq!(declared, [Some(ChannelTypeId(0)), None, None]);
}

#[test]
fn precedence_is_that_of_spin() {
    assert_eq!(
        body("int a, b, c; init { a = a | b ^ c & 1 == 2 < 3 << 4 + 5 * 6; !a == b; ~a + -b; a - b - c }"),
        "a = (a|(b^(c&(1==(2<(3<<(4+(5*6))))))));\
         \x20((!(a)==b)); ((~(a)+-(b))); (((a-b)-c))"
    );
    assert_eq!(body("int a; init { a = (a > 1 -> 2 : 3) }"), "a = ( ((a>1)) -> (2) : (3) )");
}

fn formula(text: &str) -> Ltl {
    let mut model =
        model("int x, y; mtype = { red }; mtype m = red; active proctype P() { L: x = 1; y = x; goto L }");
    read_formula(&mut model, "formula", text, &Options::default(), &promela::NoIncludes).expect("a formula")
}

fn formula_in_spins_words(text: &str) -> String {
    let model =
        model("int x, y; mtype = { red }; mtype m = red; active proctype P() { L: x = 1; y = x; goto L }");
    formula_text(&model, &formula(text))
}

#[test]
fn formulas_have_spins_precedence() {
    assert_eq!(formula_in_spins_words("[] (x == 1 -> <> (y == 2))"), "[] (((x==1)) -> (<> ((y==2))))");
    assert_eq!(
        formula_in_spins_words("[] (x==1) U (y==2) && <> (x==3)"),
        "(([] ((x==1))) U ((y==2))) && (<> ((x==3)))"
    );
    assert_eq!(formula_in_spins_words("(x==1) U (x==2) U (x==3)"), "(((x==1)) U ((x==2))) U ((x==3))");
    assert_eq!(
        formula_in_spins_words("(x==1) W (x==2) || ! X (y==1)"),
        "(((x==1)) W ((x==2))) || (! (X ((y==1))))"
    );
    assert_eq!(
        formula_in_spins_words("always eventually (m == red) equivalent (x == 1) release (y == 2)"),
        "([] (<> ((m==red)))) <-> (((x==1)) V ((y==2)))"
    );
    assert_eq!(formula_in_spins_words("<> P@L"), "<> ((P@L))");
}

#[test]
fn what_has_no_temporal_operator_is_one_proposition() {
    assert!(matches!(formula("x < 3 && (y == 1 -> x == 2)"), Ltl::Proposition(_)));
    assert_eq!(formula_in_spins_words("x < 3 -> y == 1"), "(!((x<3))||(y==1))");
}

#[test]
fn formulas_may_come_before_what_they_mention() {
    let model = model("ltl { <> [] (x == 1) } ltl named { x == 0 } int x; init { x = 1 }");
    let names: Vec<&str> = model.formulas.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["ltl_0", "named"]);
    assert_eq!(formula_text(&model, &model.formulas[0].formula), "<> ([] ((x==1)))");
}

#[test]
fn temporal_words_are_names_elsewhere() {
    assert_eq!(
        body("byte next, until, U, X, in; init { next = until + U + X + in }"),
        "next = (((until+U)+X)+in)"
    );
}

#[test]
fn processes_with_all_their_attributes() {
    let model = model(
        "byte n = 2; byte t;
         active [n] proctype P() priority 3 provided (t == _pid) { skip }
         D_proctype Q(byte a, b; chan c) { c!a; xs c; a = b }
         init { chan c = [0] of { byte }; run Q(1, 2, c) priority 4; c?_ }",
    );
    let [p, q, init] = &model.proctypes[..] else { panic!("three proctypes") };
    assert_eq!((p.active, p.priority, p.provided.is_some(), p.deterministic), (2, Some(3), true, false));
    assert_eq!((q.active, q.parameters, q.locals.len(), q.deterministic), (0, 3, 3, true));
    assert_eq!(q.exclusive.len(), 1);
    assert_eq!((init.name.as_str(), init.active), (":init:", 1));
    assert!(model.features.priorities && model.features.exclusive_channels);
    assert!(!model.features.last && !model.features.timeout);
}

#[test]
fn remote_references() {
    assert_eq!(
        {
            let model = model(
                "active proctype P() { byte v[2]; L: v[1] = 1; goto L }
                 active proctype Q() { P[0]@L && P@L; P[_pid]:v[1] == 1; _nr_pr == _last; timeout }",
            );
            let q = &model.proctypes[1];
            assert!(model.features.last && model.features.number_of_processes && model.features.timeout);
            sequence(&model, &q.locals, &q.body)
        },
        "(((P[0]@L)&&(P@L))); ((P[_pid]:v[1]==1)); ((_nr_pr==_last)); (timeout)"
    );
}

#[test]
fn claims_and_traces() {
    let model = model(
        "chan c = [1] of { byte }; byte x;
         init { c!1; c?x }
         never { do :: x == 0 :: np_ -> break od }
         never second { accept: do :: timeout od }
         trace { do :: c!_; c?1 od }",
    );
    let names: Vec<&str> = model.claims.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["never_0", "second"]);
    assert!(model.features.np);
    let trace = model.event_trace.as_ref().expect("a trace");
    assert!(!trace.negated);
    // `_` in an event is the hidden variable of that name.
    assert_eq!(sequence(&model, &[], &trace.body), "do{c!_; c?1}");
    assert_eq!(model.globals.last().map(|v| v.name.as_str()), Some("_"));
}

#[test]
fn the_priority_of_a_process_can_be_assigned() {
    assert_eq!(body("init { _priority = 4; _ = 3 }"), "set_priority(_pid, 4); _ = 3");
}

#[test]
fn errors_in_macros_point_at_the_use() {
    let (model, diagnostics) = read(
        "model.pml",
        "#define SET(v) v = undefined\nbyte x;\ninit {\n  SET(x)\n}",
        &Options::default(),
        &promela::NoIncludes,
    );
    assert_eq!(diagnostics.len(), 1);
    assert_eq!((diagnostics[0].code, model.sources.visible_line(diagnostics[0].span)), ("E0101", 4));
}

#[test]
fn a_statement_that_ends_or_begins_in_a_macro_is_covered_as_it_is_written() {
    let text = "#define LIMIT 3\n#define TWICE(x) (2 * x)\n#define ABOVE(x) x > 1\nbyte n; chan c = [1] of { byte };\n\
                active proctype P() { n < LIMIT; LIMIT > n; n = TWICE(n) + 1; c!LIMIT; n + LIMIT - 1 < TWICE(n); ABOVE(n) }\n";
    let model = model(text);
    let written: Vec<&str> =
        model.proctypes[0].body.statements.iter().map(|s| model.sources.text(s.span)).collect();
    assert_eq!(
        written,
        ["n < LIMIT", "LIMIT > n", "n = TWICE(n) + 1", "c!LIMIT", "n + LIMIT - 1 < TWICE(n)", "ABOVE(n)"]
    );
}

#[test]
fn unless_may_begin_a_line_after_a_brace() {
    let text =
        "byte x, y;\nactive proctype P() {\n  { x == 1 -> y = 1 }\n  unless { y == 2 -> x = 3 }\n  x = 4\n}";
    assert_eq!(body(text), "{((x==1)); y = 1} unless {((y==2)); x = 3}; x = 4");
}

#[test]
fn the_element_zero_of_a_scalar_is_the_scalar() {
    let text = "byte s; chan c = [1] of { byte }; typedef T { byte f } T t;
        active proctype P() { s[0] = s[0] + 1; c[0]!s[0]; c?s[0]; t[0].f = 1; t.f[0] = len(c[0]) }";
    assert_eq!(body(text), "s = (s+1); c!s; c?s; t.f = 1; t.f = len(c)");
    let indexed = "byte s; init { for (s[0] : 1 .. 2) { skip } }";
    assert_eq!(body(indexed), body(&indexed.replace("[0]", "")));
}

#[test]
fn an_else_that_begins_an_option_inside_of_atomic_is_no_reason_to_warn() {
    let warns = |body: &str| {
        let text = format!("byte x; active proctype P() {{ {body} }}");
        let (_, diagnostics) = read("model.pml", &text, &Options::default(), &promela::NoIncludes);
        diagnostics.iter().any(|diagnostic| diagnostic.code == "W0131")
    };
    assert!(!warns("if :: x == 1 -> x = 2 :: atomic { else -> x = 1 } fi"));
    assert!(!warns("if :: x == 1 -> x = 2 :: { d_step { else -> x = 1 } } fi"));
    assert!(warns("if :: x == 1 -> x = 2 :: atomic { x = 3; else -> x = 1 } fi"));
    assert!(warns("atomic { else -> x = 1 }"));
}

//! What there is to say about control flow is the same with and without automata.

use promela::{NoIncludes, Options};
use system::lower::{diagnose, lower};

fn found(text: &str) -> Vec<String> {
    let (model, _) = promela::read("model.pml", text, &Options::default(), &NoIncludes);
    let said = diagnose(&model);
    let (_, with_automata) = lower(model);
    assert_eq!(said, with_automata, "{text}");
    said.into_iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

#[test]
fn an_option_without_a_statement_leads_into_its_own_choice() {
    let c = "chan c = [1] of { byte };\n";
    assert_eq!(found(&format!("{c}active proctype P() {{ do :: xr c od }}")), ["S0001"]);
    assert_eq!(
        found(&format!("{c}active proctype P() {{ do :: skip; break :: if :: xr c fi od }}")),
        ["S0001"]
    );
    assert!(found(&format!("{c}active proctype P() {{ if :: xr c fi; skip }}")).is_empty());
    assert!(found(&format!("{c}active proctype P() {{ do :: skip; {{ xr c }} od }}")).is_empty());
}

#[test]
fn nested_choices_and_jumps_are_fine() {
    for text in [
        "active proctype P() { l: do :: do :: do :: goto l od od :: if :: break :: goto l fi od }",
        "active proctype P() { do :: { skip; do :: skip od } unless { if :: timeout fi } od }",
        "active proctype P() { do :: atomic { d_step { skip } } :: { { { break } } } od }",
        "trace { do :: if :: c!1 fi od }\nchan c = [1] of { byte };\nactive proctype P() { c!1 }",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn more_channels_than_spin_allows_are_told_too() {
    assert_eq!(found("chan c[300] = [1] of { byte };\nactive proctype P() { c[0]!1 }").len(), 1);
}

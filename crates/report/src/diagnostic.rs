//! Diagnostics as people read them: the line, a caret, what is wrong, what would be right.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use promela::diagnostic::{Diagnostic, Severity};
use promela::source::{SourceMap, Span};

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// For a terminal.
    Styled,
    /// For a pipe or a file.
    Plain,
}

/// All diagnostics, one after another, each with its place in the source.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic], colour: Colour) -> String {
    render_within(sources, diagnostics, colour, None)
}

/// The same for a terminal of so many columns.
pub fn render_within(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    colour: Colour,
    width: Option<usize>,
) -> String {
    let renderer = match colour {
        Colour::Styled => Renderer::styled(),
        Colour::Plain => Renderer::plain(),
    };
    let renderer = width.map_or(renderer.clone(), |width| renderer.term_width(width));
    let texts: Vec<String> = diagnostics.iter().map(|d| renderer.render(&groups(sources, d))).collect();
    let mut out = texts.join("\n\n");
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// `file:line:column: error[E0001]: message`, for tools that read one line each.
pub fn render_short(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let span = sources.visible_span(diagnostic.span);
    let at = sources.line_column(span);
    let word = diagnostic.severity.word();
    let file = &sources.file(span.file).name;
    format!("{file}:{}:{}: {word}[{}]: {}", at.line, at.column, diagnostic.code, diagnostic.message)
}

fn groups<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error | Severity::Refused => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let visible = sources.visible_span(diagnostic.span);
    let mut main = snippet(sources, visible, AnnotationKind::Primary, &diagnostic.label);
    let (same_file, elsewhere): (Vec<_>, Vec<_>) =
        diagnostic.related.iter().partition(|r| sources.visible_span(r.span).file == visible.file);
    for related in same_file {
        let span = sources.visible_span(related.span);
        main = main
            .annotation(AnnotationKind::Context.span(range(sources, span)).label(related.message.as_str()));
    }
    let mut group = title.element(main);
    for related in elsewhere {
        let span = sources.visible_span(related.span);
        group = group.element(snippet(sources, span, AnnotationKind::Context, &related.message));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![group];
    for expansion in sources.expansion_chain(diagnostic.span) {
        let title = Level::NOTE.secondary_title(format!("it comes from `{}`, defined here", expansion.name));
        let defined = sources.visible_span(expansion.defined_at);
        groups.push(title.element(snippet(sources, defined, AnnotationKind::Context, "")));
    }
    groups
}

fn snippet<'a>(
    sources: &'a SourceMap,
    span: Span,
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(span.file);
    let mut annotation = kind.span(range(sources, span));
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    Snippet::source(file.text.as_str()).path(file.name.as_str()).annotation(annotation)
}

/// The bytes of a span, within the text and on character borders whatever happened before.
fn range(sources: &SourceMap, span: Span) -> std::ops::Range<usize> {
    let text = &sources.file(span.file).text;
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (border(span.start as usize), border(span.end as usize));
    start..end.max(start)
}

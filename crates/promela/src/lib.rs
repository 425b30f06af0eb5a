//! Reading Promela: sources and spans, diagnostics, preprocessor, lexer, parser, names and types.

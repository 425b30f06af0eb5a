//! `plimsoll play`

use crate::exit;
use clap::Args;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

/// Serve the page: an editor with diagnostics, `check` and its report in a browser
///
/// The page is in this program and works without it once it is open: models are checked by the browser itself and go nowhere. It
/// listens on this machine only, until it is interrupted.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll play\n  plimsoll play --port 9000")]
pub struct Arguments {
    /// Where to listen; 0 takes any port that is free
    #[arg(long, value_name = "PORT", default_value_t = 8417)]
    port: u16,
}

type Files = &'static [(&'static str, &'static [u8])];

/// The page, if this program was built with one.
const PAGE: Files = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A request's first line has no more bytes than this.
const MOST_BYTES: u64 = 8 << 10;
/// Whoever connects has this long to ask.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(arguments: &Arguments) -> u8 {
    if PAGE.is_empty() {
        complain_line!(
            "error: this program was built without its page\n\
             help: in Plimsoll's sources, run `web/build`, then `cargo build --release` again"
        );
        return exit::ERROR;
    }
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)) {
        Ok(listener) => listener,
        Err(error) => {
            complain_line!(
                "error: cannot listen on port {}: {error}\nhelp: choose another one with --port",
                arguments.port
            );
            return exit::ERROR;
        }
    };
    let port = listener.local_addr().map_or(arguments.port, |address| address.port());
    say_line!("http://localhost:{port}/  (Ctrl+C ends it)");
    for stream in listener.incoming().flatten() {
        // Who leaves in the middle of an answer has his reasons.
        std::thread::spawn(move || serve(stream, PAGE));
    }
    exit::PROVED
}

fn serve(mut stream: TcpStream, files: Files) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.try_clone()?.take(MOST_BYTES));
    let mut first = String::new();
    lines.read_line(&mut first)?;
    // What a browser says about itself does not matter, but it wants to be heard.
    let mut line = String::new();
    while lines.read_line(&mut line)? > 2 {
        line.clear();
    }
    let answer = answer(&first, files);
    write!(
        stream,
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len()
    )?;
    if answer.with_body {
        stream.write_all(answer.body)?;
    }
    stream.flush()
}

#[derive(PartialEq, Debug)]
struct Answer {
    status: &'static str,
    kind: &'static str,
    body: &'static [u8],
    with_body: bool,
}

fn answer(first_line: &str, files: Files) -> Answer {
    let plain = |status, body| Answer { status, kind: "text/plain", body, with_body: true };
    let mut words = first_line.split_ascii_whitespace();
    let (method, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return plain("405 Method Not Allowed", b"this page is only read\n");
    }
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    match files.iter().find(|(known, _)| *known == name) {
        Some((_, body)) => Answer { status: "200 OK", kind: kind(name), body, with_body: method == "GET" },
        None => plain("404 Not Found", b"there is no such file\n"),
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: Files = &[("index.html", b"the page"), ("plimsoll.wasm", b"the module")];

    #[test]
    fn files_of_the_page_are_served_as_what_they_are() {
        let page = answer("GET / HTTP/1.1\r\n", FILES);
        assert_eq!(
            (page.status, page.kind, page.body),
            ("200 OK", "text/html; charset=utf-8", &b"the page"[..])
        );
        let module = answer("GET /plimsoll.wasm?now HTTP/1.1\r\n", FILES);
        assert_eq!((module.status, module.kind), ("200 OK", "application/wasm"));
        let head = answer("HEAD /index.html HTTP/1.1\r\n", FILES);
        assert_eq!((head.status, head.body.len(), head.with_body), ("200 OK", 8, false));
    }

    #[test]
    fn nothing_else_is_served() {
        for wrong in ["GET /../Cargo.toml HTTP/1.1", "GET //etc/passwd HTTP/1.1", "GET /.. HTTP/1.1"] {
            assert_eq!(answer(wrong, FILES).status, "404 Not Found", "{wrong}");
        }
        for wrong in ["POST / HTTP/1.1", "", "\u{0}\u{1}", "PUT"] {
            assert_eq!(answer(wrong, FILES).status, "405 Method Not Allowed", "{wrong:?}");
        }
    }

    #[test]
    fn a_browser_is_answered_over_a_connection() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = std::thread::spawn(move || serve(listener.accept().expect("a browser").0, FILES));
        let mut browser = TcpStream::connect(address).expect("a server");
        browser.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it listens");
        let mut heard = String::new();
        browser.read_to_string(&mut heard).expect("it answers");
        server.join().expect("it goes on").expect("it served");
        assert!(heard.starts_with("HTTP/1.1 200 OK\r\n") && heard.ends_with("\r\n\r\nthe page"), "{heard}");
    }
}

//! Messages of the debug adapter protocol: a header with a length, then JSON.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// A message longer than this is none.
const LONGEST: usize = 64 << 20;

/// Requests as they come.
pub struct Reader<R> {
    input: R,
}

/// A request.
pub struct Request {
    /// Its number.
    pub number: i64,
    /// What is wanted.
    pub command: String,
    /// With which arguments; null without any.
    pub arguments: Value,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader { input }
    }

    /// The next request; nothing at the end. Whatever else comes is passed over.
    pub fn next(&mut self) -> io::Result<Option<Request>> {
        while let Some(message) = self.message()? {
            if message["type"] == "request" {
                let command = message["command"].as_str().unwrap_or_default().to_string();
                let number = message["seq"].as_i64().unwrap_or(0);
                return Ok(Some(Request { number, command, arguments: message["arguments"].clone() }));
            }
        }
        Ok(None)
    }

    fn message(&mut self) -> io::Result<Option<Value>> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end();
            if line.is_empty() {
                if length.is_some() {
                    break;
                }
                continue;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok().filter(|length| *length <= LONGEST);
            }
        }
        let mut body = vec![0; length.unwrap_or(0)];
        self.input.read_exact(&mut body)?;
        // What is no JSON is no request either.
        Ok(Some(serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }
}

/// Answers and events as they go.
pub struct Writer<W> {
    output: W,
    sent: i64,
}

impl<W: Write> Writer<W> {
    pub fn new(output: W) -> Writer<W> {
        Writer { output, sent: 0 }
    }

    pub fn answer(&mut self, request: &Request, answer: Result<Value, String>) -> io::Result<()> {
        let mut message = json!({
            "type": "response", "request_seq": request.number, "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => message["body"] = body,
            Err(text) => {
                message["body"] = json!({ "error": { "id": 1, "format": text, "showUser": true } });
                message["message"] = text.into();
            }
        }
        self.send(message)
    }

    pub fn event(&mut self, event: &str, body: Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.sent += 1;
        message["seq"] = self.sent.into();
        let text = message.to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }
}

//! Work that nobody wants any more, and requests that do not wait for a reading.

use super::Server;
use crate::place::name_of;
use lsp_server::{ErrorCode, Message, Request, RequestId, Response};
use lsp_types::notification::{Cancel, DidChangeTextDocument, Notification as _};
use lsp_types::request::{Completion, FoldingRangeRequest, Formatting, Request as _, SignatureHelpRequest};
use serde_json::Value;
use std::collections::VecDeque;

/// What is asked while somebody types: answered from the text as it is and the names as they are known, before the text is read again.
const ANSWERED_AT_ONCE: [&str; 4] =
    [Completion::METHOD, SignatureHelpRequest::METHOD, FoldingRangeRequest::METHOD, Formatting::METHOD];

impl Server {
    /// Requests whose answers nobody wants any more are answered with just that.
    pub(super) fn drop_stale(&self, waiting: &mut VecDeque<Message>) {
        let (dropped, kept) = without_stale(std::mem::take(waiting));
        *waiting = kept;
        for (id, code, why) in dropped {
            self.send(Response::new_err(id, code as i32, why.to_string()));
        }
    }

    /// Reads the text that a request is about; false if something came in between that has to be heard first.
    pub(super) fn is_ready_for(&mut self, request: &Request) -> bool {
        match text_of(&request.params) {
            Some(uri) if !ANSWERED_AT_ONCE.contains(&&*request.method) => {
                self.read_undisturbed(&name_of(&uri))
            }
            _ => true,
        }
    }
}

/// The answer to a request that is not worth any work.
type Dropped = (RequestId, ErrorCode, &'static str);

/// Requests that were cancelled, and those about a text that has changed since: what they asked is no longer there.
fn without_stale(waiting: VecDeque<Message>) -> (Vec<Dropped>, VecDeque<Message>) {
    let mut cancelled: Vec<RequestId> = Vec::new();
    let mut changed: Vec<lsp_types::Uri> = Vec::new();
    let mut dropped = Vec::new();
    let mut kept = VecDeque::new();
    for message in waiting.into_iter().rev() {
        match &message {
            Message::Notification(n) if n.method == Cancel::METHOD => {
                cancelled.extend(id_of(&n.params));
                continue;
            }
            Message::Notification(n) if n.method == DidChangeTextDocument::METHOD => {
                changed.extend(text_of(&n.params));
            }
            Message::Request(request) if cancelled.contains(&request.id) => {
                let why = "nobody wants the answer any more";
                dropped.push((request.id.clone(), ErrorCode::RequestCanceled, why));
                continue;
            }
            Message::Request(request)
                if !ANSWERED_AT_ONCE.contains(&&*request.method)
                    && text_of(&request.params).is_some_and(|uri| changed.contains(&uri)) =>
            {
                let why = "the text has changed since";
                dropped.push((request.id.clone(), ErrorCode::ContentModified, why));
                continue;
            }
            _ => {}
        }
        kept.push_front(message);
    }
    (dropped, kept)
}

fn id_of(params: &Value) -> Option<RequestId> {
    let id = params.get("id")?;
    match (id.as_i64(), id.as_str()) {
        (Some(number), _) => Some(RequestId::from(number as i32)),
        (_, Some(text)) => Some(RequestId::from(text.to_string())),
        _ => None,
    }
}

/// The text that a message is about.
fn text_of(params: &Value) -> Option<lsp_types::Uri> {
    params.get("textDocument")?.get("uri")?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_server::Notification;
    use serde_json::json;

    fn about(uri: &str) -> Value {
        json!({ "textDocument": { "uri": uri } })
    }

    fn request(id: i32, method: &str, uri: &str) -> Message {
        Request::new(RequestId::from(id), method.into(), about(uri)).into()
    }

    fn told(method: &str, params: Value) -> Message {
        Notification::new(method.into(), params).into()
    }

    #[test]
    fn what_was_cancelled_or_asked_about_an_older_text_is_dropped_and_nothing_else() {
        let waiting = VecDeque::from([
            request(1, "textDocument/hover", "file:///a"),
            request(2, "textDocument/hover", "file:///b"),
            request(3, Completion::METHOD, "file:///a"),
            request(4, "textDocument/rename", "file:///b"),
            told(DidChangeTextDocument::METHOD, about("file:///a")),
            request(5, "textDocument/hover", "file:///a"),
            told(Cancel::METHOD, json!({ "id": 4 })),
        ]);
        let (dropped, kept) = without_stale(waiting);
        let codes: Vec<(RequestId, i32)> =
            dropped.into_iter().map(|(id, code, _)| (id, code as i32)).collect();
        let expected = [(4, ErrorCode::RequestCanceled), (1, ErrorCode::ContentModified)];
        assert_eq!(codes, expected.map(|(id, code)| (RequestId::from(id), code as i32)));
        let kept: Vec<String> = kept
            .iter()
            .map(|message| match message {
                Message::Request(request) => request.id.to_string(),
                Message::Notification(notification) => notification.method.clone(),
                Message::Response(_) => String::new(),
            })
            .collect();
        assert_eq!(kept, ["2", "3", DidChangeTextDocument::METHOD, "5"]);
    }
}

//! The server inside a program that has a loop of its own and perhaps no threads: a page in a browser.

use super::server::Server;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{ErrorCode, Message, Response};
use lsp_types::InitializeParams;
use lsp_types::request::{Initialize, Request as _};

/// A server that does what a message asks for when it is given one. What runs beside a loop is not to be had: asking the engines.
#[derive(Default)]
pub struct Embedded {
    greeted: Option<Greeted>,
}

struct Greeted {
    server: Server,
    said: Receiver<Message>,
    /// Nothing waits while a message is at work.
    _waiting: Sender<Message>,
}

impl Embedded {
    /// Does what a message asks for; what there is to say then.
    pub fn hear(&mut self, message: Message) -> Vec<Message> {
        match message {
            Message::Request(request) if request.method == Initialize::METHOD => {
                let params = serde_json::from_value(request.params).unwrap_or_default();
                let greeted = self.greeted.insert(Greeted::new(&params));
                vec![Response::new_ok(request.id, greeted.server.introduction()).into()]
            }
            message => match (&mut self.greeted, message) {
                (Some(greeted), message) => greeted.hear(message),
                (None, Message::Request(request)) => {
                    let text = "the first message is `initialize`".to_string();
                    vec![Response::new_err(request.id, ErrorCode::ServerNotInitialized as i32, text).into()]
                }
                (None, _) => Vec::new(),
            },
        }
    }
}

impl Greeted {
    fn new(params: &InitializeParams) -> Greeted {
        let (sender, said) = unbounded();
        let (waiting, receiver) = unbounded();
        let (answers, _) = unbounded();
        Greeted { server: Server::new((sender, receiver), params, answers), said, _waiting: waiting }
    }

    fn hear(&mut self, message: Message) -> Vec<Message> {
        self.server.hear(message);
        while self.server.refresh_one() {}
        self.said.try_iter().collect()
    }
}

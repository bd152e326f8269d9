//! A client without comfort: one connection a request, no retry, and it notices a cut-off body.
//! Every suite here uses it; it must never hide what the server did.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value as Json;
use terdut_simulator::{Options, Simulator};

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Reply {
    /// The body as JSON; null if it is none.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or(Json::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body, having checked the status.
    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> Json {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// Checks the status and that the error names something.
    #[track_caller]
    pub(crate) fn refuses(&self, status: u16, naming: &str) {
        let error = self.is(status)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(naming), "{error:?} does not name {naming:?}");
    }
}

/// A caller with a key, or without one.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    address: String,
    key: Option<String>,
}

impl Peer {
    pub(crate) fn new(url: &str, key: Option<&str>) -> Self {
        let address = url.strip_prefix("http://").unwrap_or(url).to_owned();
        Self { address, key: key.map(str::to_owned) }
    }

    pub(crate) fn with(&self, key: &str) -> Self {
        Self { address: self.address.clone(), key: Some(key.to_owned()) }
    }

    pub(crate) fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        Ok(stream)
    }

    pub(crate) fn request_text(&self, method: &str, path: &str, body: &str, last: bool) -> String {
        let key = self.key.as_ref().map(|key| format!("Authorization: Bearer {key}\r\n"));
        let (key, length) = (key.unwrap_or_default(), body.len());
        let connection = if last { "close" } else { "keep-alive" };
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{key}Connection: {connection}\r\n\
             Content-Length: {length}\r\n\r\n{body}",
            self.address
        )
    }

    /// One request; an error when the answer is missing or not whole.
    pub(crate) fn send_text(&self, method: &str, path: &str, body: &str) -> io::Result<Reply> {
        let mut stream = self.connect()?;
        stream.write_all(self.request_text(method, path, body, true).as_bytes())?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        parse(&bytes).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    pub(crate) fn try_send(&self, method: &str, path: &str, body: &Json) -> io::Result<Reply> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send_text(method, path, &body)
    }

    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str, body: &Json) -> Reply {
        self.try_send(method, path, body).expect("a whole answer")
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &Json::Null)
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Json) -> Reply {
        self.send("POST", path, body)
    }

    #[track_caller]
    pub(crate) fn put(&self, path: &str, body: &Json) -> Reply {
        self.send("PUT", path, body)
    }

    #[track_caller]
    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &Json::Null)
    }
}

fn parse(bytes: &[u8]) -> Option<Reply> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let pair = |line: &str| line.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
    let reply = Reply { status, headers: lines.filter_map(pair).collect(), text: body.to_owned() };
    let promised: usize = reply.header("content-length").map_or(Some(0), |n| n.parse().ok())?;
    (promised == reply.text.len()).then_some(reply)
}

/// A server with an admin.
pub(crate) fn server(options: Options) -> (Simulator, Peer) {
    let simulator = Simulator::start(options);
    let key = simulator.seed_admin();
    let peer = Peer::new(simulator.url(), Some(&key));
    (simulator, peer)
}

/// A standard server with an admin.
pub(crate) fn standard() -> (Simulator, Peer) {
    server(Options::default())
}

/// The id in an answer.
#[track_caller]
pub(crate) fn id(answer: &Json) -> i64 {
    answer["id"].as_i64().expect("an id")
}

/// Whether a text is a key.
pub(crate) fn is_key(text: &Json) -> bool {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.as_str().is_some_and(|text| text.len() == 64 && text.bytes().all(hex))
}

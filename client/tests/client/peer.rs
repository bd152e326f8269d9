//! A scripted HTTP/1.1 peer: it logs what it is sent and answers with the bytes it is told to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// What to do with one request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Write these bytes and close.
    Raw(Vec<u8>),
    /// Close without an answer.
    Drop,
    /// Write these bytes after a while and close.
    Late(Duration, Vec<u8>),
    /// Keep the request waiting.
    Hang,
}

/// An answer with a body of JSON.
pub(crate) fn json(status: u16, body: &str) -> Act {
    with_headers(status, "content-type: application/json\r\n", body)
}

/// An answer with further header lines, each ending in a line break.
pub(crate) fn with_headers(status: u16, headers: &str, body: &str) -> Act {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n");
    Act::Raw(format!("{head}{headers}\r\n{body}").into_bytes())
}

/// The peer.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) port: u16,
    log: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    /// A peer that follows a script; its last act is repeated for ever.
    pub(crate) async fn start(script: impl Into<Vec<Act>>) -> Self {
        Self::serve(script.into(), None).await
    }

    /// The same behind TLS.
    pub(crate) async fn start_tls(script: impl Into<Vec<Act>>, acceptor: TlsAcceptor) -> Self {
        Self::serve(script.into(), Some(acceptor)).await
    }

    async fn serve(script: Vec<Act>, acceptor: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let peer = Self { port, log: Arc::default() };
        let log = Arc::clone(&peer.log);
        let script = Arc::new(Mutex::new(VecDeque::from(script)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, script, acceptor) = (log.clone(), script.clone(), acceptor.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => answer(stream, &log, &script).await,
                        Some(acceptor) => {
                            let Ok(stream) = acceptor.accept(stream).await else { return };
                            answer(stream, &log, &script).await;
                        }
                    }
                });
            }
        });
        peer
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests so far: head and body, head in lower case.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// The first lines of the requests so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let first = |request: &String| request.lines().next().unwrap_or_default().to_owned();
        self.log().iter().map(first).collect()
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    log: &Mutex<Vec<String>>,
    script: &Mutex<VecDeque<Act>>,
) {
    let Some(request) = read_request(&mut stream).await else { return };
    log.lock().unwrap().push(request);
    let act = {
        let mut script = script.lock().unwrap();
        let last = script.len() == 1;
        if last { script.front().cloned() } else { script.pop_front() }
    };
    match act {
        Some(Act::Raw(bytes)) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Some(Act::Late(pause, bytes)) => {
            tokio::time::sleep(pause).await;
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Some(Act::Hang) => tokio::time::sleep(Duration::from_mins(10)).await,
        Some(Act::Drop) | None => {}
    }
}

/// One request: its head in lower case but for the first line, and its body.
pub(crate) async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())
            .unwrap_or(0);
        if body.len() >= length {
            let (line, fields) = head.split_once("\r\n").unwrap_or((head, ""));
            return Some(format!("{line}\n{}\n\n{body}", fields.replace("\r\n", "\n")));
        }
    }
}

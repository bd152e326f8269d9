//! A body that passes piece by piece, as long as the rules let it.

use bytes::Bytes;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::forward::{Body, Broken};
use crate::cluster::traffic::{StreamState, Traffic};

/// Passes a body on; it breaks when its request is cut off, and waits while that is stalled.
pub(super) fn pass(body: Incoming, traffic: Traffic, number: usize) -> Body {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(copy(body, traffic, number, sender));
    StreamBody::new(ReceiverStream::new(receiver)).boxed()
}

async fn copy(
    mut body: Incoming,
    traffic: Traffic,
    number: usize,
    sender: mpsc::Sender<Result<Frame<Bytes>, Broken>>,
) {
    let mut changes = traffic.changes();
    loop {
        let state = traffic.stream_state(number);
        if state == StreamState::Broken {
            let _ = sender.send(Err(Broken)).await;
            return;
        }
        let next = async {
            match state {
                StreamState::Flowing => body.frame().await,
                StreamState::Stalled | StreamState::Broken => std::future::pending().await,
            }
        };
        let frame = tokio::select! {
            frame = next => frame,
            _ = changes.changed() => continue,
            () = sender.closed() => return,
        };
        let Some(frame) = frame else { return };
        if sender.send(frame.map_err(|_| Broken)).await.is_err() {
            return;
        }
    }
}

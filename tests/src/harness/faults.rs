//! Answers of a server, or of what stands before it, that say nothing about an object.

use std::time::Duration;

use terdut_simulator::{Fault, FaultBody};

/// Every answer that must not be taken for "gone", with a name, at every request.
///
/// `patience` is how long the client waits for an answer.
pub fn not_gone(patience: Duration) -> Vec<(&'static str, Fault)> {
    let any = || Fault::on("*", "*").always();
    let text = |text: &str| FaultBody::Text(text.to_owned());
    let html = || FaultBody::Html("<html><body>Bad gateway</body></html>".to_owned());
    vec![
        ("401 with a reason", any().error(401, "invalid key")),
        ("401 without a body", any().answer(401, FaultBody::Empty)),
        ("403 with a reason", any().error(403, "out of scope")),
        ("404 of a router", any().answer(404, text("404 page not found"))),
        ("404 of a proxy", any().answer(404, html())),
        ("410 of a proxy", any().answer(410, html())),
        ("500 without a body", any().answer(500, FaultBody::Empty)),
        ("502 of a proxy", any().answer(502, html())),
        ("503 with a reason", any().error(503, "starting")),
        ("200 of a log-in page", any().answer(200, html())),
        ("200 without a body", any().answer(200, FaultBody::Empty)),
        ("200 with another shape", any().answer(200, FaultBody::Json("maintenance".into()))),
        ("302 to a log-in page", any().answer(302, html())),
        ("a body that is cut off", any().answer(200, FaultBody::CutOff("[{\"id\":1".to_owned()))),
        ("a dropped connection", any().drop_before()),
        ("a reset connection", any().reset()),
        ("no answer in time", any().delay(patience * 3)),
    ]
}

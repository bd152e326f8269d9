//! What a condition says of a request that failed.
//!
//! Controllers call it where nothing more precise is known. The text is made of what was being done
//! and of the error's class: what the server said stays in the log, since it may change from one
//! answer to the next, and each change would be a write.

use terdut_core::error::{ApiError, Class};

use super::{Reason, State};

/// Not ready, since `doing` failed: a phrase of our own, never the server's, that follows "Cannot",
/// as "list the teams".
pub fn from_error(error: &ApiError, doing: &str) -> State {
    let (reason, why) = match error.class {
        Class::Unreachable => (
            Reason::Unreachable,
            "the server does not answer. See whether it runs and is reached from the bridge; it is \
             tried again by itself",
        ),
        Class::Retryable => (
            Reason::Unreachable,
            "the server is busy or something before it answers in its place. It is tried again by \
             itself",
        ),
        Class::Denied => (
            Reason::Denied,
            "the server refuses the bridge's key. See the TerdutServer's conditions: a new key may \
             have to be handed in",
        ),
        Class::TooOld => (
            Reason::ServerTooOld,
            "the server does not know this request. Update it, or see whether something before it \
             takes the path away",
        ),
        Class::Invalid => (
            Reason::Invalid,
            "the server refuses what the manifest says, or its answer cannot be read. The bridge's \
             log has the server's words",
        ),
        Class::NotFound => (
            Reason::Invalid,
            "the server no longer has the object that the request names. It is looked up anew by \
             the next pass",
        ),
        Class::Conflict => (
            Reason::NameTaken,
            "another object on the server has the name. Choose another name, or remove that object",
        ),
    };
    State::no(reason, format!("Cannot {doing} ({class}): {why}.", class = error.class))
}

#[cfg(test)]
mod tests {
    use terdut_core::error::Effect;

    use super::*;

    fn failed(class: Class) -> State {
        let said = "request 4711 at 12:00:01: hunter2".to_owned();
        let error = ApiError {
            class,
            effect: Effect::None,
            method: "GET",
            route: "/api/teams",
            status: Some(500),
            own_word: true,
            said,
        };
        from_error(&error, "list the teams")
    }

    #[test]
    fn each_class_has_its_reason_and_never_the_servers_words() {
        for (class, reason) in [
            (Class::Unreachable, "Unreachable"),
            (Class::Retryable, "Unreachable"),
            (Class::Denied, "Denied"),
            (Class::TooOld, "ServerTooOld"),
            (Class::Invalid, "Invalid"),
            (Class::NotFound, "Invalid"),
            (Class::Conflict, "NameTaken"),
        ] {
            let state = failed(class);
            assert_eq!(state.reason.as_str(), reason);
            assert!(state.message.starts_with(&format!("Cannot list the teams ({class}): ")));
            assert!(!state.message.contains("4711") && !state.message.contains("hunter2"));
        }
    }
}

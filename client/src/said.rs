//! What a server said, made fit to be shown: short, printable, without secrets.
//!
//! Every text that leaves this crate inside an error passes through [`Secrets::clean`].

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use terdut_core::secret::SecretString;

use crate::settings::{Settings, proxy};

/// The longest text that is shown.
const LIMIT: usize = 300;
/// Secrets remembered at most; the keys a server gives out are also known by their shape.
const REMEMBERED: usize = 4096;
/// Shorter values are no secrets, and masking them would garble every message.
const SHORTEST: usize = 4;
const MASK: &str = "***";

/// The secrets that this client has sent or seen.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<VecDeque<SecretString>>);

impl Secrets {
    /// All that the settings hold and no message may show: whatever is sent may come back.
    pub(crate) fn of(settings: &Settings) -> Self {
        let secrets = Self::default();
        if let Some(token) = &settings.token {
            secrets.add(&SecretString::new(token.expose().trim()));
        }
        for value in settings.headers.values() {
            secrets.add_header(value);
        }
        let environment = &settings.environment;
        let proxies = [&settings.proxy, &environment.https_proxy, &environment.http_proxy];
        let proxies = proxies.into_iter().flatten().flat_map(proxy::secrets_of);
        let key = settings.client_key.iter().flat_map(lines_of_pem);
        for secret in proxies.chain(key) {
            secrets.add(&secret);
        }
        secrets
    }

    /// Remembers a secret, so that it is masked from now on.
    pub(crate) fn add(&self, secret: &SecretString) {
        if secret.expose().len() < SHORTEST {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(secret) {
            return;
        }
        if known.len() == REMEMBERED {
            known.pop_front();
        }
        known.push_back(secret.clone());
    }

    /// Remembers a header's value, with and without its scheme.
    pub(crate) fn add_header(&self, value: &SecretString) {
        self.add(value);
        if let Some((_, credentials)) = value.expose().split_once(' ') {
            self.add(&SecretString::new(credentials.trim()));
        }
    }

    /// The text without secrets and control characters, at most 300 characters.
    pub(crate) fn clean(&self, text: &str) -> String {
        let masked = self.mask(text);
        // Control characters could have hidden a secret from the first look.
        let printable: String = masked
            .chars()
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .filter(|c| !is_invisible(*c))
            .collect();
        let words: Vec<&str> = printable.split(' ').filter(|word| !word.is_empty()).collect();
        shorten(&mask_keys(&self.mask(&words.join(" "))))
    }

    fn mask(&self, text: &str) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut longest_first: Vec<&str> = known.iter().map(SecretString::expose).collect();
        longest_first.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let mut text = text.to_owned();
        for secret in longest_first {
            if text.contains(secret) {
                text = text.replace(secret, MASK);
            }
            let encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
            if encoded != secret && text.contains(&encoded) {
                text = text.replace(&encoded, MASK);
            }
        }
        text
    }
}

/// What stands between the first and the last line; of a path, nothing.
fn lines_of_pem(text: &SecretString) -> impl Iterator<Item = SecretString> {
    let lines = text.expose().lines().map(str::trim).skip_while(|line| !line.starts_with("-----"));
    lines.filter(|line| !line.starts_with("-----")).map(SecretString::new)
}

/// Control and formatting characters: they could reorder or hide text in a terminal.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Masks every run of 64 or more hex digits: keys of this server have that shape.
fn mask_keys(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut run = String::new();
    for c in text.chars().map(Some).chain([None]) {
        if let Some(digit) = c.filter(char::is_ascii_hexdigit) {
            run.push(digit);
            continue;
        }
        masked.push_str(if run.len() >= 64 { MASK } else { &run });
        run.clear();
        masked.extend(c);
    }
    masked
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    text.chars().take(LIMIT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_control_characters_and_length_are_taken_out() {
        let secrets = Secrets::default();
        secrets.add(&SecretString::new("s3cret+pass"));
        secrets.add_header(&SecretString::new("Basic dXNlcjpwYXNz"));
        secrets.add(&SecretString::new("1"));
        let key = "0123456789abcdef".repeat(4);
        for (text, expected) in [
            ("password s3cret+pass is 1", "password *** is 1"),
            ("encoded s3cret%2Bpass", "encoded ***"),
            ("split s3cret\u{7}+pass", "split ***"),
            ("header dXNlcjpwYXNz", "header ***"),
            ("a\u{1b}[31m\r\n\tb\u{202e}", "a[31m b"),
            (&format!("key={key};"), "key=***;"),
        ] {
            assert_eq!(secrets.clean(text), expected);
        }
        assert_eq!(secrets.clean(&"ü".repeat(400)).chars().count(), 300);
    }

    #[test]
    fn a_secret_at_the_cut_is_masked_before_it_is_cut() {
        let secrets = Secrets::default();
        secrets.add(&SecretString::new("canary-canary"));
        let cleaned = secrets.clean(&format!("{}canary-canary", "x ".repeat(146)));
        assert!(!cleaned.contains("can"), "{cleaned}");
    }

    #[test]
    fn what_settings_hold_is_taken_out_in_every_form() {
        let mut settings =
            Settings::new("http://localhost:1/").with_token(SecretString::new("t0ken-canary"));
        settings.proxy = Some(SecretString::new("http://gate:pr0xy-canary@localhost:3128"));
        let pem = "-----BEGIN PRIVATE KEY-----\nMHcCAQEE\nlast\n-----END PRIVATE KEY-----\n";
        settings.client_key = Some(SecretString::new(pem));
        settings.headers.insert("X-Gate".into(), SecretString::new("h3ader-canary"));
        let said = "t0ken-canary pr0xy-canary Z2F0ZTpwcjB4eS1jYW5hcnk= MHcCAQEE h3ader-canary";
        assert_eq!(Secrets::of(&settings).clean(said), "*** *** *** *** ***");
        settings.client_key = Some(SecretString::new("/etc/terdut/key.pem"));
        let path = "no such file: /etc/terdut/key.pem";
        assert_eq!(Secrets::of(&settings).clean(path), path);
    }

    proptest::proptest! {
        #[test]
        fn no_text_shows_a_secret_or_a_control_character(
            before in ".{0,310}", after in ".{0,20}", secret in "[a-zA-Z0-9+/ %é-]{4,40}",
        ) {
            let secrets = Secrets::default();
            secrets.add(&SecretString::new(secret.trim()));
            let cleaned = secrets.clean(&format!("{before}{}{after}", secret.trim()));
            let shown = secret.trim().len() >= SHORTEST && cleaned.contains(secret.trim());
            proptest::prop_assert!(!shown, "{cleaned:?} shows {secret:?}");
            proptest::prop_assert!(cleaned.chars().count() <= LIMIT);
            proptest::prop_assert!(!cleaned.chars().any(char::is_control));
        }
    }
}

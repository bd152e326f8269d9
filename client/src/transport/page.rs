//! Where a list continues: `Link: <…>; rel="next"`.
//!
//! Called by the client after each page. A page at another origin is an error, not the end: half a
//! list would make objects look gone.

use http::{HeaderMap, header};
use url::Url;

/// A next page that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PageError {
    /// It is at another origin.
    #[error("the list continues at another origin ({origin}), which is not followed")]
    Elsewhere {
        /// The origin.
        origin: String,
    },
    /// Its address cannot be read.
    #[error("the list continues at an address that cannot be read")]
    Unreadable,
}

/// The address of the page after `current`, if there is one.
pub(crate) fn next(headers: &HeaderMap, current: &Url) -> Result<Option<Url>, PageError> {
    let links = headers.get_all(header::LINK).iter().filter_map(|value| value.to_str().ok());
    let Some(target) =
        links.flat_map(targets).find_map(|(target, is_next)| is_next.then_some(target))
    else {
        return Ok(None);
    };
    let url = current.join(target).map_err(|_| PageError::Unreadable)?;
    if url.origin() == current.origin() {
        return Ok(Some(url));
    }
    Err(PageError::Elsewhere { origin: url.origin().ascii_serialization() })
}

/// The links in a header's value, each with whether it is the next page.
fn targets(value: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((target, after)) = after.split_once('>') else { break };
        let parameters = after.split('<').next().unwrap_or_default();
        found.push((target.trim(), is_next(parameters)));
        rest = after;
    }
    found
}

fn is_next(parameters: &str) -> bool {
    parameters.split([';', ',']).filter_map(|parameter| parameter.split_once('=')).any(
        |(name, value)| {
            let words = value.trim().trim_matches('"');
            name.trim().eq_ignore_ascii_case("rel")
                && words.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("next"))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_at_the_same_origin_only() {
        let current = Url::parse("https://terdut.example/base/api/teams").unwrap();
        let elsewhere = |origin: &str| Err(PageError::Elsewhere { origin: origin.to_owned() });
        let at = |path: &str| {
            Ok(Some(Url::parse("https://terdut.example").unwrap().join(path).unwrap()))
        };
        for (link, expected) in [
            ("", Ok(None)),
            ("</x?page=1>; rel=\"prev\"", Ok(None)),
            ("</x?page=1>; rel=prev, </x?page=3>; rel=next", at("/x?page=3")),
            ("<?page=2>; title=\"a\"; rel=\"last next\"", at("/base/api/teams?page=2")),
            ("<https://terdut.example/y>; rel=\"next\"", at("/y")),
            ("<https://evil.example/y>; rel=\"next\"", elsewhere("https://evil.example")),
            ("<http://terdut.example/y>; rel=\"next\"", elsewhere("http://terdut.example")),
            ("<https://terdut.example:8443/y>; rel=next", elsewhere("https://terdut.example:8443")),
            ("<http://[>; rel=next", Err(PageError::Unreadable)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::LINK, link.parse().unwrap());
            assert_eq!(next(&headers, &current), expected, "{link}");
        }
    }
}

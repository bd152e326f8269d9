//! Unknown values: extension code 0 plain, code 12 with a refinement.
//!
//! Called by the reader and the writer of values. A refinement is an addition: one that cannot be
//! read never makes the value an error.

use super::read::number;
use super::reader::{Reader, Token};
use super::write::{self, Out};
use crate::codec::CodecError;
use crate::value::{Bound, Refinement, Value, normalized};

const REFINED: i8 = 12;

/// Every extension is an unknown; a refinement that cannot be read says nothing.
pub(super) fn read(code: i8, payload: &[u8]) -> Value {
    if code != REFINED {
        return Value::UNKNOWN;
    }
    body(&mut Reader::new(payload)).map_or(Value::UNKNOWN, Value::from)
}

fn body(reader: &mut Reader<'_>) -> Option<Refinement> {
    let Token::Map(len) = reader.token().ok()? else { return None };
    let mut refinement = Refinement::default();
    for _ in 0..len {
        let Token::Int(key) = reader.token().ok()? else { return None };
        match (key, reader.token().ok()?) {
            (1, Token::Bool(null)) => refinement.null = Some(null),
            (2, Token::Str(len)) => {
                refinement.prefix = Some(normalized(reader.text(len).ok()?).into_owned());
            }
            (3, Token::Array(2)) => refinement.number_min = Some(bound(reader).ok()?),
            (4, Token::Array(2)) => refinement.number_max = Some(bound(reader).ok()?),
            (5, Token::Int(len)) => refinement.length_min = Some(len),
            (6, Token::Int(len)) => refinement.length_max = Some(len),
            (_, value) => skip(reader, value, 8)?,
        }
    }
    Some(refinement)
}

fn bound(reader: &mut Reader<'_>) -> Result<Bound, CodecError> {
    let token = reader.token()?;
    let value = number(reader, token)?;
    Ok(Bound { value, inclusive: reader.token()? == Token::Bool(true) })
}

/// Passes over what a later version of the protocol may say.
fn skip(reader: &mut Reader<'_>, token: Token, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let inner = match token {
        Token::Str(len) | Token::Bin(len) | Token::Ext(_, len) => {
            reader.bytes(len).ok()?;
            0
        }
        Token::Array(len) => len,
        Token::Map(len) => len * 2,
        _ => 0,
    };
    for _ in 0..inner {
        let token = reader.token().ok()?;
        skip(reader, token, depth)?;
    }
    Some(())
}

/// Writes an unknown.
pub(super) fn write(out: &mut Out, refinement: Option<&Refinement>) {
    match refinement {
        Some(refinement) if !refinement.is_empty() => {
            let mut payload = Out::new();
            write_body(&mut payload, refinement);
            out.ext(REFINED, &payload.into_bytes());
        }
        // One byte of payload, as hosts themselves write it.
        _ => out.ext(0, &[0]),
    }
}

fn write_body(out: &mut Out, refinement: &Refinement) {
    let Refinement { null, prefix, number_min, number_max, length_min, length_max } = refinement;
    out.map(
        usize::from(null.is_some())
            + usize::from(prefix.is_some())
            + number_min.iter().chain(number_max).count()
            + length_min.iter().chain(length_max).count(),
    );
    if let Some(null) = null {
        out.int(1);
        out.bool(*null);
    }
    if let Some(prefix) = prefix {
        out.int(2);
        out.text(prefix);
    }
    for (key, end) in [(3, number_min), (4, number_max)] {
        if let Some(end) = end {
            out.int(key);
            out.array(2);
            write::number(out, &end.value);
            out.bool(end.inclusive);
        }
    }
    for (key, len) in [(5, length_min), (6, length_max)] {
        if let Some(len) = len {
            out.int(key);
            out.int(*len);
        }
    }
}

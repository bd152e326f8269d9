//! The bytes of a message, read from front to back with every length checked.

use rmp::Marker;

use crate::codec::{CodecError, Reason};

/// What stands at the front, with its small payload or its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Nil,
    Bool(bool),
    Int(i64),
    /// Beyond `i64`.
    Uint(u64),
    Float(f64),
    Str(usize),
    Bin(usize),
    Array(usize),
    Map(usize),
    /// An extension: its code and length.
    Ext(i8, usize),
}

impl Token {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Token::Nil => "null",
            Token::Bool(_) => "bool",
            Token::Int(_) | Token::Uint(_) | Token::Float(_) => "number",
            Token::Str(_) => "string",
            Token::Bin(_) => "block of bytes",
            Token::Array(_) => "list",
            Token::Map(_) => "map",
            Token::Ext(..) => "unknown",
        }
    }
}

/// The bytes that are left.
#[derive(Debug)]
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    pub(super) fn bytes(&mut self, len: usize) -> Result<&'b [u8], CodecError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Reason::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn text(&mut self, len: usize) -> Result<&'b str, CodecError> {
        std::str::from_utf8(self.bytes(len)?).map_err(|_| Reason::Utf8.into())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Reason::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// A count of things that take at least `each` bytes: one that cannot be is refused at once.
    fn count(&self, count: usize, each: usize) -> Result<usize, CodecError> {
        if count > self.left() / each { Err(Reason::Truncated.into()) } else { Ok(count) }
    }

    fn len8(&mut self) -> Result<usize, CodecError> {
        Ok(usize::from(u8::from_be_bytes(self.array()?)))
    }

    fn len16(&mut self) -> Result<usize, CodecError> {
        Ok(usize::from(u16::from_be_bytes(self.array()?)))
    }

    fn len32(&mut self) -> Result<usize, CodecError> {
        usize::try_from(u32::from_be_bytes(self.array()?)).map_err(|_| Reason::Truncated.into())
    }

    fn ext(&mut self, len: usize) -> Result<Token, CodecError> {
        Ok(Token::Ext(i8::from_be_bytes(self.array()?), len))
    }

    pub(super) fn token(&mut self) -> Result<Token, CodecError> {
        let [first] = self.array()?;
        match Marker::from_u8(first) {
            Marker::Null => Ok(Token::Nil),
            Marker::False => Ok(Token::Bool(false)),
            Marker::True => Ok(Token::Bool(true)),
            Marker::FixStr(len) => Ok(Token::Str(len.into())),
            Marker::Str8 => self.len8().map(Token::Str),
            Marker::Str16 => self.len16().map(Token::Str),
            Marker::Str32 => self.len32().map(Token::Str),
            Marker::Bin8 => self.len8().map(Token::Bin),
            Marker::Bin16 => self.len16().map(Token::Bin),
            Marker::Bin32 => self.len32().map(Token::Bin),
            Marker::FixArray(len) => self.count(len.into(), 1).map(Token::Array),
            Marker::Array16 => self.len16().and_then(|len| self.count(len, 1)).map(Token::Array),
            Marker::Array32 => self.len32().and_then(|len| self.count(len, 1)).map(Token::Array),
            Marker::FixMap(len) => self.count(len.into(), 2).map(Token::Map),
            Marker::Map16 => self.len16().and_then(|len| self.count(len, 2)).map(Token::Map),
            Marker::Map32 => self.len32().and_then(|len| self.count(len, 2)).map(Token::Map),
            Marker::FixExt1 => self.ext(1),
            Marker::FixExt2 => self.ext(2),
            Marker::FixExt4 => self.ext(4),
            Marker::FixExt8 => self.ext(8),
            Marker::FixExt16 => self.ext(16),
            Marker::Ext8 => self.len8().and_then(|len| self.ext(len)),
            Marker::Ext16 => self.len16().and_then(|len| self.ext(len)),
            Marker::Ext32 => self.len32().and_then(|len| self.ext(len)),
            Marker::Reserved => Err(Reason::Kind("value", "reserved byte").into()),
            number => self.number(number),
        }
    }

    fn number(&mut self, marker: Marker) -> Result<Token, CodecError> {
        Ok(match marker {
            Marker::FixPos(int) => Token::Int(int.into()),
            Marker::FixNeg(int) => Token::Int(int.into()),
            Marker::U8 => Token::Int(u8::from_be_bytes(self.array()?).into()),
            Marker::U16 => Token::Int(u16::from_be_bytes(self.array()?).into()),
            Marker::U32 => Token::Int(u32::from_be_bytes(self.array()?).into()),
            Marker::U64 => {
                let int = u64::from_be_bytes(self.array()?);
                i64::try_from(int).map_or(Token::Uint(int), Token::Int)
            }
            Marker::I8 => Token::Int(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => Token::Int(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => Token::Int(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => Token::Int(i64::from_be_bytes(self.array()?)),
            Marker::F32 => Token::Float(f32::from_be_bytes(self.array()?).into()),
            Marker::F64 => Token::Float(f64::from_be_bytes(self.array()?)),
            _ => return Err(Reason::Kind("number", "other value").into()),
        })
    }
}

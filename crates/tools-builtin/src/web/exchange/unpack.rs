//! Decompression of gzip bodies with any number of members.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::web::failure::{Failure, Problem};

/// Number of bytes to decompress at once. They expand to at most a megabyte.
const STEP: usize = 1024;

/// Decoder of the body. The client decodes only the first gzip member, so gzip is decoded here.
pub(super) enum Unpacker {
    Plain,
    Gzip {
        decoder: Box<MultiGzDecoder<Vec<u8>>>,
        is_begun: bool,
    },
}

impl Unpacker {
    /// Creates the decoder for the headers. The client removes the header of encodings that it
    /// decoded.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Failure> {
        let packings = headers.get_all(CONTENT_ENCODING).iter();
        let mut packings = packings
            .map(|packing| packing.as_bytes().trim_ascii())
            .filter(|packing| !packing.is_empty() && !packing.eq_ignore_ascii_case(b"identity"));
        match (packings.next(), packings.next()) {
            (None, _) => Ok(Self::Plain),
            (Some(packing), None)
                if packing.eq_ignore_ascii_case(b"gzip")
                    || packing.eq_ignore_ascii_case(b"x-gzip") =>
            {
                Ok(Self::Gzip {
                    decoder: Box::new(MultiGzDecoder::new(Vec::new())),
                    is_begun: false,
                })
            }
            // Several encodings, or an unknown one: showing the bytes would be worse than an error.
            _ => Err(Problem::BadEncoding.into()),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    /// Returns the number of bytes to decode before the size is checked.
    pub(super) fn step(&self) -> usize {
        if self.is_plain() { usize::MAX } else { STEP }
    }

    /// Decodes a chunk and appends the result to `body`.
    pub(super) fn unpack(&mut self, piece: &[u8], body: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            Self::Plain => body.extend_from_slice(piece),
            Self::Gzip { decoder, is_begun } => {
                *is_begun |= !piece.is_empty();
                let written = decoder.write_all(piece).and_then(|()| decoder.flush());
                written.map_err(|_| Problem::BadEncoding)?;
                body.append(decoder.get_mut());
            }
        }
        Ok(())
    }

    /// Checks that the last member is complete.
    pub(super) fn finish(&mut self, body: &mut Vec<u8>) -> Result<(), Failure> {
        if let Self::Gzip {
            decoder,
            // A server may send the header with an empty body, which is not valid gzip.
            is_begun: true,
        } = self
        {
            decoder.try_finish().map_err(|_| Problem::BadEncoding)?;
            body.append(decoder.get_mut());
        }
        Ok(())
    }
}

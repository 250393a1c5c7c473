//! Bodies that are packed by gzip, all their members.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::web::failure::Failure;

/// So many bytes are unpacked at once; they become a megabyte at most.
const STEP: usize = 1024;

/// What makes the body of its pieces. The client unpacks the first member alone, so that gzip is unpacked here.
pub(super) enum Unpacker {
    Plain,
    Gzip {
        decoder: Box<MultiGzDecoder<Vec<u8>>>,
        is_begun: bool,
    },
}

impl Unpacker {
    /// What undoes the packing that the headers tell. What the client could unpack has lost that header.
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
            _ => Err(Failure::BadEncoding(None)),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    /// How many bytes of a piece to unpack before looking at what they became.
    pub(super) fn step(&self) -> usize {
        if self.is_plain() { usize::MAX } else { STEP }
    }

    /// Unpacks a piece onto the end of `body`.
    pub(super) fn unpack(&mut self, piece: &[u8], body: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            Self::Plain => body.extend_from_slice(piece),
            Self::Gzip { decoder, is_begun } => {
                *is_begun |= !piece.is_empty();
                let written = decoder.write_all(piece).and_then(|()| decoder.flush());
                written.map_err(|_| Failure::BadEncoding(None))?;
                body.append(decoder.get_mut());
            }
        }
        Ok(())
    }

    /// Makes sure that the last member came to its end.
    pub(super) fn finish(&mut self, body: &mut Vec<u8>) -> Result<(), Failure> {
        if let Self::Gzip {
            decoder,
            is_begun: true,
        } = self
        {
            decoder
                .try_finish()
                .map_err(|_| Failure::BadEncoding(None))?;
            body.append(decoder.get_mut());
        }
        Ok(())
    }
}

//! What the first bytes of a file say.

/// What archives begin with that have something in them.
const ARCHIVE: &[u8] = b"PK\x03\x04";
/// What the containers of documents from before 2007 begin with; those of encrypted documents of today too.
pub(super) const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Whether a file that begins like this may be a document, so that it is worth a closer look.
pub(crate) fn may_be_document(beginning: &[u8]) -> bool {
    beginning.starts_with(ARCHIVE) || beginning.starts_with(COMPOUND)
}

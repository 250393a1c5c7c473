//! Archives for tests.

use std::io::Write as _;

use super::BLOCK;

/// Packs files under the directory `repo-1`, with pax headers for long paths.
pub(in crate::github) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (path, content) in files {
        let path = format!("repo-1/{path}");
        if path.len() > 100 {
            let record = format!(" path={path}\n");
            let length = record.len() + 3;
            add(
                &mut tar,
                "pax",
                b'x',
                format!("{length}{record}").as_bytes(),
            );
        }
        add(&mut tar, &path, b'0', content);
    }
    tar.extend([0; 2 * BLOCK]);
    gzip(&tar)
}

pub(in crate::github) fn add(tar: &mut Vec<u8>, path: &str, kind: u8, content: &[u8]) {
    let mut header = [0; BLOCK];
    let name = &path.as_bytes()[..path.len().min(100)];
    header[..name.len()].copy_from_slice(name);
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[156] = kind;
    header[257..262].copy_from_slice(b"ustar");
    tar.extend(header);
    tar.extend(content);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
}

pub(in crate::github) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

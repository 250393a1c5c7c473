use proptest::prelude::*;

use super::testing::{add, gzip, packed};
use super::*;

fn all(packed: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut read = Vec::new();
    files(
        packed,
        |_, _| true,
        |path, content| read.push((path.to_owned(), content)),
    )?;
    Ok(read)
}

#[test]
fn reads_files_with_long_paths() {
    let long = format!("{}/b.txt", "a".repeat(120));
    let archive = packed(&[("a.txt", b"one"), (&long, &[b'x'; 600]), ("c", b"")]);

    let read = all(&archive).unwrap();

    let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["a.txt", &long, "c"]);
    assert_eq!((read[0].1.as_slice(), read[1].1.len()), (&b"one"[..], 600));
}

#[test]
fn omits_links_and_unsafe_paths() {
    let mut tar = Vec::new();
    for (path, kind) in [
        ("r/../../etc/x", b'0'),
        ("r/link", b'2'),
        ("r/dir/", b'5'),
        ("/abs", b'0'),
        ("r/ok", b'0'),
    ] {
        add(&mut tar, path, kind, b"x");
    }
    tar.extend([0; BLOCK]);

    let read = all(&gzip(&tar)).unwrap();

    let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["abs", "ok"]);
}

#[test]
fn rejects_bombs_and_incomplete_archives() {
    let mut tar = Vec::new();
    add(&mut tar, "r/zeros", b'0', &vec![0; 32 * 1024 * 1024]);
    assert!(all(&gzip(&tar)).is_err());

    let whole = packed(&[("a", &[7; 5000])]);
    assert!(all(&whole[..whole.len() / 2]).is_err());
    assert!(all(b"not gzip").is_err());
}

/// Returns an archive with one entry, whose header is changed.
fn changed(change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut tar = Vec::new();
    add(&mut tar, "r/file", b'0', b"content");
    change(&mut tar);
    tar.extend([0; 2 * BLOCK]);
    gzip(&tar)
}

#[test]
fn reads_long_names_of_all_formats() {
    let long = "b".repeat(150);
    let mut tar = Vec::new();
    add(
        &mut tar,
        "global",
        b'g',
        b"52 comment=0000000000000000000000000000000000000000\n",
    );
    add(
        &mut tar,
        "././@LongLink",
        b'L',
        format!("r/{long}\0").as_bytes(),
    );
    add(&mut tar, "r/b", b'0', b"gnu");
    let place = tar.len();
    add(&mut tar, "name", b'0', b"ustar");
    tar[place + 345..place + 353].copy_from_slice(b"r/prefix");
    add(
        &mut tar,
        "pax",
        b'x',
        b"no length\n12 size=4\n\n13 path=r/p\n\n",
    );
    add(&mut tar, "r/plain", b'0', b"last");

    let read = all(&gzip(&tar)).unwrap();

    let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, [long.as_str(), "prefix/name", "plain"]);
}

#[test]
fn damaged_headers_are_errors() {
    for archive in [
        changed(|tar| tar[124..135].copy_from_slice(b"not a size!")),
        // The content, its padding or a skipped entry is missing.
        changed(|tar| tar[124..135].copy_from_slice(b"00000009999")),
        changed(|tar| {
            tar[124..135].copy_from_slice(b"00000009999");
            tar[156] = b'5';
        }),
        gzip(&[1; 100]),
    ] {
        assert!(all(&archive).is_err());
    }
}

#[test]
fn number_of_entries_is_limited() {
    let mut tar = Vec::new();
    for _ in 0..=MAX_ENTRIES {
        add(&mut tar, "r/", b'5', b"");
    }
    // Stored without compression, so that the ratio is not the reason.
    let mut stored = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut stored, &tar).unwrap();

    let error = all(&stored.finish().unwrap()).unwrap_err();

    assert_eq!(error.to_string(), "the archive has too many entries");
}

proptest! {
    #[test]
    fn never_panics(bytes: Vec<u8>, at in 0_usize..1500, value: u8) {
        let mut tar = Vec::new();
        add(&mut tar, "r/a", b'x', b"12 path=a/b\n");
        add(&mut tar, "r/b", b'0', &bytes);
        if let Some(byte) = tar.get_mut(at) {
            *byte = value;
        }
        let _ = all(&gzip(&tar));
    }
}

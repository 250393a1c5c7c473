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

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;

type Link = fn(PathBuf, PathBuf) -> std::io::Result<()>;

/// A directory that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let name = OutputHandle::random().unwrap();
        let folder = std::env::temp_dir().join(name.as_str());
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn store(&self) -> PathBuf {
        self.0.join("store")
    }

    async fn open(&self) -> DirectoryStore {
        let opened = DirectoryStore::open(self.store(), StoreLimits::default()).await;
        opened.unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.store()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn output_is_file_readable_by_owner() {
    let scratch = Scratch::new();
    let store = scratch.open().await;

    let handle = store.put("one\ntwo\n".into()).await.unwrap();

    assert_eq!(scratch.files(), [handle.as_str()]);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(scratch.store().join(handle.as_str())), 0o600);
    assert_eq!(mode(scratch.store()), 0o700);
}

#[tokio::test]
async fn pages_of_file_yield_full_text() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let whole = "zażółć gęślą jaźń\n".repeat(50) + &"日本語".repeat(40);
    let handle = store.put(whole.as_str().into()).await.unwrap();

    let (mut gathered, mut offset) = (String::new(), Some(0));
    while let Some(at) = offset {
        let page = store.read(&handle, at, 37).await.unwrap();
        offset = page.next_offset();
        gathered.push_str(&page.content);
    }

    assert_eq!(gathered, whole);
}

#[tokio::test]
async fn reopened_store_finds_complete_outputs() {
    let scratch = Scratch::new();
    let handle = scratch.open().await.put("text".into()).await.unwrap();
    let half = scratch
        .store()
        .join(format!("{}.part", OutputHandle::random().unwrap()));
    fs::write(half, "half").unwrap();
    fs::write(scratch.store().join("notes.txt"), "of somebody else").unwrap();

    let again = scratch.open().await;

    assert_eq!(again.read(&handle, 0, 10).await.unwrap().content, "text");
    let mut expected = vec!["notes.txt".to_owned(), handle.to_string()];
    expected.sort();
    assert_eq!(scratch.files(), expected);
}

#[tokio::test]
async fn removes_expired_and_excess_files() {
    let scratch = Scratch::new();
    let few = StoreLimits::default().with_entries(2);
    let store = DirectoryStore::open(scratch.store(), few).await.unwrap();
    store.put("first".into()).await.unwrap();
    let second = store.put("second".into()).await.unwrap();
    let third = store.put("third".into()).await.unwrap();
    let mut expected = [second.to_string(), third.to_string()];
    expected.sort();
    assert_eq!(scratch.files(), expected);

    let young = StoreLimits::default().with_age(Duration::ZERO);
    let again = DirectoryStore::open(scratch.store(), young).await.unwrap();

    assert!(scratch.files().is_empty());
    assert!(matches!(
        again.read(&third, 0, 9).await,
        Err(StoreError::Unknown)
    ));
}

#[tokio::test]
async fn does_not_follow_links() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let secret = scratch.0.join("secret");
    fs::write(&secret, "12345678").unwrap();
    for link in [symlink as Link, fs::hard_link as Link] {
        let handle = store.put("abcdefgh".into()).await.unwrap();
        let file = scratch.store().join(handle.as_str());
        fs::remove_file(&file).unwrap();
        link(secret.clone(), file).unwrap();

        let error = store.read(&handle, 0, 100).await.unwrap_err();

        assert!(matches!(error, StoreError::Damaged), "{error}");
    }
}

#[tokio::test]
async fn rejects_directory_writable_by_others() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.store()).unwrap();
    fs::set_permissions(scratch.store(), fs::Permissions::from_mode(0o777)).unwrap();
    symlink(&scratch.0, scratch.0.join("link")).unwrap();

    for folder in [scratch.store(), scratch.0.join("link")] {
        let error = DirectoryStore::open(folder, StoreLimits::default())
            .await
            .unwrap_err();

        assert!(matches!(error, StoreError::Unsafe), "{error}");
    }
}

#[tokio::test]
async fn detects_changed_and_removed_files() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let (longer, gone) = (
        store.put("text".into()).await.unwrap(),
        store.put("text".into()).await.unwrap(),
    );
    fs::write(scratch.store().join(longer.as_str()), "another text").unwrap();
    fs::remove_file(scratch.store().join(gone.as_str())).unwrap();

    assert!(matches!(
        store.read(&longer, 0, 9).await,
        Err(StoreError::Damaged)
    ));
    assert!(matches!(
        store.read(&gone, 0, 9).await,
        Err(StoreError::Unknown)
    ));
}

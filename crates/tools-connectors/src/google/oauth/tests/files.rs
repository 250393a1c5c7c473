//! Token files under unusual conditions.

#![cfg(unix)]

use std::thread;

use super::processes::{FOLDER, process};
use super::*;

const SERVER: &str = "TOOLWRIGHT_TOKEN_SERVER";

/// Without the variable, the test runs itself with the least restrictive mask.
#[tokio::test]
async fn modes_do_not_depend_on_mask() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(folder) = std::env::var_os(FOLDER) else {
        let scratch = Scratch::new();
        let mut command = process("umask 000;", "files::modes_do_not_depend_on_mask");
        assert!(
            command
                .env(FOLDER, scratch.path())
                .status()
                .unwrap()
                .success()
        );
        let directory = scratch.path().join("new/.gmail-tokens");
        let file = directory.join(TokenKey::gmail(CLIENT).file_name());
        for (path, mode) in [(&directory, 0o700), (&file, 0o600)] {
            let found = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode);
        }
        return;
    };
    let folder = TokenFolder::new(PathBuf::from(folder).join("new"));
    let text = Secret::new("{}".to_owned());
    folder.put(&TokenKey::gmail(CLIENT), &text).unwrap();
}

/// `KILL_ROUNDS` sets the number of killed processes.
#[tokio::test]
async fn killed_writer_leaves_old_or_new_tokens() {
    let key = TokenKey::gmail(CLIENT);
    let texts = ["a", "b"].map(|letter| Secret::new(letter.repeat(20_000)));
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = TokenFolder::new(folder);
        loop {
            for text in &texts {
                folder.put(&key, text).unwrap();
            }
        }
    }
    let scratch = Scratch::new();
    let folder = TokenFolder::new(scratch.path());
    folder.put(&key, &texts[0]).unwrap();
    let rounds = std::env::var("KILL_ROUNDS").ok();
    let rounds = rounds.map_or(20, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let mut command = process("", "files::killed_writer_leaves_old_or_new_tokens");
        let mut child = command.env(FOLDER, scratch.path()).spawn().unwrap();
        tokio::time::sleep(Duration::from_micros(10_000 + round * 977 % 20_000)).await;
        child.kill().unwrap();
        child.wait().unwrap();

        let found = folder.get(&key).unwrap().unwrap();

        assert!(texts.contains(&found), "round {round}");
    }
    println!("token files after {rounds} killed writers: all complete");
}

#[tokio::test]
async fn unwritable_directory_is_reported() {
    let setup = Setup::new(authorize).await;
    fs::write(setup.scratch.path().join(".gmail-tokens"), "a file").unwrap();

    let problem = token(&setup.tokens(SignIn::Printing(browser(consents))))
        .await
        .unwrap_err();

    let error = problem.into_error("Gmail");
    assert_eq!(error.code().as_str(), "token_store_failed");
    let path = setup.scratch.path().to_string_lossy().into_owned();
    assert!(!format!("{error:?}").contains(&path));
}

/// Returns the tokens of the test that started this process, if any.
fn inherited() -> Option<(PathBuf, AccountTokens)> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    let url = std::env::var(SERVER).unwrap();
    let tokens = account(&url, &folder, SignIn::Disabled, |_| ());
    Some((folder, tokens))
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_share_one_refresh() {
    if let Some((folder, tokens)) = inherited() {
        fs::write(folder.join(format!("ready-{}", std::process::id())), "").unwrap();
        while !folder.join("begin").exists() {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
        return;
    }
    let setup = Setup::new(|request, count| {
        // The other processes wait for the lock meanwhile.
        thread::sleep(Duration::from_millis(300));
        authorize(request, count)
    })
    .await;
    setup.store("old-token", 10);
    let folder = setup.scratch.path();
    let start = || {
        let mut command = process("", "files::processes_share_one_refresh");
        let command = command.env(FOLDER, folder).env(SERVER, setup.server.url());
        command.spawn().unwrap()
    };
    let children = [start(), start(), start(), start()];
    // Each process reports that it is ready, next to the tokens.
    while fs::read_dir(folder).unwrap().count() < 1 + children.len() {
        thread::sleep(Duration::from_millis(5));
    }
    fs::write(folder.join("begin"), "").unwrap();

    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    assert_eq!(setup.server.received().len(), 1);
    assert_eq!(setup.stored()["refresh_token"], "refresh-token-0");
}

/// A limit for the size of files has the effect of a full disk: files can be created, but not written.
#[tokio::test(flavor = "multi_thread")]
async fn full_disk_keeps_old_tokens() {
    if let Some((folder, tokens)) = inherited() {
        assert_eq!(
            code(token(&tokens).await.unwrap_err()),
            "token_store_failed"
        );
        let store = TokenFolder::new(folder);
        let text = Secret::new("{}".to_owned());
        assert!(store.put(&TokenKey::gmail(CLIENT), &text).is_err());
        return;
    }
    let setup = Setup::new(authorize).await;
    setup.store("old-token", 10);
    let before = setup.stored();

    let mut command = process(
        "trap '' XFSZ; ulimit -f 0;",
        "files::full_disk_keeps_old_tokens",
    );
    command
        .env(FOLDER, setup.scratch.path())
        .env(SERVER, setup.server.url());
    assert!(command.status().unwrap().success());

    assert_eq!(setup.server.received().len(), 1);
    assert_eq!(setup.stored(), before);
    let directory = fs::read_dir(setup.scratch.path().join(".gmail-tokens")).unwrap();
    let mut names: Vec<_> = directory.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [setup.key.file_name().as_str(), "token.lock"]);
}

#[tokio::test]
async fn tokens_of_other_owner_are_rejected() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    let setup = Setup::new(authorize).await;
    setup.store("old-token", 3000);
    let other = fs::metadata(setup.path()).unwrap().uid() + 1;
    if chown(setup.path(), Some(other), None).is_err() {
        println!("skipped: only root can create files of other owners");
        return;
    }
    let result = async || token(&setup.tokens(SignIn::Disabled)).await.map_err(code);
    assert_eq!(result().await, Err("token_store_failed".to_owned()));

    // Root can read and write in a private directory of another owner.
    let directory = setup.scratch.path().join(".gmail-tokens");
    chown(&directory, Some(other), None).unwrap();
    assert_eq!(result().await, Err("token_store_failed".to_owned()));
    let store = TokenFolder::new(setup.scratch.path());
    assert!(
        store
            .put(&setup.key, &Secret::new("{}".to_owned()))
            .is_err()
    );

    chown(&directory, Some(other - 1), None).unwrap();
    chown(setup.path(), Some(other - 1), None).unwrap();
    assert_eq!(result().await.unwrap(), "old-token");
}

#[tokio::test]
async fn state_directory_is_that_of_environment() {
    let Some(expected) = std::env::var_os(FOLDER) else {
        let test = "files::state_directory_is_that_of_environment";
        for (shell, folder) in [
            (
                "export XDG_STATE_HOME=/state HOME=/home/me;",
                "/state/my-agent",
            ),
            (
                "unset XDG_STATE_HOME; export HOME=/home/me;",
                "/home/me/.local/state/my-agent",
            ),
            (
                "export XDG_STATE_HOME= HOME=/home/me;",
                "/home/me/.local/state/my-agent",
            ),
            ("export XDG_STATE_HOME=relative;", ""),
            ("unset XDG_STATE_HOME HOME;", ""),
        ] {
            let status = process(shell, test).env(FOLDER, folder).status();
            assert!(status.unwrap().success(), "{shell}");
        }
        return;
    };
    let expected = expected.into_string().unwrap();
    let found = TokenFolder::in_state_folder("my-agent");
    match found {
        Ok(folder) => {
            let expected = TokenFolder::new(expected);
            assert_eq!(format!("{folder:?}"), format!("{expected:?}"));
        }
        Err(_) => assert_eq!(expected, ""),
    }
    for name in ["", "..", "a/b", "a\\b"] {
        assert!(TokenFolder::in_state_folder(name).is_err(), "{name}");
    }
}

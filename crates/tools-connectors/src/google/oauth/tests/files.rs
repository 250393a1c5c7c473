//! Token files under unusual conditions.

#![cfg(unix)]

use std::process::{Command, Stdio};

use super::*;

const FOLDER: &str = "TOOLWRIGHT_TOKEN_FOLDER";

/// Returns a command that runs one of these tests in another process.
fn process(shell: &str, test: &str) -> Command {
    let mut command = Command::new("sh");
    let path = std::env::current_exe().unwrap();
    let name = format!("google::oauth::tests::files::{test}");
    command
        .args(["-c", &format!("{shell} exec \"$0\" --exact \"$1\"")])
        .args([path.as_os_str(), name.as_ref()])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Without the variable, the test runs itself with the least restrictive mask.
#[tokio::test]
async fn modes_do_not_depend_on_mask() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(folder) = std::env::var_os(FOLDER) else {
        let scratch = Scratch::new();
        let mut command = process("umask 000;", "modes_do_not_depend_on_mask");
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
    folder.put(&TokenKey::gmail(CLIENT), &text).await.unwrap();
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
                folder.put(&key, text).await.unwrap();
            }
        }
    }
    let scratch = Scratch::new();
    let folder = TokenFolder::new(scratch.path());
    folder.put(&key, &texts[0]).await.unwrap();
    let rounds = std::env::var("KILL_ROUNDS").ok();
    let rounds = rounds.map_or(20, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let mut command = process("", "killed_writer_leaves_old_or_new_tokens");
        let mut child = command.env(FOLDER, scratch.path()).spawn().unwrap();
        tokio::time::sleep(Duration::from_micros(10_000 + round * 977 % 20_000)).await;
        child.kill().unwrap();
        child.wait().unwrap();

        let found = folder.get(&key).await.unwrap().unwrap();

        assert!(texts.contains(&found), "round {round}");
    }
    println!("token files after {rounds} killed writers: all complete");
}

#[tokio::test]
async fn unwritable_directory_is_reported() {
    let setup = Setup::new(authorize).await;
    fs::write(setup.scratch.path().join(".gmail-tokens"), "a file").unwrap();

    let problem = token(&setup.tokens(SignIn::printing(browser(consents))))
        .await
        .unwrap_err();

    let error = problem.into_error("Gmail");
    assert_eq!(error.code().as_str(), "token_store_failed");
    let path = setup.scratch.path().to_string_lossy().into_owned();
    assert!(!format!("{error:?}").contains(&path));
}

//! Sign-in in the user's browser. Each test has its own process, because the environment names the display.

use std::os::unix::fs::PermissionsExt as _;

use super::processes::{FOLDER, process};
use super::*;

#[tokio::test]
async fn prompt_replaces_missing_browser() {
    if std::env::var_os(FOLDER).is_some() {
        let setup = Setup::new(authorize).await;
        let prompt = super::browser(consents);
        let tokens = setup.tokens(SignIn::Browser(prompt.clone()));

        assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
        assert_eq!(prompt.shown.load(Ordering::Relaxed), 1);
        return;
    }
    let scratch = Scratch::new();
    for shell in [
        "unset DISPLAY WAYLAND_DISPLAY;",
        // There is a display, but no program.
        "unset WAYLAND_DISPLAY; export DISPLAY=:0 PATH=/nowhere;",
    ] {
        let mut command = process(shell, "browser::prompt_replaces_missing_browser");
        assert!(
            command
                .env(FOLDER, scratch.path())
                .status()
                .unwrap()
                .success(),
            "{shell}"
        );
    }
}

#[tokio::test]
async fn browser_receives_url_as_one_argument() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let setup = Setup::new(authorize).await;
        let prompt = super::browser(never);
        let tokens = setup.tokens(SignIn::Browser(prompt.clone()));
        let started = PathBuf::from(folder).join("started");
        let browse = tokio::spawn(async move {
            let arguments = loop {
                match fs::read_to_string(&started) {
                    Ok(text) if text.ends_with('\n') => break text,
                    _ => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            };
            consents(arguments.trim().parse().unwrap()).await;
        });

        assert_eq!(token(&tokens).await.unwrap(), "access-token-0");

        browse.await.unwrap();
        assert_eq!(prompt.shown.load(Ordering::Relaxed), 0);
        return;
    }
    let scratch = Scratch::new();
    let program = scratch.path().join("xdg-open");
    let script = format!("#!/bin/sh\necho \"$@\" > \"${FOLDER}/started\"\n");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let shell = format!("export DISPLAY=:0 PATH=\"${FOLDER}:$PATH\";");
    let mut command = process(&shell, "browser::browser_receives_url_as_one_argument");

    assert!(
        command
            .env(FOLDER, scratch.path())
            .status()
            .unwrap()
            .success()
    );
}

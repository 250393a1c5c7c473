//! The line at which a person types.

use std::io::{BufRead, IsTerminal, Read, Write, stdin, stdout};

use rustyline::DefaultEditor;
use tool_core::CancellationToken;

/// Maximum length of a message in bytes.
const MAX_LINE: u64 = 64 * 1024;

/// Reads messages, with line editing and history if a person sees them.
pub struct Prompt {
    editor: Option<DefaultEditor>,
}

impl Prompt {
    pub fn new() -> Self {
        let is_attended = stdin().is_terminal() && stdout().is_terminal();
        let editor = is_attended.then(DefaultEditor::new);
        Self {
            editor: editor.and_then(Result::ok),
        }
    }

    /// Reads one message; `None` at the end, which is also `exit`, `quit` and a cancelled token.
    pub async fn read(&mut self, stop: &CancellationToken) -> Option<String> {
        loop {
            let mut editor = self.editor.take();
            let read = tokio::task::spawn_blocking(move || {
                let line = match &mut editor {
                    Some(editor) => edited_line(editor),
                    None => plain_line(),
                };
                (editor, line)
            });
            let (editor, line) = tokio::select! {
                read = read => read.ok()?,
                () = stop.cancelled() => return None,
            };
            self.editor = editor;
            match line?.trim() {
                "" => {}
                "exit" | "quit" => return None,
                message => return Some(message.to_owned()),
            }
        }
    }
}

/// Reads a line with the editor. Ctrl-C and Ctrl-D are its errors, and end the chat.
fn edited_line(editor: &mut DefaultEditor) -> Option<String> {
    let line = editor.readline("> ").ok()?;
    let _ = editor.add_history_entry(&line);
    Some(line)
}

fn plain_line() -> Option<String> {
    print!("> ");
    let _ = stdout().flush();
    let mut line = String::new();
    let read = stdin().lock().take(MAX_LINE).read_line(&mut line);
    (read.ok()? > 0).then_some(line)
}

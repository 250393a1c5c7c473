//! Lists, chains and pipelines.

use super::super::syntax::{Command, Connector, Item, Kind, Pipeline, Script};
use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// Reads commands up to a closing delimiter or reserved word, which is not consumed.
    pub(super) fn script(&mut self) -> Parsed<Script> {
        let mut script = Script::default();
        loop {
            self.skip_lines()?;
            if self.at_script_end() {
                return Ok(script);
            }
            let chain = self.chain()?;
            self.skip_blanks();
            let background = self.peek() == Some('&');
            let separated = background || self.ends_item();
            let ends_arm = self.is_at(";;") || self.is_at(";&");
            if background || (self.peek() == Some(';') && !ends_arm) {
                self.at += 1;
            }
            script.items.push(Item { chain, background });
            if !separated && !self.at_script_end() {
                return Err(self.unexpected());
            }
        }
    }

    pub(super) fn script_with_commands(&mut self) -> Parsed<Script> {
        let script = self.script()?;
        if script.items.is_empty() {
            return Err(self.unexpected());
        }
        Ok(script)
    }

    fn ends_item(&mut self) -> bool {
        matches!(self.peek(), Some(';' | '\n') | None)
    }

    fn at_script_end(&mut self) -> bool {
        let closing =
            matches!(self.peek(), None | Some(')')) || self.is_at(";;") || self.is_at(";&");
        closing
            || matches!(
                self.peek_reserved(),
                Some("then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}")
            )
    }

    fn chain(&mut self) -> Parsed<Vec<(Connector, Pipeline)>> {
        let mut chain = vec![(Connector::First, self.pipeline()?)];
        loop {
            self.skip_blanks();
            let connector = if self.take("&&") {
                Connector::And
            } else if self.take("||") {
                Connector::Or
            } else {
                return Ok(chain);
            };
            self.skip_lines()?;
            chain.push((connector, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let start = self.at;
        self.skip_blanks();
        let coprocess = self.skip_prefixes();
        let is_prefix_alone = self.at != start && (self.ends_item() || self.peek() == Some(')'));
        let mut pipeline = Pipeline {
            stages: Vec::new(),
            coprocess,
        };
        if is_prefix_alone {
            return Ok(pipeline);
        }
        // Most pipelines have one stage.
        pipeline.stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.is_at("||") {
                return Ok(pipeline);
            }
            if self.take("|&") {
                if let Some(command) = pipeline.stages.last_mut() {
                    command.pipes_errors = true;
                }
            } else if !self.take("|") {
                return Ok(pipeline);
            }
            self.skip_lines()?;
            pipeline.stages.push(self.command()?);
        }
    }

    /// Skips `!`, `time` and `coproc`. Returns the name of a coprocess.
    fn skip_prefixes(&mut self) -> Option<String> {
        let mut name = None;
        loop {
            self.skip_blanks();
            let before = self.at;
            if self.take_reserved("time") {
                self.skip_blanks();
                if self.is_at("-p") {
                    self.take("-p");
                } else if self.is_at("-") {
                    // Other shells have no reserved word `coproc`, only a program.
                    self.at = before;
                    return name;
                }
            } else if self.take_reserved("coproc") {
                name = Some(self.name_of_coprocess());
            } else if !self.take_reserved("!") {
                return name;
            }
        }
    }

    /// Only a compound command can follow a name.
    fn name_of_coprocess(&mut self) -> String {
        self.skip_blanks();
        let start = self.at;
        if self.peek_reserved().is_none()
            && let Ok(name) = self.name()
        {
            self.skip_blanks();
            if self.peek() == Some('(') || self.peek_reserved().is_some() {
                return name;
            }
        }
        self.at = start;
        "COPROC".to_owned()
    }

    fn command(&mut self) -> Parsed<Command> {
        self.skip_blanks();
        let start = self.at;
        let Some(kind) = self.compound()? else {
            return self.simple_command(start);
        };
        self.redirected(kind, start)
    }

    /// Parses the redirections of a command that began at `start`.
    pub(super) fn redirected(&mut self, kind: Kind, start: usize) -> Parsed<Command> {
        let redirections = self.redirections()?;
        Ok(Command {
            kind,
            redirections,
            pipes_errors: false,
            span: start..self.at,
        })
    }
}

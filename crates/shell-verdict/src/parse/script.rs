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
        matches!(self.peek(), None | Some(')'))
            || self.is_at(";;")
            || self.is_at(";&")
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
        let mut pipeline = Pipeline {
            negated: self.skip_prefixes(),
            stages: Vec::new(),
        };
        if self.at != start && (self.ends_item() || self.peek() == Some(')')) {
            return Ok(pipeline);
        }
        // Most pipelines have one stage.
        pipeline.stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.is_at("||") || !(self.take("|&") || self.take("|")) {
                return Ok(pipeline);
            }
            self.skip_lines()?;
            pipeline.stages.push(self.command()?);
        }
    }

    /// Skips `!` and `time`. Returns whether there was a `!`.
    fn skip_prefixes(&mut self) -> bool {
        let mut negated = false;
        self.skip_blanks();
        loop {
            let before = self.at;
            if self.take_reserved("time") {
                self.skip_blanks();
                if self.is_at("-") && !self.take("-p") {
                    // With other options, it is a program.
                    self.at = before;
                    return negated;
                }
            } else if self.take_reserved("!") {
                negated = true;
            } else {
                return negated;
            }
            self.skip_blanks();
        }
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
        let mut redirections = Vec::new();
        self.skip_blanks();
        while let Some(redirection) = self.redirection()? {
            redirections.push(redirection);
            self.skip_blanks();
        }
        Ok(Command {
            kind,
            redirections,
            span: start..self.at,
        })
    }
}

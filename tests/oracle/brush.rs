//! Outline of shell text, as parsed by brush-parser.

use std::panic;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, CaseClauseCommand, Command,
    CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, ForClauseCommand, IfClauseCommand,
    IoFileRedirectKind, IoFileRedirectTarget, IoHereDocument, IoRedirect, Pipeline,
    ProcessSubstitutionKind, RedirectList, SeparatorOperator, SimpleCommand, SubshellCommand, Word,
};
use brush_parser::{Parser, ParserOptions};

use crate::outline::{Outline, Refused, Rendered};

mod words;

pub(crate) fn outline(text: &str) -> Result<Outline, Refused> {
    let read = || {
        let mut reading = Reading::default();
        reading.text(text).map(|()| reading.outline)
    };
    // The tokenizer panics at a here-document in an unclosed substitution.
    panic::catch_unwind(read).unwrap_or(Err(Refused))
}

fn options() -> ParserOptions {
    ParserOptions {
        enable_extended_globbing: false,
        tilde_expansion_at_word_start: false,
        ..ParserOptions::default()
    }
}

type Reads<T> = Result<T, Refused>;

#[derive(Default)]
struct Reading {
    outline: Outline,
}

impl Reading {
    fn text(&mut self, text: &str) -> Reads<()> {
        let program = Parser::new(text.as_bytes(), &options()).parse_program();
        let program = program.map_err(|_| Refused)?;
        program
            .complete_commands
            .iter()
            .try_for_each(|list| self.list(list))
    }

    fn between(&mut self, opening: &str, list: &CompoundList, closing: &str) -> Reads<()> {
        self.outline.add(opening);
        self.list(list)?;
        self.outline.add(closing);
        Ok(())
    }

    fn list(&mut self, list: &CompoundList) -> Reads<()> {
        for item in &list.0 {
            self.chain(&item.0)?;
            if matches!(item.1, SeparatorOperator::Async) {
                self.outline.add("&");
            }
        }
        Ok(())
    }

    fn chain(&mut self, chain: &AndOrList) -> Reads<()> {
        self.pipeline(&chain.first)?;
        for further in &chain.additional {
            match further {
                AndOr::And(pipeline) => {
                    self.outline.add("&&");
                    self.pipeline(pipeline)?;
                }
                AndOr::Or(pipeline) => {
                    self.outline.add("||");
                    self.pipeline(pipeline)?;
                }
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Reads<()> {
        for (at, command) in pipeline.seq.iter().enumerate() {
            if at > 0 {
                self.outline.add("|");
            }
            self.command(command)?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Reads<()> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirections) => {
                self.compound(compound)?;
                self.behind_compound(redirections.as_ref())
            }
            Command::Function(function) => {
                self.outline
                    .add(format!("function {}", function.fname.value));
                self.compound(&function.body.0)?;
                self.behind_compound(function.body.1.as_ref())
            }
            // The filter reads a test as a program.
            Command::ExtendedTest(..) => Err(Refused),
        }
    }

    fn behind_compound(&mut self, redirections: Option<&RedirectList>) -> Reads<()> {
        let all = redirections
            .map(|list| list.0.as_slice())
            .unwrap_or_default();
        let redirections: Vec<String> = all
            .iter()
            .map(|redirection| self.redirection(redirection))
            .collect::<Reads<_>>()?;
        self.outline.add_redirections(&redirections);
        Ok(())
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Reads<()> {
        match compound {
            // The filter does not know these.
            CompoundCommand::Arithmetic(_)
            | CompoundCommand::ArithmeticForClause(_)
            | CompoundCommand::Coprocess(_) => Err(Refused),
            CompoundCommand::BraceGroup(group) => self.between("{", &group.list, "}"),
            CompoundCommand::Subshell(subshell) => self.between("(", &subshell.list, ")"),
            CompoundCommand::ForClause(for_loop) => self.for_loop(for_loop),
            CompoundCommand::CaseClause(case) => self.case(case),
            CompoundCommand::IfClause(branches) => self.branches(branches),
            CompoundCommand::WhileClause(repeated) | CompoundCommand::UntilClause(repeated) => {
                self.between("while", &repeated.0, "do")?;
                self.list(&repeated.1.list)?;
                self.outline.add("done");
                Ok(())
            }
        }
    }

    fn for_loop(&mut self, for_loop: &ForClauseCommand) -> Reads<()> {
        let items = self.words(for_loop.values.as_deref().unwrap_or_default())?;
        let opening = format!("for {} {}", for_loop.variable_name, items.join(" "));
        self.between(&opening, &for_loop.body.list, "done")
    }

    fn branches(&mut self, branches: &IfClauseCommand) -> Reads<()> {
        self.between("if", &branches.condition, "then")?;
        self.list(&branches.then)?;
        for further in branches.elses.iter().flatten() {
            match &further.condition {
                Some(condition) => self.between("if", condition, "then")?,
                None => self.outline.add("else"),
            }
            self.list(&further.body)?;
        }
        self.outline.add("fi");
        Ok(())
    }

    fn case(&mut self, case: &CaseClauseCommand) -> Reads<()> {
        let mut words = vec![self.word(&case.value)?];
        for arm in &case.cases {
            words.extend(self.words(&arm.patterns)?);
        }
        self.outline.add(format!("case {}", words.join(" ")));
        for arm in &case.cases {
            self.outline.add("in");
            if let Some(list) = &arm.cmd {
                self.list(list)?;
            }
            self.outline.add(";;");
        }
        self.outline.add("esac");
        Ok(())
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Reads<()> {
        let name = simple.word_or_name.as_ref();
        let (mut words, mut assignments, mut redirections) = (Vec::new(), Vec::new(), Vec::new());
        let name = name.map(|name| self.word(name)).transpose()?;
        for (item, is_prefix) in items(simple) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirection) => {
                    redirections.push(redirection);
                }
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) if is_prefix => {
                    assignments.push(assignment);
                }
                CommandPrefixOrSuffixItem::Word(word)
                | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.push(self.word(word)?);
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(kind, subshell) => {
                    words.push(self.process(kind, subshell)?);
                }
            }
        }
        let assignments = assignments
            .into_iter()
            .map(|assignment| self.assignment(assignment))
            .collect::<Reads<Vec<_>>>()?;
        let redirections = redirections
            .into_iter()
            .map(|redirection| self.redirection(redirection))
            .collect::<Reads<Vec<_>>>()?;
        let parts = [name.into_iter().collect(), words, assignments, redirections];
        self.outline.add(parts.concat().join(" "));
        Ok(())
    }

    fn process(
        &mut self,
        kind: &ProcessSubstitutionKind,
        subshell: &SubshellCommand,
    ) -> Reads<String> {
        let sign = match kind {
            ProcessSubstitutionKind::Read | ProcessSubstitutionKind::Write => "<(",
        };
        self.between(sign, &subshell.list, ")")?;
        Ok(format!("⟨{sign}⟩"))
    }

    fn assignment(&mut self, assignment: &Assignment) -> Reads<String> {
        // The filter reads an element of an array as a command.
        let AssignmentName::VariableName(name) = &assignment.name else {
            return Err(Refused);
        };
        let mut words = Vec::new();
        match &assignment.value {
            AssignmentValue::Scalar(word) => words.push(self.word(word)?),
            AssignmentValue::Array(items) => {
                for (key, value) in items {
                    let key = key.as_ref().map(|key| self.word(key)).transpose()?;
                    let key = key.map(|key| format!("[{key}]=")).unwrap_or_default();
                    words.push(key + &self.word(value)?);
                }
            }
        }
        if let Some(first) = words.first_mut().filter(|_| assignment.append) {
            *first = format!("⟨{name}⟩{first}");
        }
        Ok(format!("{name}={}", words.join(" ")))
    }

    fn redirection(&mut self, redirection: &IoRedirect) -> Reads<String> {
        match redirection {
            IoRedirect::File(_, kind, target) => {
                let sign = match kind {
                    IoFileRedirectKind::Read => "<",
                    IoFileRedirectKind::Write
                    | IoFileRedirectKind::Append
                    | IoFileRedirectKind::Clobber => ">",
                    IoFileRedirectKind::ReadAndWrite => "<>",
                    IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput => "&",
                };
                Ok(format!("{sign}{}", self.target(target)?))
            }
            IoRedirect::HereDocument(_, document) => Ok(format!("<<{}", self.body(document)?)),
            IoRedirect::HereString(_, word) => Ok(format!("<<<{}", self.word(word)?)),
            IoRedirect::OutputAndError(word, _) => Ok(format!(">{}", self.word(word)?)),
        }
    }

    fn target(&mut self, target: &IoFileRedirectTarget) -> Reads<String> {
        match target {
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                self.word(word)
            }
            IoFileRedirectTarget::Fd(number) => Ok(number.to_string()),
            IoFileRedirectTarget::ProcessSubstitution(kind, subshell) => {
                self.process(kind, subshell)
            }
        }
    }

    fn body(&mut self, document: &IoHereDocument) -> Reads<String> {
        if document.requires_expansion {
            return self.expanded_text(&document.doc.value);
        }
        let mut rendered = Rendered::default();
        rendered.quoted(&document.doc.value);
        Ok(rendered.0)
    }

    fn words(&mut self, words: &[Word]) -> Reads<Vec<String>> {
        words.iter().map(|word| self.word(word)).collect()
    }
}

fn items(simple: &SimpleCommand) -> impl Iterator<Item = (&CommandPrefixOrSuffixItem, bool)> {
    let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    prefix
        .map(|item| (item, true))
        .chain(suffix.map(|item| (item, false)))
}

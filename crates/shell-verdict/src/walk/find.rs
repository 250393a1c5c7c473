//! `find`, its deletions and commands.

use super::super::paths::is_build_output;
use super::files::Reach;
use super::simple::base_name;
use super::{Origin, Rule, Segment, Stream, Value, Walk};

/// Tests and actions of `find` with the number of their arguments.
const FIND_FLAGS: &str = " ! ( ) -a -and -daystart -depth -empty -executable -false -follow -ignore_readdir_race -ls -mount -noleaf -not -nogroup -nouser -o -or -print -print0 -prune -quit -readable -true -writable -xdev , ";
const FIND_VALUES: &str = " -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -newermt -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype ";

impl Walk<'_> {
    pub(super) fn find(&mut self, arguments: &[Value]) -> Stream {
        let is_option = |word: &Value| matches!(word.literal(), Some("-H" | "-L" | "-P"));
        let is_start =
            |word: &&Value| is_option(word) || !word.prefix().starts_with(['-', '(', '!']);
        let words = arguments.iter().take_while(is_start);
        let first = words.clone().count();
        let mut starts: Vec<Value> = words.filter(|word| !is_option(word)).cloned().collect();
        if starts.is_empty() {
            starts.push(Value::known("."));
        }
        self.read_all(&starts);
        let expression = arguments.get(first..).unwrap_or_default();
        let only_outputs = finds_only_outputs(expression);
        let mut rest = expression.iter();
        while let Some(word) = rest.next() {
            if self.is_over {
                break;
            }
            let Some(text) = word.literal() else {
                self.report(Rule::UnknownOption);
                continue;
            };
            let padded = format!(" {text} ");
            match text {
                "-delete" => self.delete_found(&starts, only_outputs),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let words: Vec<Value> = rest
                        .by_ref()
                        .take_while(|word| !matches!(word.literal(), Some(";" | "+")))
                        .cloned()
                        .collect();
                    self.run_found(&starts, &words, only_outputs);
                }
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => rest
                    .next()
                    .into_iter()
                    .for_each(|file| self.write_in_place(file)),
                _ if FIND_FLAGS.contains(&padded) => {}
                _ if FIND_VALUES.contains(&padded) => {
                    rest.next();
                }
                _ => self.report(Rule::UnknownOption),
            }
        }
        self.unknown_output()
    }

    fn delete_found(&mut self, starts: &[Value], only_outputs: bool) {
        for start in starts {
            for path in self.paths(start) {
                let rule = self.settings.paths.delete_rule(path.clone(), true);
                match rule {
                    Some(Rule::Delete | Rule::Write) if only_outputs => self.report(Rule::Write),
                    other => self.report_path(other, start, &path, Reach::Parent),
                }
            }
        }
    }

    fn run_found(&mut self, starts: &[Value], words: &[Value], only_outputs: bool) {
        let deletes = matches!(
            words.first().and_then(Value::literal).map(base_name),
            Some("rm" | "rmdir" | "unlink" | "shred")
        );
        if deletes {
            self.delete_found(starts, only_outputs);
            if only_outputs {
                self.list(words.iter().map(Value::shown).collect());
                return;
            }
        }
        for start in starts {
            if self.is_over {
                return;
            }
            let mut found = start.clone();
            found.is_written = false;
            found.push(Segment::Unknown(Origin::Unknown));
            self.run_with(words, "{}", &found);
        }
    }
}

/// Returns `true` if an expression finds only build outputs by name.
fn finds_only_outputs(expression: &[Value]) -> bool {
    let texts: Vec<&str> = expression
        .iter()
        .map(|word| word.literal().unwrap_or("?"))
        .collect();
    let has_other_arguments = texts
        .iter()
        .any(|text| matches!(*text, "-o" | "-or" | "!" | "-not" | ","));
    let mut pairs = texts.windows(2);
    !has_other_arguments
        && pairs.any(|pair| matches!(pair, ["-name", name] if is_build_output(name)))
}

//! Variables in configurations.

/// Beginning of references to inputs.
const INPUT: &str = "input:";

const UNCLOSED: &str = "a variable has no closing brace. Write $${ for the characters ${.";
const NO_NAME: &str = "a variable has no name. Write $${ for the characters ${.";

/// Function that returns the value of a variable.
pub(crate) type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Returns `template` with its variables replaced. A value is used unchanged, even if it contains `${`, so that a secret can't
/// refer to another one.
///
/// # Errors
/// Returns a sentence if a variable is not set, or is incomplete.
pub(crate) fn expand(template: &str, variables: &Variables) -> Result<String, String> {
    let mut expanded = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        rest = if let Some(after) = after.strip_prefix("${") {
            expanded.push_str("${");
            after
        } else if let Some(after) = after.strip_prefix('{') {
            let (name, after) = after.split_once('}').ok_or(UNCLOSED)?;
            expanded.push_str(&value(name, variables)?);
            after
        } else {
            expanded.push('$');
            after
        };
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value(reference: &str, variables: &Variables) -> Result<String, String> {
    let reference = reference.strip_prefix("env:").unwrap_or(reference);
    let (name, default) = match reference.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (reference, None),
    };
    if name.is_empty() {
        return Err(NO_NAME.to_owned());
    }
    let value = variables(name).or_else(|| default.map(str::to_owned));
    value.ok_or_else(|| match name.strip_prefix(INPUT) {
        Some(id) => {
            format!("the input {id} has no value. Provide it with `McpManagerBuilder::variables`.")
        }
        None => format!("the variable {name} is not set. Set it, or write ${{{name}:-value}}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_in_one_pass() {
        let variables = |name: &str| {
            let value = match name {
                "A" => "1",
                "NESTED" => "${A}",
                "EMPTY" => "",
                "workspaceFolder" => "/project",
                "input:key" => "secret",
                _ => return None,
            };
            Some(value.to_owned())
        };
        for (template, expected) in [
            ("", Ok("")),
            ("plain", Ok("plain")),
            ("${A}${A}", Ok("11")),
            ("x${env:A}y", Ok("x1y")),
            ("${NESTED}", Ok("${A}")),
            ("${B:-2}", Ok("2")),
            ("${B:-}", Ok("")),
            ("${EMPTY:-3}", Ok("")),
            ("${B:-a:-b}", Ok("a:-b")),
            ("$$A $${A}", Ok("$$A ${A}")),
            ("pa$$word$$", Ok("pa$$word$$")),
            ("$$${A} $$$${A}", Ok("$${A} $$${A}")),
            ("cost: $5", Ok("cost: $5")),
            ("${input:key}", Ok("secret")),
            ("${workspaceFolder}/a", Ok("/project/a")),
            (
                "${B}",
                Err("the variable B is not set. Set it, or write ${B:-value}."),
            ),
            (
                "${input:other}",
                Err(
                    "the input other has no value. Provide it with `McpManagerBuilder::variables`.",
                ),
            ),
            ("${A", Err(UNCLOSED)),
            ("${}", Err(NO_NAME)),
            ("${:-x}", Err(NO_NAME)),
            ("end$", Ok("end$")),
        ] {
            assert_eq!(
                expand(template, &variables),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{template}"
            );
        }
    }
}

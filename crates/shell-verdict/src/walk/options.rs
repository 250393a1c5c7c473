//! Variables with program options: distinguishes tuning from loading or running code.

const NODE: [&str; 16] = [
    "--no-warnings",
    "--trace-warnings",
    "--no-deprecation",
    "--trace-deprecation",
    "--pending-deprecation",
    "--throw-deprecation",
    "--trace-uncaught",
    "--enable-source-maps",
    "--experimental-vm-modules",
    "--experimental-json-modules",
    "--experimental-strip-types",
    "--experimental-specifier-resolution=node",
    "--openssl-legacy-provider",
    "--preserve-symlinks",
    "--unhandled-rejections=strict",
    "--dns-result-order=ipv4first",
];
const NODE_NUMBERS: [&str; 6] = [
    "--max-old-space-size=",
    "--max_old_space_size=",
    "--max-semi-space-size=",
    "--stack-trace-limit=",
    "--stack-size=",
    "--max-http-header-size=",
];
/// Go options, or their prefixes including `=`.
const GO: [&str; 13] = [
    "-mod=",
    "-count=",
    "-tags=",
    "-p=",
    "-timeout=",
    "-parallel=",
    "-buildvcs=",
    "-race",
    "-short",
    "-v",
    "-x",
    "-trimpath",
    "-failfast",
];
/// JVM options that only set sizes and garbage collectors.
const JAVA: [&str; 12] = [
    "-Xmx",
    "-Xms",
    "-Xss",
    "-XX:MaxMetaspaceSize=",
    "-XX:MetaspaceSize=",
    "-XX:MaxRAMPercentage=",
    "-XX:+UseG1GC",
    "-XX:+UseParallelGC",
    "-XX:+UseSerialGC",
    "-XX:+UseZGC",
    "-Dfile.encoding=",
    "-Djava.awt.headless=",
];

pub(super) fn only_tunes(variable: &str, value: &str) -> bool {
    let is_harmless = match variable {
        "NODE_OPTIONS" => is_of_node,
        "GOFLAGS" => is_of_go,
        "GRADLE_OPTS" | "MAVEN_OPTS" | "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS"
        | "JDK_JAVA_OPTIONS" => is_of_java,
        _ => return false,
    };
    value
        .split(' ')
        .filter(|word| !word.is_empty())
        .all(is_harmless)
}

fn is_of_node(option: &str) -> bool {
    let number = NODE_NUMBERS
        .iter()
        .find_map(|start| option.strip_prefix(start));
    NODE.contains(&option) || number.is_some_and(is_number)
}

fn is_of_go(option: &str) -> bool {
    GO.iter().any(|known| match known.strip_suffix('=') {
        Some(_) => option.strip_prefix(known).is_some_and(is_word),
        None => option == *known,
    })
}

fn is_of_java(option: &str) -> bool {
    JAVA.iter().any(|known| match option.strip_prefix(known) {
        Some("") => known.starts_with("-XX:+"),
        Some(value) => !known.starts_with("-XX:+") && is_word(value),
        None => false,
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ",.-_".contains(letter);
    !text.is_empty() && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::only_tunes;

    #[test]
    fn distinguishes_tuning_from_loading_options() {
        for (variable, value, harmless) in [
            ("NODE_OPTIONS", "--max-old-space-size=4096", true),
            ("NODE_OPTIONS", "  --no-warnings   --stack-size=9 ", true),
            ("NODE_OPTIONS", "--max-old-space-size=", false),
            ("NODE_OPTIONS", "--max-old-space-size=4096x", false),
            ("NODE_OPTIONS", "--require ./x.js", false),
            ("NODE_OPTIONS", "--no-warnings --import=./x.mjs", false),
            ("NODE_OPTIONS", "-r ./x.js", false),
            ("NODE_OPTIONS", "--loader ./x.mjs", false),
            ("NODE_OPTIONS", "--experimental-loader=./x.mjs", false),
            ("NODE_OPTIONS", "--no-warnings\t--require=./x.js", false),
            ("NODE_OPTIONS", "--inspect=0.0.0.0", false),
            ("GOFLAGS", "-mod=vendor -count=1", true),
            ("GOFLAGS", "-race", true),
            ("GOFLAGS", "-racex", false),
            ("GOFLAGS", "-mod=", false),
            ("GOFLAGS", "-toolexec=./x", false),
            ("GOFLAGS", "-exec=./x", false),
            ("GOFLAGS", "-modfile=x.mod", false),
            ("MAVEN_OPTS", "-Xmx2g -XX:+UseG1GC", true),
            ("MAVEN_OPTS", "-XX:+UseG1GCx", false),
            ("JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF-8", true),
            ("JAVA_TOOL_OPTIONS", "-javaagent:x.jar", false),
            ("JAVA_TOOL_OPTIONS", "-XX:OnError=x", false),
            ("PERL5OPT", "-w", false),
        ] {
            assert_eq!(
                only_tunes(variable, value),
                harmless,
                "{variable}={value:?}"
            );
        }
    }
}

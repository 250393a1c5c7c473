//! Programs that connect to other hosts or to services.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const PRIVILEGED: &str = "starts a container with control of the machine";
const REVEALS: &str = "shows stored credentials";

pub(super) const PROGRAMS: &[Row] = &[
    ruled("aria2c fetch http https httpie lynx w3m", Rule::Network).with(Handler::Download),
    ruled("aws gcloud az doctl", Rule::Network).triggers(&[
        ("configure&export-credentials configure&get auth&print-* account&get-access-token get-secret-value", Rule::Secret, REVEALS),
    ]),
    row("curl", Operands::Any)
        .under(Rule::Network)
        .flags("#0123456aBfgGiIjklLNOqRsSvVZ", "--silent --show-error --fail --fail-with-body --location --remote-name --insecure --verbose --head --include --compressed --get --progress-bar")
        .plain("AbCdeFHKmQrTuUwxXyYzE", "--request --header --data --data-raw --data-binary --user --user-agent --max-time --connect-timeout --retry --url --form --json --upload-file")
        .write("oDc", "--output --dump-header --cookie-jar")
        .directory("", "--output-dir")
        .in_place()
        .with(Handler::Download),
    ruled("docker podman nerdctl docker-compose podman-compose", Rule::Services)
        .explained("controls containers, which are not confined to the workspace")
        .triggers(&[
            ("--privileged --pid=host --pid&host --userns=host --cap-add* --security-opt*", Rule::Privilege, PRIVILEGED),
            ("exec&--privileged", Rule::Privilege, PRIVILEGED),
        ]),
    ruled("fly flyctl heroku vercel netlify wrangler firebase", Rule::Network),
    ruled("getent", Rule::Network)
        .explained("may ask a name server")
        .displays("passwd group")
        .triggers(&[("shadow gshadow", Rule::Secret, REVEALS)]),
    ruled("gh glab hub", Rule::Network).triggers(&[
        ("auth&token auth&status&-t auth&status&--show-token", Rule::Secret, REVEALS),
    ]),
    ruled("gpg gpg2", Rule::Interpreter).triggers(&[
        ("--export-secret* --delete-secret*", Rule::Secret, REVEALS),
    ]),
    ruled("kubectl helm k9s oc", Rule::Network)
        .explained("acts on a cluster")
        .triggers(&[("get&secret* get&*secrets config&view&--raw", Rule::Secret, REVEALS)]),
    ruled("nc ncat netcat nc.traditional nc.openbsd socat", Rule::Network).with(Handler::Netcat),
    ruled("op vault security", Rule::Network).triggers(&[
        ("read kv&get find-* dump-keychain export item&get", Rule::Secret, REVEALS),
    ]),
    ruled("psql mysql mongosh redis-cli", Rule::Network).with(Handler::Interpreter),
    ruled("scp sftp mail sendmail mutt tftp ftp lftp", Rule::Network),
    row("ssh autossh", Operands::Any).under(Rule::Network).with(Handler::Download),
    ruled("ssh-add ssh-agent ssh-keygen", Rule::Services).explained("handles private keys"),
    ruled(
        "telnet rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap resolvectl",
        Rule::Network,
    )
    .with(Handler::Download),
    ruled("terraform tofu pulumi ansible ansible-playbook", Rule::Network)
        .explained("plans or changes remote resources")
        .displays("fmt validate version --version -version"),
    row("wget", Operands::Any)
        .under(Rule::Network)
        .flags("qvncNSrlkpbE", "--quiet --no-check-certificate --no-verbose --continue --recursive --spider --show-progress")
        .plain("UtT", "--header --tries --timeout --post-data --method --post-file --body-file")
        .read("i", "--input-file")
        .write("Oo", "--output-document --output-file")
        .directory("P", "--directory-prefix")
        .in_place()
        .with(Handler::Download),
];

//! Programs that connect to other hosts or to services.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

const PRIVILEGED: &str = "starts a container with control of the machine";
const REVEALS: &str = "shows stored credentials";

pub(super) const PROGRAMS: &[Row] = &[
    ruled("aria2c fetch http https httpie lynx w3m", CommandRule::Network).with(Special::Download),
    ruled("aws gcloud az doctl", CommandRule::Network).alarms(&[
        ("configure&export-credentials configure&get auth&print-* account&get-access-token get-secret-value", CommandRule::Secret, REVEALS),
    ]),
    row("curl", Operands::Any)
        .under(CommandRule::Network)
        .flags("#0123456aBfgGiIjklLNOqRsSvVZ", "--silent --show-error --fail --fail-with-body --location --remote-name --insecure --verbose --head --include --compressed --get --progress-bar")
        .plain("AbCdeFHKmQrTuUwxXyYzE", "--request --header --data --data-raw --data-binary --user --user-agent --max-time --connect-timeout --retry --url --form --json --upload-file")
        .write("oDc", "--output --dump-header --cookie-jar")
        .directory("", "--output-dir")
        .with(Special::Download),
    ruled("docker podman nerdctl docker-compose podman-compose", CommandRule::Services)
        .explained("controls containers, which are not confined to the workspace")
        .alarms(&[
            ("--privileged --pid=host --pid&host --userns=host --cap-add* --security-opt*", CommandRule::Privilege, PRIVILEGED),
            ("exec&--privileged", CommandRule::Privilege, PRIVILEGED),
        ]),
    ruled("fly flyctl heroku vercel netlify wrangler firebase", CommandRule::Network),
    ruled("getent", CommandRule::Network)
        .explained("may ask a name server")
        .displays("passwd group")
        .alarms(&[("shadow gshadow", CommandRule::Secret, REVEALS)]),
    ruled("gh glab hub", CommandRule::Network).alarms(&[
        ("auth&token auth&status&-t auth&status&--show-token", CommandRule::Secret, REVEALS),
    ]),
    ruled("gpg gpg2", CommandRule::Interpreter).alarms(&[
        ("--export-secret* --delete-secret*", CommandRule::Secret, REVEALS),
    ]),
    ruled("kubectl helm k9s oc", CommandRule::Network)
        .explained("acts on a cluster")
        .alarms(&[("get&secret* get&*secrets config&view&--raw", CommandRule::Secret, REVEALS)]),
    ruled("nc ncat netcat nc.traditional nc.openbsd socat", CommandRule::Network).with(Special::Netcat),
    ruled("op vault security", CommandRule::Network).alarms(&[
        ("read kv&get find-* dump-keychain export item&get", CommandRule::Secret, REVEALS),
    ]),
    ruled("psql mysql mongosh redis-cli", CommandRule::Network).with(Special::Interpreter),
    ruled("scp sftp mail sendmail mutt tftp ftp lftp", CommandRule::Network),
    row("ssh autossh", Operands::Any).under(CommandRule::Network).with(Special::Download),
    ruled("ssh-add ssh-agent ssh-keygen", CommandRule::Services).explained("handles private keys"),
    ruled(
        "telnet rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap resolvectl",
        CommandRule::Network,
    )
    .with(Special::Download),
    ruled("terraform tofu pulumi ansible ansible-playbook", CommandRule::Network)
        .explained("plans or changes remote resources")
        .displays("fmt validate version --version -version"),
    row("wget", Operands::Any)
        .under(CommandRule::Network)
        .flags("qvncNSrlkpbE", "--quiet --no-check-certificate --no-verbose --continue --recursive --spider --show-progress")
        .plain("UtT", "--header --tries --timeout --post-data --method --post-file --body-file")
        .read("i", "--input-file")
        .write("Oo", "--output-document --output-file")
        .directory("P", "--directory-prefix")
        .with(Special::Download),
];

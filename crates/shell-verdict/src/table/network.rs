//! Programs that connect to other hosts or to services.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const PRIVILEGED: &str = "starts a container with control of the machine";
const REVEALS: &str = "shows stored credentials";

pub(super) const PROGRAMS: &[Row] = &[
    ruled("aria2c fetch http https httpie lynx w3m", Rule::Network).downloads(),
    ruled("aws gcloud az doctl", Rule::Network).alarms(&[
        ("configure&export-credentials configure&get auth&print-* account&get-access-token get-secret-value", Rule::Secret, REVEALS),
    ]),
    row("curl", Operands::Any, "* -#0123456aBfgGiIjklLNOqRsSvVZ --silent --show-error --fail --fail-with-body --location --remote-name --insecure --verbose --head --include --compressed --get --progress-bar -AbCdeFHKmQrTuUwxXyYzE= --request= --header= --data= --data-raw= --data-binary= --user= --user-agent= --max-time= --connect-timeout= --retry= --url= --form= --json= --upload-file= -oDc> --output> --dump-header> --cookie-jar> --output-dir/")
        .under(Rule::Network)
        .in_place()
        .downloads(),
    ruled("docker podman nerdctl docker-compose podman-compose", Rule::Services)
        .explained("controls containers, which are not confined to the workspace")
        .alarms(&[
            ("--privileged --pid=host --pid&host --userns=host --cap-add* --security-opt*", Rule::Privilege, PRIVILEGED),
            ("exec&--privileged", Rule::Privilege, PRIVILEGED),
        ]),
    ruled("fly flyctl heroku vercel netlify wrangler firebase", Rule::Network),
    row("getent", Operands::AtMost(2), "").needs("passwd group").under(Rule::Inspect),
    ruled("getent", Rule::Network)
        .explained("may ask a name server")
        .alarms(&[("shadow gshadow", Rule::Secret, REVEALS)]),
    ruled("gh glab hub", Rule::Network).alarms(&[
        ("auth&token auth&status&-t auth&status&--show-token", Rule::Secret, REVEALS),
    ]),
    ruled("gpg gpg2", Rule::Interpreter).alarms(&[
        ("--export-secret* --delete-secret*", Rule::Secret, REVEALS),
    ]),
    ruled("kubectl helm k9s oc", Rule::Network)
        .explained("acts on a cluster")
        .alarms(&[("get&secret* get&*secrets config&view&--raw", Rule::Secret, REVEALS)]),
    ruled("nc ncat netcat nc.traditional nc.openbsd socat", Rule::Network).downloads()
        .alarms(&[("-e* -c --exec --sh-exec --lua-exec exec:* system:* EXEC:* SYSTEM:* *,exec:*", Rule::ReverseShell, "opens a shell for another host")]),
    ruled("op vault security", Rule::Network).alarms(&[
        ("read kv&get find-* dump-keychain export item&get", Rule::Secret, REVEALS),
    ]),
    ruled("psql mysql mongosh redis-cli", Rule::Network).with(Handler::Interpreter),
    ruled("scp sftp mail sendmail mutt tftp ftp lftp", Rule::Network),
    ruled("ssh autossh", Rule::Network).downloads(),
    ruled("ssh-add ssh-agent ssh-keygen", Rule::Services).explained("handles private keys"),
    ruled(
        "telnet rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap resolvectl",
        Rule::Network,
    )
    .downloads(),
    row("terraform tofu", Operands::Any, "+check +recursive +diff +json +no-color --version").needs("fmt validate version --version").under(Rule::Project),
    ruled("terraform tofu pulumi ansible ansible-playbook", Rule::Network)
        .explained("plans or changes remote resources"),
    row("wget", Operands::Any, "* -qvncNSrlkpbE --quiet --no-check-certificate --no-verbose --continue --recursive --spider --show-progress -UtT= --header= --tries= --timeout= --post-data= --method= --post-file= --body-file= -i< --input-file< -Oo> --output-document> --output-file> -P/ --directory-prefix/")
        .under(Rule::Network)
        .in_place()
        .downloads(),
];

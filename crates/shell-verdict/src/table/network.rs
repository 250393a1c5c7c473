//! Programs that connect to other hosts or to services.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const REVEALS: &str = "shows stored credentials";

pub(super) const PROGRAMS: &[Row] = &[
    ruled("aws gcloud az doctl gh glab hub kubectl helm k9s oc", Rule::Network).alarms(&[
        ("configure&export-credentials configure&get auth&print-* account&get-access-token get-secret-value auth&token auth&status&-t auth&status&--show-token get&secret* get&*secrets config&view&--raw", Rule::Secret, REVEALS),
    ]),
    ruled("busctl dbus-send gdbus notify-send", Rule::Services),
    row("curl", Operands::Any, "* -#0123456aBfgGiIjklLNOqRsSvVZ --silent --show-error --fail --fail-with-body --location --remote-name --insecure --verbose --head --include --compressed --get --progress-bar -AbCdeFHKmQrTuUwxXyYzE= --request= --header= --data= --data-raw= --data-binary= --user= --user-agent= --max-time= --connect-timeout= --retry= --url= --form= --json= --upload-file= -oDc> --output> --dump-header> --cookie-jar> --output-dir/").under(Rule::Network).in_place().downloads(),
    ruled("docker podman nerdctl docker-compose podman-compose", Rule::Services).explained("controls containers, which are not confined to the workspace").alarms(&[
            ("--privileged --pid=host --pid&host --userns=host --cap-add* --security-opt*", Rule::Privilege, "starts a container with control of the machine"),
        ]),
    ruled("fly flyctl heroku vercel netlify wrangler firebase psql mysql mongosh redis-cli scp sftp mail sendmail mutt tftp ftp lftp ssh autossh telnet rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap resolvectl aria2c fetch http https httpie lynx w3m", Rule::Network).downloads(),
    row("getent", Operands::AtMost(2), "").needs("passwd group").under(Rule::Inspect),
    ruled("getent", Rule::Network).explained("may ask a name server").alarms(&[("shadow gshadow", Rule::Secret, REVEALS)]),
    ruled("gpg gpg2", Rule::Interpreter).alarms(&[
        ("--export-secret* --delete-secret*", Rule::Secret, REVEALS),
    ]),
    ruled("nc ncat netcat nc.traditional nc.openbsd socat", Rule::Network).downloads().alarms(&[("-e* -c --exec --sh-exec --lua-exec exec:* system:* EXEC:* SYSTEM:* *,exec:*", Rule::ReverseShell, "opens a shell for another host")]),
    ruled("op vault security", Rule::Network).alarms(&[
        ("read kv&get find-* dump-keychain export item&get", Rule::Secret, REVEALS),
    ]),
    ruled("ssh-add ssh-agent ssh-keygen", Rule::Services).explained("handles private keys"),
    row("terraform tofu", Operands::Any, "+check +recursive +diff +json +no-color --version").needs("fmt validate version --version").under(Rule::Project),
    ruled("terraform tofu pulumi ansible ansible-playbook", Rule::Network).explained("plans or changes remote resources"),
    row("wget", Operands::Any, "* -qvncNSrlkpbE --quiet --no-check-certificate --no-verbose --continue --recursive --spider --show-progress -UtT= --header= --tries= --timeout= --post-data= --method= --post-file= --body-file= -i< --input-file< -Oo> --output-document> --output-file> -P/ --directory-prefix/").under(Rule::Network).in_place().downloads(),
];

//! Programs that talk to other hosts.

use super::{Operands, Row, Special, row, ruled};
use crate::shell::filter::verdict::Rule;

pub(super) const PROGRAMS: &[Row] = &[
    row("curl", "-#0123456aBfgGiIjklLNOqRsSvVZ -A=V -b=J -c=W -C=V -d=U -D=W -e=V -E=R -F=U -H=U -K=A -m=V -o=W -Q=A -r=V -T=R -u=V -U=V -w=U -x=A -X=V -y=V -Y=V -z=V --silent --show-error --fail --fail-with-body --location --request=V --header=U --data=U --data-raw=V --data-binary=U --data-urlencode=U --json=U --form=U --output=W --remote-name --user=V --user-agent=V --max-time=V --connect-timeout=V --retry=V --retry-delay=V --insecure --verbose --head --include --compressed --write-out=U --upload-file=R --get --url=N --http1.1 --http2 --no-progress-meter --progress-bar --create-dirs --output-dir=W --cookie=J --cookie-jar=W --resolve=A --max-redirs=V --range=V --referer=V --cacert=R --cert=R --key=R --netrc-file=A", Operands::Any).with(Special::Fetch),
    row("wget", "-qvncNSrlkpbE -O=W -o=W -P=W -U=V -t=V -T=V -i=A --input-file=A --quiet --output-document=W --directory-prefix=W --no-check-certificate --header=V --tries=V --timeout=V --no-verbose --continue --recursive --spider --post-file=R --post-data=V --method=V --body-file=R --show-progress", Operands::Any).with(Special::Fetch),
    row("nc ncat netcat nc.traditional nc.openbsd socat", "*", Operands::Any).with(Special::Netcat),
    ruled("telnet ftp tftp rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap aria2c lynx w3m http https httpie", Rule::Network),
    ruled("scp sftp mail sendmail mutt gh glab aws gcloud az helm terraform ansible heroku fly vercel", Rule::Network),
    row("kubectl", "-n=V --namespace=V --context=V", Operands::Subcommand),
    row("psql mysql mongosh redis-cli sqlite3", "*", Operands::Any).with(Special::Interpreter),
];

pub(super) const KUBECTL: &[Row] = &[
    row(
        "get",
        "-Aw -n=V -o=V -l=V -L=V --all-namespaces --namespace=V --output=V --selector=V --show-labels --show-kind --watch --no-headers --sort-by=V --field-selector=V --context=V --ignore-not-found",
        Operands::Any,
    ),
    row(
        "describe",
        "-A -n=V -l=V --all-namespaces --namespace=V --selector=V --context=V",
        Operands::Any,
    ),
    row(
        "logs",
        "-fp -n=V -c=V -l=V --namespace=V --container=V --tail=V --since=V --follow --previous --timestamps --all-containers --prefix --selector=V --context=V",
        Operands::Any,
    ),
    row(
        "top version cluster-info api-resources api-versions explain",
        "-A -n=V -o=V --all-namespaces --namespace=V --output=V --client --recursive --containers --context=V",
        Operands::Any,
    ),
    row("config", "", Operands::Subcommand),
    row("rollout", "", Operands::Subcommand),
    ruled(
        "apply create delete edit patch exec cp port-forward proxy run scale set label annotate drain cordon uncordon taint attach debug auth wait expose autoscale replace diff kustomize certificate plugin",
        Rule::Network,
    ),
];

pub(super) const KUBECTL_CONFIG: &[Row] = &[
    row(
        "current-context get-contexts get-clusters get-users",
        "-o=V --no-headers --output=V",
        Operands::Any,
    ),
    row("view", "--minify", Operands::None),
    ruled(
        "use-context use set-context set-cluster set-credentials set unset delete-context delete-cluster delete-user rename-context",
        Rule::Protected,
    ),
];

pub(super) const KUBECTL_ROLLOUT: &[Row] = &[
    row(
        "status history",
        "-n=V --namespace=V --revision=V --watch --timeout=V --context=V",
        Operands::Any,
    ),
    ruled("restart undo pause resume", Rule::Network),
];

//! Programs that talk to other hosts.

use super::{Operands, Row, Special, row, ruled};
use crate::shell::filter::verdict::Rule;

pub(super) const PROGRAMS: &[Row] = &[
    row("curl", "-#0123456aBfgGiIjklLNOqRsSvVZ -A=V -b=J -c=W -C=V -d=U -D=W -e=V -E=R -F=U -H=U -K=A -m=V -o=W -Q=A -r=V -T=R -u=V -U=V -w=U -x=A -X=V -y=V -Y=V -z=V --silent --show-error --fail --fail-with-body --location --request=V --header=U --data=U --data-raw=V --data-binary=U --data-urlencode=U --json=U --form=U --output=W --remote-name --user=V --user-agent=V --max-time=V --connect-timeout=V --retry=V --retry-delay=V --insecure --verbose --head --include --compressed --write-out=U --upload-file=R --get --url=N --http1.1 --http2 --no-progress-meter --progress-bar --create-dirs --output-dir=W --cookie=J --cookie-jar=W --resolve=A --max-redirs=V --range=V --referer=V --cacert=R --cert=R --key=R --netrc-file=A", Operands::Any).with(Special::Fetch),
    row("wget", "-qvncNSrlkpbE -O=W -o=W -P=W -U=V -t=V -T=V -i=A --input-file=A --quiet --output-document=W --directory-prefix=W --no-check-certificate --header=V --tries=V --timeout=V --no-verbose --continue --recursive --spider --post-file=R --post-data=V --method=V --body-file=R --show-progress", Operands::Any).with(Special::Fetch),
    row("nc ncat netcat nc.traditional nc.openbsd socat", "*", Operands::Any).with(Special::Netcat),
    ruled("telnet ftp tftp rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap aria2c lynx w3m http https httpie", Rule::Network),
    ruled("scp sftp mail sendmail mutt gh glab aws gcloud az helm terraform ansible heroku fly vercel", Rule::Network),
    row("psql mysql mongosh redis-cli sqlite3", "*", Operands::Any).with(Special::Interpreter),
];

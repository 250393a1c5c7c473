//! Programs that connect to other hosts.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    row("curl", "-#0123456aBfgGiIjklLNOqRsSvVZ -A=V -b=J -c=W -C=V -d=U -D=W -e=V -E=R -F=U -H=U -K=A -m=V -o=W -Q=A -r=V -T=R -u=V -U=V -w=U -x=A -X=V -y=V -Y=V -z=V --silent --show-error --fail --fail-with-body --location --request=V --header=U --data=U --data-raw=V --data-binary=U --data-urlencode=U --json=U --form=U --output=W --remote-name --user=V --user-agent=V --max-time=V --connect-timeout=V --retry=V --retry-delay=V --insecure --verbose --head --include --compressed --write-out=U --upload-file=R --get --url=N --http1.1 --http2 --no-progress-meter --progress-bar --create-dirs --output-dir=W --cookie=J --cookie-jar=W --resolve=A --max-redirs=V --range=V --referer=V --cacert=R --cert=R --key=R --netrc-file=A --unix-socket=Q --abstract-unix-socket=Q", Operands::Any).with(Special::Fetch),
    row("wget", "-qvncNSrlkpbE -O=W -o=W -P=W -U=V -t=V -T=V -i=A --input-file=A --quiet --output-document=W --directory-prefix=W --no-check-certificate --header=V --tries=V --timeout=V --no-verbose --continue --recursive --spider --post-file=R --post-data=V --method=V --body-file=R --show-progress", Operands::Any).with(Special::Fetch),
    row("nc ncat netcat nc.traditional nc.openbsd socat", "*", Operands::Any).with(Special::Netcat),
    row("aria2c", "-cqVZ -d=W -o=W -x=V -s=V -j=V -k=V -i=L -l=W -U=V --dir=W --out=W --continue? --input-file=L --log=W --save-session=W --max-connection-per-server=V --split=V --checksum=V --on-download-complete=A --on-download-start=A --on-download-error=A --on-download-pause=A --on-download-stop=A --on-bt-download-complete=A --conf-path=A", Operands::Any).under(CommandRule::Network),
    ruled("telnet ftp tftp rsh rlogin ping ping6 traceroute mtr dig nslookup host whois nmap lynx w3m http https httpie lftp autossh", CommandRule::Network),
    ruled("scp sftp mail sendmail mutt glab aws gcloud az helm ansible heroku fly vercel", CommandRule::Network),
    row("psql mysql mongosh redis-cli sqlite3", "*", Operands::Any).with(Special::Interpreter),
];

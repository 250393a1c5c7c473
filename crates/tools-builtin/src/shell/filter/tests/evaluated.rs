//! Texts that a shell expands once more after they have become words.

use super::{Verdict, wrong};

const HARMFUL: &[&str] = &[
    "[[ a -eq 'a[$(rm -rf /)]' ]]",
    "[[ 'a[$(sudo ls)]' -gt 1 ]]",
    "[[ -v 'a[$(sudo ls)]' ]]",
    "[[ ! ( 1 -lt 2 && -v 'a[`sudo ls`]' ) ]]",
    "y='a[$(rm -rf /)]'; [[ $y -eq 1 ]]",
    "y='a[$(rm -rf /)]'; echo $(( $y ))",
    "test -v 'a[$(sudo ls)]'",
    "[ -v 'a[$(sudo ls)]' ]",
    "read 'a[$(sudo ls)]' < a.txt",
    "unset 'a[$(sudo ls)]'",
    "printf -v 'a[$(sudo ls)]' x",
    "x='$(rm -rf /)'; echo \"${x@P}\"",
    "x='`sudo ls`'; : ${x@P}",
    "x='\\044(sudo ls)'; echo \"${x@P}\"",
    "mapfile -C 'rm -rf /;' -c 1 a < a.txt",
    "readarray -t -c1 -C'sudo ls' a < a.txt",
    "mapfile -tC 'rm -f' -c 1 a < a.txt",
    "a='b[$(sudo ls)]'; echo ${!a}",
    "export 'a[$(sudo ls)]=1'",
    "declare 'a[$(sudo ls)]=1'",
    "wait -p 'a[$(sudo ls)]' -n",
    "[[ \"a[\\$(sudo ls)]\" -eq 1 ]]",
    "test 1 -eq 1 -a -v 'a[$(sudo ls)]'",
    "set -- '$(rm -rf /)'; echo ${1@P}",
    "mapfile -C 'eval sudo ls #' -c1 a < a.txt",
    "let 'a[$(sudo ls)]=1'",
    "b='a[$(sudo ls)]'; echo ${!b@P}",
    "b='a[$(sudo ls)]'; echo ${!b:-x}",
];

#[test]
fn what_is_forbidden_stays_so_in_a_text_that_is_expanded_again() {
    let wrong = wrong(HARMFUL, Verdict::Forbid);

    assert_eq!(wrong, Vec::<String>::new());
}

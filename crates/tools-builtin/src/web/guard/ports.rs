//! Ports of other protocols, whose servers might interpret a request as commands.

/// Blocked ports of the Fetch standard, sorted.
const REFUSED: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Returns whether the port belongs to another protocol.
pub(super) fn is_refused(port: u16) -> bool {
    REFUSED.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_sorted_for_binary_search() {
        assert!(REFUSED.is_sorted());
    }

    #[test]
    fn allows_ports_of_web_servers() {
        for port in [80, 443, 3000, 5000, 8000, 8080, 8443, 8888, 9000, 65535] {
            assert!(!is_refused(port), "{port}");
        }
        for port in [0, 22, 25, 6000, 10080] {
            assert!(is_refused(port), "{port}");
        }
    }
}

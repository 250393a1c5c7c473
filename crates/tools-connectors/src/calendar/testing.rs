//! Accounts on test servers.

use std::sync::Arc;

use crate::door::testing::Server;
use crate::door::{Base, Door, Secrets};
use crate::google::testing::FixedToken;
use crate::google::{Account, zone};

pub(super) fn account(server: &Server, in_zone: Option<&str>) -> Account {
    let door = Door::new("Google Calendar", Secrets::default(), None).unwrap();
    let base = Base::parse(&server.url()).unwrap();
    Account {
        door,
        base,
        tokens: Arc::new(FixedToken("ya29.canary-token")),
        zone: in_zone.map(|name| zone(name).unwrap()),
    }
}

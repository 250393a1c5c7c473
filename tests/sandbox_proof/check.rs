//! Effects of commands: changes outside the workspace, leaked secrets and contacted services.

use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::place::{self, Place, State};
use crate::secrets;
use crate::services::Services;

/// Effects of one or several commands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) has_leaked: bool,
    pub(crate) contacts: usize,
}

impl Effects {
    pub(crate) fn none(&self) -> bool {
        self.written.is_empty() && !self.has_leaked && self.contacts == 0
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            written,
            has_leaked,
            contacts,
        } = self;
        write!(
            f,
            "written {written:?}, secret read {has_leaked}, contacts {contacts}"
        )
    }
}

/// State before some commands.
#[derive(Debug)]
pub(crate) struct Check {
    services: Services,
    state: State,
    contacts: usize,
}

impl Check {
    pub(crate) fn new(place: &Place, services: &Services) -> Self {
        Self {
            services: services.clone(),
            state: place.state(),
            contacts: services.contacts(),
        }
    }

    /// Returns the effects since the last call, given the `output` of the commands.
    pub(crate) fn effects(&mut self, place: &Place, output: &str) -> Effects {
        // The threads of the services count each contact.
        thread::sleep(Duration::from_millis(1));
        let state = place.state();
        let contacts = self.services.contacts();
        let effects = Effects {
            written: place::changes(&self.state, &state),
            has_leaked: secrets::leak(output.as_bytes()) || secrets::leak_below(&place.workspace),
            contacts: contacts - self.contacts,
        };
        (self.state, self.contacts) = (state, contacts);
        effects
    }
}

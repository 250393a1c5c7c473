//! Definitions that a worker offers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tool_core::Registry;

use crate::RemoteError;
use crate::wire::Described;

/// Maximum number of tools of a worker.
pub(crate) const MAX_TOOLS: usize = 1000;

/// Tools of a registry. Their digests are computed once per generation.
pub(super) struct Offers {
    registry: Registry,
    known: Mutex<Option<(u64, Arc<Offer>)>>,
}

impl Offers {
    pub(super) fn new(registry: Registry) -> Self {
        Self {
            registry,
            known: Mutex::default(),
        }
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn current(&self) -> Result<Arc<Offer>, RemoteError> {
        let generation = self.registry.generation();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, offer)) = &*known
            && *of == generation
        {
            return Ok(Arc::clone(offer));
        }
        let offer = Arc::new(Offer::of(&self.registry)?);
        *known = Some((generation, Arc::clone(&offer)));
        Ok(offer)
    }
}

/// Tools of one generation, by name: digest and bytes of each definition.
pub(super) struct Offer(BTreeMap<String, (String, Vec<u8>)>);

impl Offer {
    fn of(registry: &Registry) -> Result<Self, RemoteError> {
        let tools = registry.list();
        let number = tools.len();
        if number > MAX_TOOLS {
            return Err(RemoteError::TooManyTools(format!(
                "the registry has {number} tools; at most {MAX_TOOLS} are allowed"
            )));
        }
        let mut offer = BTreeMap::new();
        for definition in tools {
            let (bytes, digest) = Described::encode(&definition);
            let (name, size, limit) = (definition.name(), bytes.len(), Described::MAX_BYTES);
            if size > limit {
                return Err(RemoteError::TooManyTools(format!(
                    "the definition of `{name}` has {size} bytes; at most {limit} are allowed"
                )));
            }
            offer.insert(name.to_owned(), (digest, bytes));
        }
        Ok(Self(offer))
    }

    pub(super) fn has(&self, name: &str, digest: &str) -> bool {
        self.0.get(name).is_some_and(|(own, _)| own == digest)
    }

    pub(super) fn tools(&self) -> BTreeMap<String, String> {
        let tools = self.0.iter();
        tools
            .map(|(name, (digest, _))| (name.clone(), digest.clone()))
            .collect()
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let definitions = self.0.values();
        definitions.map(|(digest, bytes)| (digest.as_str(), bytes.as_slice()))
    }
}

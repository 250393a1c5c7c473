//! Relationships of a part.

use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::part_name;
use super::xml::Xml;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Relationship {
    pub(super) id: String,
    /// Last segment of the type, such as `styles`. The rest differs in the strict format.
    pub(super) kind: String,
    /// Name of a part, or an external address.
    pub(super) target: String,
    pub(super) external: bool,
}

/// Relationships of one part, sorted by id.
#[derive(Debug, Default)]
pub(super) struct Relationships(Vec<Relationship>);

impl Relationships {
    pub(super) fn parse(
        source: &str,
        text: &str,
        limits: &DocumentLimits,
    ) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut all = Vec::new();
        while let Some(element) = xml.next_start()? {
            if element.local() == "Relationship" {
                let external = element.attribute("TargetMode").as_deref() == Some("External");
                let target = element.attribute("Target").unwrap_or_default();
                let kind = element.attribute("Type").unwrap_or_default();
                all.push(Relationship {
                    id: element.attribute("Id").unwrap_or_default().into_owned(),
                    kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                    target: if external {
                        target.into_owned()
                    } else {
                        part_name::resolve(source, &target)
                    },
                    external,
                });
            }
        }
        all.sort_by(|a: &Relationship, b| a.id.cmp(&b.id));
        Ok(Self(all))
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Relationship> {
        let at = self.0.binary_search_by(|one| one.id.as_str().cmp(id));
        at.ok().and_then(|at| self.0.get(at))
    }

    /// Returns the relationships of a type that refer to parts.
    pub(super) fn parts(&self, kind: &str) -> impl Iterator<Item = &Relationship> {
        self.0
            .iter()
            .filter(move |one| one.kind == kind && !one.external)
    }

    /// Returns the first internal target of a type.
    pub(super) fn target(&self, kind: &str) -> Option<&str> {
        self.parts(kind).next().map(|one| one.target.as_str())
    }
}

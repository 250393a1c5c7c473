//! What a part refers to.

use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::part_name;
use super::xml::{Token, Xml};

/// One reference.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Relationship {
    pub(super) id: String,
    /// The last word of its type, such as `styles`: the addresses before it are others in the strict form.
    pub(super) kind: String,
    /// The name of a part, or an address outside the document.
    pub(super) target: String,
    pub(super) external: bool,
}

/// All references of one part, in their order.
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
        loop {
            match xml.next()? {
                Token::Start(element) if element.local() == "Relationship" => {
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
                Token::Done => break,
                _ => {}
            }
        }
        all.sort_by(|a: &Relationship, b| a.id.cmp(&b.id));
        Ok(Self(all))
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Relationship> {
        let at = self.0.binary_search_by(|one| one.id.as_str().cmp(id));
        at.ok().and_then(|at| self.0.get(at))
    }

    /// The parts inside the document to which relationships of this kind lead.
    pub(super) fn targets<'r>(&'r self, kind: &'r str) -> impl Iterator<Item = &'r str> + 'r {
        self.parts(kind).map(|one| one.target.as_str())
    }

    /// The relationships of this kind that lead to parts inside the document.
    pub(super) fn parts<'r>(
        &'r self,
        kind: &'r str,
    ) -> impl Iterator<Item = &'r Relationship> + 'r {
        self.0
            .iter()
            .filter(move |one| one.kind == kind && !one.external)
    }

    /// The first of [`targets`](Self::targets).
    pub(super) fn target(&self, kind: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|one| one.kind == kind && !one.external)
            .map(|one| one.target.as_str())
    }
}

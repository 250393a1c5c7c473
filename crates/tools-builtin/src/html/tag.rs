//! The names of elements, and what HTML says of them.

/// A name of at most 16 bytes in small letters as one number, so that names are compared at once; a longer one as the
/// number that is made of all its bytes.
const fn packed(name: &[u8]) -> u128 {
    let mut number = 0_u128;
    let mut rest = name;
    while let [first, behind @ ..] = rest {
        number = number.rotate_left(8) ^ (first.to_ascii_lowercase() as u128);
        rest = behind;
    }
    number
}

macro_rules! tags {
    ($($name:ident $text:literal,)*) => {
        /// An element that HTML knows, or another one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Tag {
            $($name,)*
            /// An element that HTML does not know, with the number of its name.
            Other(u64),
        }

        impl Tag {
            /// The element of this name, in letters of any case.
            #[expect(non_upper_case_globals, reason = "named as the elements are")]
            pub(super) fn of(name: &str) -> Self {
                $(const $name: u128 = packed($text.as_bytes());)*
                match packed(name.as_bytes()) {
                    $($name => Self::$name,)*
                    other => Self::Other(folded(other)),
                }
            }
        }
    };
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
fn folded(number: u128) -> u64 {
    (number as u64) ^ ((number >> 64) as u64).rotate_left(29)
}

tags! {
    A "a", Address "address", Annotation "annotation", AnnotationXml "annotation-xml", Applet "applet", Area "area",
    Article "article", Aside "aside", Audio "audio", B "b", Base "base", Basefont "basefont", Bgsound "bgsound",
    Big "big", Blockquote "blockquote", Body "body", Br "br", Button "button", Canvas "canvas", Caption "caption",
    Center "center", Code "code", Col "col", Colgroup "colgroup", Datalist "datalist", Dd "dd", Del "del",
    Desc "desc", Details "details", Dialog "dialog", Dir "dir", Div "div", Dl "dl", Dt "dt", Em "em", Embed "embed",
    Fieldset "fieldset", Figcaption "figcaption", Figure "figure", Font "font", Footer "footer",
    ForeignObject "foreignobject", Form "form", Frame "frame", Frameset "frameset", H1 "h1", H2 "h2", H3 "h3",
    H4 "h4", H5 "h5", H6 "h6", Head "head", Header "header", Hgroup "hgroup", Hr "hr", Html "html", I "i",
    Iframe "iframe", Image "image", Img "img", Input "input", Ins "ins", Kbd "kbd", Keygen "keygen",
    Legend "legend", Li "li", Link "link", Listing "listing", Main "main", Marquee "marquee", Math "math",
    Menu "menu", Meta "meta", Nav "nav", Nobr "nobr", Noembed "noembed", Noframes "noframes", Noscript "noscript",
    Object "object", Ol "ol", Optgroup "optgroup", Option "option", P "p", Param "param", Plaintext "plaintext",
    Pre "pre", Q "q", Rp "rp", Rt "rt", Ruby "ruby", S "s", Samp "samp", Script "script", Search "search",
    Section "section", Select "select", Small "small", Source "source", Span "span", Strike "strike",
    Strong "strong", Style "style", Sub "sub", Summary "summary", Sup "sup", Svg "svg", Table "table",
    Tbody "tbody", Td "td", Template "template", Textarea "textarea", Tfoot "tfoot", Th "th", Thead "thead",
    Title "title", Tr "tr", Track "track", Tt "tt", U "u", Ul "ul", Video "video", Wbr "wbr", Xmp "xmp",
}

impl Tag {
    /// Has no content and no end tag.
    pub(super) fn is_void(self) -> bool {
        use Tag::{
            Area, Base, Basefont, Bgsound, Br, Col, Embed, Frame, Hr, Image, Img, Input, Keygen,
            Link, Meta, Param, Source, Track, Wbr,
        };
        matches!(
            self,
            Area | Base
                | Basefont
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Image
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// Goes on behind the end of a block that it was not closed in.
    pub(super) fn is_formatting(self) -> bool {
        use Tag::{
            A, B, Big, Code, Del, Em, Font, I, Kbd, Nobr, S, Samp, Small, Strike, Strong, Tt, U,
        };
        matches!(
            self,
            A | B
                | Big
                | Code
                | Del
                | Em
                | Font
                | I
                | Kbd
                | Nobr
                | S
                | Samp
                | Small
                | Strike
                | Strong
                | Tt
                | U
        )
    }

    /// A block that ends a paragraph where it begins.
    pub(super) fn is_block(self) -> bool {
        use Tag::{
            Address, Article, Aside, Blockquote, Center, Dd, Details, Dialog, Dir, Div, Dl, Dt,
            Fieldset, Figcaption, Figure, Footer, Form, Header, Hgroup, Hr, Li, Listing, Main,
            Menu, Nav, Ol, P, Plaintext, Pre, Search, Section, Summary, Table, Ul, Xmp,
        };
        self.is_heading()
            || matches!(
                self,
                Address
                    | Article
                    | Aside
                    | Blockquote
                    | Center
                    | Dd
                    | Details
                    | Dialog
                    | Dir
                    | Div
                    | Dl
                    | Dt
                    | Fieldset
                    | Figcaption
                    | Figure
                    | Footer
                    | Form
                    | Header
                    | Hgroup
                    | Hr
                    | Li
                    | Listing
                    | Main
                    | Menu
                    | Nav
                    | Ol
                    | P
                    | Plaintext
                    | Pre
                    | Search
                    | Section
                    | Summary
                    | Table
                    | Ul
                    | Xmp
            )
    }

    pub(super) fn is_heading(self) -> bool {
        self.level().is_some()
    }

    /// Which heading, from 1 to 6.
    pub(super) fn level(self) -> Option<u8> {
        Some(match self {
            Self::H1 => 1,
            Self::H2 => 2,
            Self::H3 => 3,
            Self::H4 => 4,
            Self::H5 => 5,
            Self::H6 => 6,
            _ => return None,
        })
    }

    /// Ends the search for an open element, whatever stands around it.
    pub(super) fn is_boundary(self) -> bool {
        use Tag::{Applet, Caption, ForeignObject, Marquee, Object, Table, Td, Template, Th};
        matches!(
            self,
            Applet | Caption | ForeignObject | Marquee | Object | Table | Td | Template | Th
        )
    }

    /// The HTML Standard's "special" elements, as far as they are kept open here.
    pub(super) fn is_special(self) -> bool {
        use Tag::{Button, Colgroup, Select, Tbody, Tfoot, Thead, Tr};
        self.is_block()
            || self.is_boundary()
            || matches!(
                self,
                Button | Colgroup | Select | Tbody | Tfoot | Thead | Tr
            )
    }

    /// Ends an `<svg>` or `<math>` that it stands in, because it is HTML for certain.
    pub(super) fn is_html_for_certain(self) -> bool {
        use Tag::{
            B, Big, Body, Br, Code, Em, Embed, Head, I, Img, Meta, Nobr, Ruby, S, Small, Span,
            Strike, Strong, Sub, Sup, Tt, U,
        };
        (self.is_block() && !matches!(self, Self::Search | Self::Summary))
            || matches!(
                self,
                B | Big
                    | Body
                    | Br
                    | Code
                    | Em
                    | Embed
                    | Head
                    | I
                    | Img
                    | Meta
                    | Nobr
                    | Ruby
                    | S
                    | Small
                    | Span
                    | Strike
                    | Strong
                    | Sub
                    | Sup
                    | Tt
                    | U
            )
    }

    /// Has text for content, in which nothing but its own end tag is a tag.
    pub(super) fn raw_text(self) -> Option<RawText> {
        Some(match self {
            Self::Title | Self::Textarea => RawText::References,
            Self::Script => RawText::Script,
            Self::Style
            | Self::Xmp
            | Self::Iframe
            | Self::Noembed
            | Self::Noframes
            | Self::Noscript => RawText::Literal,
            _ => return None,
        })
    }
}

/// How the text of an element is read in which nothing but its own end tag is a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawText {
    /// With character references.
    References,
    /// As it stands.
    Literal,
    /// As it stands; a script in a comment may hold end tags of its own.
    Script,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case_and_others_are_told_apart() {
        assert_eq!(Tag::of("BlockQuote"), Tag::Blockquote);
        assert_eq!(Tag::of("annotation-xml"), Tag::AnnotationXml);
        assert_eq!(Tag::of("x-menu"), Tag::of("X-MENU"));
        for (one, other) in [
            ("x-menu", "x-menus"),
            (
                "a-name-of-more-than-16-bytes",
                "b-name-of-more-than-16-bytes",
            ),
            ("", "a"),
        ] {
            assert_ne!(Tag::of(one), Tag::of(other));
        }
    }
}

//! Element names and their categories in HTML.

/// Packs a name of up to 16 bytes into one number in lowercase, for fast comparisons. Longer names
/// are hashed.
// A long name can be made to collide with a known one, which only changes how its own page is read.
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
        /// HTML element.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Tag {
            $($name,)*
            /// Unknown element, with the hash of its name.
            Other(u64),
        }

        impl Tag {
            /// Returns the element with this name, ignoring ASCII case.
            #[expect(non_upper_case_globals, reason = "constants have the names of the variants")]
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

macro_rules! is_any {
    ($tag:expr, $($name:ident)*) => { matches!($tag, $(Tag::$name)|*) };
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
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
    /// Returns whether the element has no content and no end tag.
    pub(super) fn is_void(self) -> bool {
        is_any!(self, Area Base Basefont Bgsound Br Col Embed Frame Hr Image Img Input Keygen Link Meta
            Param Source Track Wbr)
    }

    /// Returns whether the element continues after the end of the block that contains it.
    pub(super) fn is_formatting(self) -> bool {
        is_any!(self, A B Big Code Del Em Font I Kbd Nobr S Samp Small Strike Strong Tt U)
    }

    /// Returns whether the start tag closes an open `<p>`.
    pub(super) fn is_block(self) -> bool {
        self.is_heading()
            || is_any!(self, Address Article Aside Blockquote Center Dd Details Dialog Dir Div Dl Dt
                Fieldset Figcaption Figure Footer Form Header Hgroup Hr Li Listing Main Menu Nav Ol
                P Plaintext Pre Search Section Summary Table Ul Xmp)
    }

    pub(super) fn is_heading(self) -> bool {
        self.level().is_some()
    }

    /// Returns the heading level, from 1 to 6.
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

    /// Returns whether the element limits the scope in which open elements are searched.
    pub(super) fn is_boundary(self) -> bool {
        is_any!(self, Applet Caption ForeignObject Marquee Object Table Td Template Th)
    }

    /// Returns whether the HTML Standard calls the element "special". Void elements are excluded.
    pub(super) fn is_special(self) -> bool {
        self.is_block()
            || self.is_boundary()
            || is_any!(self, Button Colgroup Select Tbody Tfoot Thead Tr)
    }

    /// Returns whether the start tag closes an enclosing `<svg>` or `<math>`.
    pub(super) fn ends_foreign_content(self) -> bool {
        (self.is_block() && !matches!(self, Self::Search | Self::Summary))
            || is_any!(self, B Big Body Br Code Em Embed Head I Img Meta Nobr Ruby S Small Span Strike
                Strong Sub Sup Tt U)
    }

    /// Returns whether the element is only valid in tables.
    pub(super) fn is_table_part(self) -> bool {
        is_any!(self, Caption Colgroup Tbody Thead Tfoot Tr Td Th)
    }

    /// Returns whether the element may contain only rows and cells.
    pub(super) fn holds_cells(self) -> bool {
        is_any!(self, Table Tbody Thead Tfoot Tr)
    }

    /// Returns whether browsers do not render the content.
    pub(super) fn is_unseen(self) -> bool {
        is_any!(self, Template Audio Video Canvas Datalist Rp)
    }

    /// Returns the kind of text if the element contains text only.
    pub(super) fn raw_text(self) -> Option<RawText> {
        Some(match self {
            Self::Title | Self::Textarea => RawText::References,
            Self::Script => RawText::Script,
            // `<noscript>` too, because browsers that run scripts do not show it.
            _ if is_any!(self, Style Xmp Iframe Noembed Noframes Noscript) => RawText::Literal,
            _ => return None,
        })
    }
}

/// Kind of text in an element that contains text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawText {
    /// Text with character references.
    References,
    /// Literal text.
    Literal,
    /// Literal text in which comments may contain nested `<script>` elements.
    Script,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_unknown_names_differ() {
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

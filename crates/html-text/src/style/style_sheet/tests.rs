use super::*;
use crate::style::visibility;

fn hides(css: &str, tag: &str, id: &str, classes: &str) -> bool {
    let mut style_sheet = StyleSheet::default();
    style_sheet.add(css);
    visibility(&style_sheet.effects(Tag::of(tag), id, classes)).gone
}

#[test]
fn simple_selectors_match_elements() {
    for (selector, matches) in [
        (".a", true),
        (".A", true),
        ("#x", true),
        ("p.a", true),
        ("*.a", true),
        (".b.a", true),
        ("p.a.b#x", true),
        ("div, .a", true),
        (":is(div), .a", true),
        ("<!-- .a", true),
        (r"\2e a, .\61", true),
        ("/*x*/.a/*y*/", true),
        ("div.a", false),
        (".a.c", false),
        (".a-b", false),
        ("p", false),
        ("*", false),
        (".a:hover", false),
        (".a::before", false),
        (".a[title]", false),
        ("div .a", false),
        ("div>.a", false),
        (".b + .a", false),
        (".a.", false),
        (r".\.a", false),
    ] {
        let css = format!("{selector}{{display:none}}");

        assert_eq!(hides(&css, "p", "x", "a b"), matches, "{selector}");
    }
}

#[test]
fn cascade_decides_between_rules() {
    for (css, hidden) in [
        (".a{display:none}.a{display:block}", false),
        (".a{display:block}.a{display:none}", true),
        (".a{display:none}.b{display:block}.a{color:red}", false),
        ("p.a{display:none}.a{display:block}", true),
        (".a.b{display:none}.a{display:block}", true),
        ("#x{display:block}.a.b{display:none}", false),
        (".a{display:none!important}#x{display:block}", true),
        (".a{position:absolute}.b{left:-9999px}", true),
    ] {
        assert_eq!(hides(css, "p", "x", "a b"), hidden, "{css}");
    }
}

#[test]
fn at_rules_apply_on_screens_of_any_size() {
    for (prelude, applies) in [
        ("@media screen", true),
        ("@media all", true),
        ("@media print, Screen", true),
        ("@layer base", true),
        ("@media print", false),
        ("@media (max-width: 600px)", false),
        ("@media screen and (max-width: 600px)", false),
        ("@supports (display: grid)", false),
        ("@font-face", false),
    ] {
        let css = format!("{prelude}{{.a{{display:none}}}}");

        assert_eq!(hides(&css, "p", "", "a"), applies, "{prelude}");
    }
}

#[test]
fn size_of_sheet_is_bounded() {
    let mut style_sheet = StyleSheet::default();
    let many = (0..10_000).map(|class| format!(".a{class}.b{{top:0}}"));
    let same = (0..100).map(|class| format!(".b.c{class}{{top:0}}"));

    style_sheet.add(&many.collect::<Vec<_>>().concat());
    style_sheet.add(&same.collect::<Vec<_>>().concat());

    assert_eq!(style_sheet.selectors, MAX_SELECTORS);
    let styles = style_sheet.styles.values().map(Vec::len).max();
    assert!(styles <= Some(MAX_SELECTORS_PER_NAME), "{styles:?}");
}

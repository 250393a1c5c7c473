//! Text of markup in search results.

use html_text::reference;

/// Removes tags and decodes character references in one pass.
pub(super) fn without_markup(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    let lower = html.to_ascii_lowercase();
    // Do not search again for the end of a tag or script after one search failed.
    let (mut may_end, mut may_end_script) = (true, true);
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if let Some(rest_after) = from.strip_prefix('&') {
            rest = read_reference(rest_after, &mut text);
            continue;
        }
        let lower = lower.get(html.len() - from.len()..).unwrap_or_default();
        if may_end_script && let Some(end) = unread(lower) {
            match lower.find(end) {
                Some(end) => {
                    rest = from.get(end..).unwrap_or_default();
                    continue;
                }
                None => may_end_script = false,
            }
        }
        let end = (may_end && begins_tag(from)).then(|| from.find('>'));
        may_end &= end != Some(None);
        rest = if let Some(end) = end.flatten() {
            from.get(end + 1..).unwrap_or_default()
        } else {
            text.push('<');
            from.get(1..).unwrap_or_default()
        };
    }
    text.push_str(rest);
    text
}

/// Returns the closing tag of an element that starts here and whose content is not shown.
fn unread(lower: &str) -> Option<&'static str> {
    [("<script", "</script"), ("<style", "</style")]
        .into_iter()
        .find_map(|(start, end)| {
            let rest_after = lower.strip_prefix(start)?;
            let is_whole = !rest_after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
            is_whole.then_some(end)
        })
}

fn begins_tag(from: &str) -> bool {
    let second = from.chars().nth(1);
    second.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// Decodes the reference after `&` and returns the rest. Invalid references are kept, as is
/// `&copy=1`, because descriptions contain URLs.
fn read_reference<'t>(rest_after: &'t str, text: &mut String) -> &'t str {
    let Some((c, second, length)) = reference(rest_after, true) else {
        text.push('&');
        return rest_after;
    };
    text.push(c);
    text.extend(second);
    rest_after.get(length..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_tags_and_decodes_references() {
        for (html, text) in [
            ("plain", "plain"),
            ("a <strong>bold</strong> word", "a bold word"),
            ("<b class=\"a\">x</b><br/>y<!-- z -->", "xy"),
            ("Tom &amp; Jerry &lt;3", "Tom & Jerry <3"),
            ("a<script>alert(1)</script>b", "ab"),
            ("a<SCRIPT src=x>1 < 2</Script >b<style>c{}</style>d", "abd"),
            ("a<script>never", "anever"),
            ("<scripts>a</scripts>", "a"),
            ("&#39;x&#x27; &#X27;", "'x' '"),
            ("&lt;b&gt;shown&lt;/b&gt;", "<b>shown</b>"),
            ("&amp;lt;", "&lt;"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("AT&T &unknown; &", "AT&T &unknown; &"),
            ("an open <tag", "an open <tag"),
            ("&#0;&#xD800;&#1114112;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("/?a=1&copy=2 &eacute;", "/?a=1&copy=2 é"),
            ("ä&nbsp;ö", "ä\u{a0}ö"),
        ] {
            assert_eq!(without_markup(html), text, "{html}");
        }
    }

    #[test]
    fn unclosed_tags_take_linear_time() {
        for piece in ["<a", "<script ", "<script><style "] {
            let open = piece.repeat(100_000);

            let _ = without_markup(&open);
        }
        let open = "<a".repeat(500_000);

        assert_eq!(without_markup(&open), open);
    }
}

//! Pages with their plain text and Markdown.

use crate::{Options, to_markdown, to_text, to_text_with};

/// Page, its plain text and its Markdown.
type Row = (&'static str, &'static str, &'static str);

fn check(rows: &[Row]) {
    for (page, text, markdown) in rows {
        assert_eq!(to_text(page).text, *text, "as text: {page}");
        assert_eq!(to_markdown(page).text, *markdown, "as Markdown: {page}");
    }
}

#[test]
fn blocks_are_on_separate_lines() {
    check(&[
        ("plain", "plain", "plain"),
        ("", "", ""),
        ("<p>one<p>two", "one\n\ntwo", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo", "one\n\ntwo"),
        ("<div><div>one</div></div>two", "one\ntwo", "one\n\ntwo"),
        (
            "<h1>A</h1><h3>B <b>c</b></h3>d",
            "A\n\nB c\n\nd",
            "# A\n\n### B c\n\nd",
        ),
        (
            "<h2>over<br>two <p>lines</h2>x",
            "over two lines\n\nx",
            "## over two lines\n\nx",
        ),
        ("a<br>b<br><br>c", "a\nb\n\nc", "a  \nb\n\nc"),
        ("<p>a<br></p><p>b", "a\n\nb", "a\n\nb"),
        ("a<hr>b", "a\n\n---\n\nb", "a\n\n---\n\nb"),
        (
            "<blockquote><p>one<p>two</blockquote>three",
            "one\n\ntwo\n\nthree",
            "> one\n>\n> two\n\nthree",
        ),
        (
            "<blockquote>a<blockquote>b</blockquote></blockquote>",
            "a\n\nb",
            "> a\n>\n> > b",
        ),
        (
            "<details><summary>More</summary>text</details>",
            "More\n\ntext",
            "**More**\n\ntext",
        ),
        (
            "<dl><dt>Tea<dd>a drink<dd>a meal<dt>Cup<dd>holds it</dl>",
            "Tea\na drink\na meal\nCup\nholds it",
            "Tea\n: a drink\n: a meal\n\nCup\n: holds it",
        ),
        (
            "<figure><img alt='a cat'><figcaption>Cat</figcaption></figure>",
            "a cat\nCat",
            "![a cat]\n\nCat",
        ),
        (
            "<address>Street 1<br>Town</address>",
            "Street 1\nTown",
            "Street 1  \nTown",
        ),
        ("</p>a</p>b", "a\n\nb", "a\n\nb"),
        ("<center>a</center>b", "a\nb", "a\n\nb"),
    ]);
}

#[test]
fn lists_keep_numbers_and_levels() {
    check(&[
        ("<ul><li>a<li>b</ul>", "• a\n• b", "- a\n- b"),
        (
            "x<ul><li><p>a</p></li><li><p>b</p></li></ul>y",
            "x\n\n• a\n• b\n\ny",
            "x\n\n- a\n- b\n\ny",
        ),
        (
            "<ol start=3><li>a<li>b<li value=9>c<li>d</ol>",
            "3. a\n4. b\n9. c\n10. d",
            "3. a\n4. b\n9. c\n10. d",
        ),
        (
            "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>",
            "• a\n  • b\n    1. c\n• d",
            "- a\n  - b\n    1. c\n- d",
        ),
        (
            "<ol><li>a<p>more</p><li>b</ol>",
            "1. a\n\n   more\n2. b",
            "1. a\n\n   more\n2. b",
        ),
        ("<ul><li></li><li>b</ul>", "• b", "- b"),
        ("<ul><li><ul><li>x</ul></ul>", "• • x", "- - x"),
        ("<li>alone", "• alone", "- alone"),
        ("<ul><li><h3>H</h3>t</ul>", "• H\n\n  t", "- ### H\n\n  t"),
        (
            "<ul><li><pre>a\n b</pre></ul>",
            "• a\n   b",
            "- ```\n  a\n   b\n  ```",
        ),
        ("<ul><li><blockquote>q</blockquote></ul>", "• q", "- > q"),
        ("<ol start=-1><li>a</ol>", "-1. a", "-1. a"),
        (
            "<ol start=9223372036854775807><li>a<li>b</ol>",
            "9223372036854775807. a\n9223372036854775807. b",
            "9223372036854775807. a\n9223372036854775807. b",
        ),
        (
            "<ul><li><input type=checkbox checked>done<li><input type=checkbox> open</ul>",
            "• [x] done\n• [ ] open",
            "- [x] done\n- [ ] open",
        ),
    ]);
}

#[test]
fn tables_keep_rows_and_columns() {
    check(&[
        (
            "<table><tr><th>A<th>B<tr><td>1<td>2</table>",
            "A\tB\n1\t2",
            "| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><td>a<td><td>c</table>x",
            "a\t\tc\n\nx",
            "| a | | c |\n| --- | --- | --- |\n\nx",
        ),
        (
            "<table><tr><td>a|b<td><code>c|d</code></table>",
            "a|b\tc|d",
            "| a\\|b | `c\\|d` |\n| --- | --- |",
        ),
        // Blocks in a cell do not make a table with header cells a layout.
        (
            "<table><tr><th>A<th>B<tr><td><ul><li>1<li>2</ul><td><pre>x\ny</pre><h3>z</h3></table>",
            "A\tB\n• 1 • 2\tx y z",
            "| A | B |\n| --- | --- |\n| • 1 • 2 | x y z |",
        ),
        (
            "<table><tr><th>A<th>B<tr><td><table><tr><td>1<td>2</table><td>3</table>",
            "A\nB\n\n1\t2\n\n3",
            "A\n\nB\n\n| 1 | 2 |\n| --- | --- |\n\n3",
        ),
        (
            "<table><caption>T</caption><tr><td>a<td>b</table>",
            "T\na\tb",
            "T\n\n| a | b |\n| --- | --- |",
        ),
        (
            "<table><tr><td colspan=2>wide<tr><td>1<td>2</table>",
            "wide\n1\t2",
            "| wide | |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><td rowspan=2>r<td>1<tr><td>2</table>",
            "r\t1\n\t2",
            "| r | 1 |\n| --- | --- |\n| | 2 |",
        ),
        (
            "<table><tr><td><p>one</p><p>two</p><td>x<br>y</table>",
            "one two\tx y",
            "| one two | x y |\n| --- | --- |",
        ),
        (
            "<table><tr><td>only<tr><td>one</table>",
            "only\none",
            "only\n\none",
        ),
        (
            "<table><tr><td><ul><li>a</ul><td>b</table>",
            "• a\n\nb",
            "- a\n\nb",
        ),
        (
            "<table><tr><td><table><tr><td>1<td>2</table><td>b</table>",
            "1\t2\n\nb",
            "| 1 | 2 |\n| --- | --- |\n\nb",
        ),
        (
            "<table role=presentation><tr><td>a<td>b</table>",
            "a\nb",
            "a\n\nb",
        ),
        (
            "<table><thead><tr><th>H<th>I</thead><tbody><tr><td>1<td>2</tbody></table>",
            "H\tI\n1\t2",
            "| H | I |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><td>a<td>b<tr><td><td><tr><td>c<td>d</table>",
            "a\tb\nc\td",
            "| a | b |\n| --- | --- |\n| c | d |",
        ),
        // As in browsers, text between rows is before the table.
        (
            "<table><tr><td>a<td>b</tr>stray<tr><td>c<td>d</table>",
            "stray\n\na\tb\nc\td",
            "stray\n\n| a | b |\n| --- | --- |\n| c | d |",
        ),
        ("<td>no table", "no table", "no table"),
    ]);
}

#[test]
fn marks_exclude_spaces_around_words() {
    check(&[
        ("a <b>bold </b>b", "a bold b", "a **bold** b"),
        ("<i>it</i><em>em</em>", "item", "*item*"),
        ("<b><i>both</i></b>", "both", "***both***"),
        ("<b> </b>x", "x", "x"),
        ("<p><b>x<p>y</b>z", "x\n\nyz", "**x**\n\n**y**z"),
        ("<b>a <i>b</b> c</i>", "a b c", "**a *b*** *c*"),
        ("<del>old</del> <ins>new</ins>", "old new", "~~old~~ new"),
        (
            "run <code>a *b* `c`</code>",
            "run a *b* `c`",
            "run `` a *b* `c` ``",
        ),
        ("<kbd>Ctrl</kbd>+<kbd>C</kbd>", "Ctrl+C", "`Ctrl`+`C`"),
        (
            "<a href=/x>one <b>two</b></a>",
            "one two",
            "[one **two**](/x)",
        ),
        ("<a href=/x> sp </a>y", "sp y", "[sp](/x) y"),
        (
            "<a href='https://a.org/'>https://a.org/</a>",
            "https://a.org/",
            "<https://a.org/>",
        ),
        (
            "<a href='javascript:x()'>run</a> <a>none</a>",
            "run none",
            "run none",
        ),
        (
            "<a href=/x><h3>T</h3><p>p</p></a>",
            "T\n\np",
            "### [T](/x)\n\np",
        ),
        ("<a href=/1>a<a href=/2>b</a>c", "abc", "[a](/1)[b](/2)c"),
        ("<a href='/a_(b) c'>x</a>", "x", "[x](/a_%28b%29%20c)"),
        (
            "<a href='a&amp;b&#x202e;'>x</a> <a href='javascript&colon;x()'>run</a>",
            "x run",
            "[x](a&b%E2%80%AE) run",
        ),
        ("<q>so</q> he said", "\"so\" he said", "\"so\" he said"),
        (
            "E=mc<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O",
            "E=mc^2, 1st, H2O",
            "E=mc^2, 1st, H2O",
        ),
        (
            "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>",
            "漢(kan)",
            "漢(kan)",
        ),
        ("x<wbr>y<span>z</span>", "xyz", "xyz"),
    ]);
}

#[test]
fn escapes_markdown_syntax() {
    for (page, markdown) in [
        ("<p># no", "\\# no"),
        ("<p>1. no", "1\\. no"),
        ("<p>- no<p>+ no<p>* no", "\\- no\n\n\\+ no\n\n\\* no"),
        ("<p>&gt; no", "\\> no"),
        ("<p>---", "\\---"),
        ("2 * 3 *4*", "2 * 3 \\*4\\*"),
        ("snake_case __init__", "snake_case \\_\\_init\\_\\_"),
        ("a `tick`", "a \\`tick\\`"),
        ("[x](y)", "[x\\](y)"),
        ("&lt;b&gt; a &lt; b", "\\<b> a < b"),
        ("&amp;amp; AT&amp;T", "\\&amp; AT&T"),
        ("C:\\dir \\*", "C:\\dir \\\\\\*"),
        ("~~x~~ ~1", "\\~\\~x\\~\\~ ~1"),
    ] {
        assert_eq!(to_markdown(page).text, markdown, "{page}");
    }
}

#[test]
fn code_keeps_lines_and_language() {
    check(&[
        ("<pre>a\n\tb\n</pre>", "a\n\tb", "```\na\n\tb\n```"),
        (
            "<pre><code class='language-rust'>fn main() {}\n</code></pre>",
            "fn main() {}",
            "```rust\nfn main() {}\n```",
        ),
        (
            "<div class='highlight highlight-source-js'><pre>x</pre></div>",
            "x",
            "```js\nx\n```",
        ),
        ("<pre class='brush: php; x'>x</pre>", "x", "```php\nx\n```"),
        (
            "<pre>```\nx\n```</pre>",
            "```\nx\n```",
            "````\n```\nx\n```\n````",
        ),
        ("<pre>\n\nx</pre>y", "\nx\n\ny", "```\n\nx\n```\n\ny"),
        (
            "<pre>a<br>b<span>c</span> &lt;</pre>",
            "a\nbc <",
            "```\na\nbc <\n```",
        ),
        (
            "<pre><div>1</div><div>2</div></pre>",
            "1\n2",
            "```\n1\n2\n```",
        ),
        ("<xmp><b>x</b></xmp>", "<b>x</b>", "```\n<b>x</b>\n```"),
        ("<plaintext>a <b>", "a <b>", "```\na <b>\n```"),
        ("<pre> </pre>x", "x", "x"),
    ]);
}

#[test]
fn includes_text_that_only_style_sheets_hide() {
    for (page, text) in [
        ("<style>.x{display:none}</style><p class=x>x</p>y", "x\n\ny"),
        ("<style>p{font-size:0}</style><p>x</p>y", "x\n\ny"),
        (
            "<link rel=stylesheet href=a.css><b class=hidden>x</b>y",
            "xy",
        ),
    ] {
        assert_eq!(to_text(page).text, text, "{page}");
    }
}

#[test]
fn reports_what_only_browsers_do() {
    let options = Options::new().with_base_url("https://example.org/a/");
    for (content, redirect) in [
        ("0; url=b?c&amp;d", Some("https://example.org/a/b?c&d")),
        ("5;URL='/b'", Some("https://example.org/b")),
        ("5", None),
        ("0; url=javascript:alert(1)", None),
    ] {
        let page = format!("<meta http-equiv=Refresh content=\"{content}\">x");

        let page = to_text_with(&page, &options);

        assert_eq!(page.redirect.as_deref(), redirect, "{content}");
        assert_eq!((page.has_script, page.noscript), (false, None));
    }
    let page = to_text(
        "<div id=root></div><noscript> <p>Enable scripts. </noscript><script>go()</script>",
    );
    assert_eq!(page.noscript.as_deref(), Some("<p>Enable scripts."));
    assert!(page.has_script && page.text.is_empty());
}

#[test]
fn omits_hidden_content() {
    for (page, text) in [
        ("a<script>b</script>c", "ac"),
        ("a<script><!-- <script>b</script> --></script>c", "ac"),
        (
            "a<style>p{}</style><noscript>no</noscript><template><p>t</template>b",
            "ab",
        ),
        ("<p hidden>x</p>y", "y"),
        ("<p>a<span style='display:none'>x<b>y</span>z", "az"),
        ("<div aria-hidden=true>x<div>y</div></div>z", "z"),
        ("<b style=display:none>x</b>y", "y"),
        ("<a hidden href=/x>x</a>y", "y"),
        (
            "<div style='visibility:hidden'>x<p style='visibility:visible'>y</p></div>",
            "y",
        ),
        (
            "<td style='font-size:0'>x</td><div style='font-size:0'>a<p style='font-size:13px'>b</div>",
            "x\n\nb",
        ),
        (
            "<svg><title>t</title><text>x</text><style>a<b</style></svg>y",
            "y",
        ),
        ("<svg><g><p>out", "out"),
        ("<math><mi>x</mi><annotation>TeX</annotation></math>", "x"),
        (
            "<video>no</video><canvas>no</canvas><audio>no</audio>y",
            "y",
        ),
        ("<iframe>no</iframe><object>yes</object>", "yes"),
        (
            "<input type=hidden value=x><input value=shown><input type=password value=p>",
            "shown",
        ),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes"),
        ("<datalist><option>no</datalist>y", "y"),
        (
            "<!-- no -->a<!-->b<!--->c<!-- x --!>d<!x>e<?y>f</ z>g",
            "abcdefg",
        ),
        ("<body style='opacity:0'>shown", "shown"),
        ("<style>.x{display:none}<p class=x>y", ""),
        ("<img alt=cat hidden><img alt=dog><img>", "dog"),
        ("<html hidden><head><title>T</title></head>x", "x"),
    ] {
        assert_eq!(to_text(page).text, text, "{page}");
    }
}

#[test]
fn controls_show_visible_values() {
    for (page, text) in [
        ("<select><option>a<option selected>b<option>c</select>", "b"),
        ("<select><option>a<option>b</select>x", "x"),
        (
            "<select><optgroup label=g><option selected>a</optgroup><option>b</select>x",
            "a\nx",
        ),
        (
            "<select multiple><option selected>a<option>b<option selected>c</select>",
            "a c",
        ),
        ("<button>Go</button><button>Stop</button>", "Go Stop"),
        ("<textarea>a <b>&amp; c</textarea>", "a <b>& c"),
        ("<input type=submit value='Send it'>", "Send it"),
        ("<input placeholder=Name>", "Name"),
        ("<label>Name <input></label>", "Name"),
        (
            "<frameset><frame src=/a title=Menu><frame src=/b></frameset>",
            "Menu\n/b",
        ),
    ] {
        assert_eq!(to_text(page).text, text, "{page}");
    }
}

#[test]
fn collapses_white_space_and_decodes_references() {
    for (page, text) in [
        ("  a \n\t b&nbsp;&nbsp;c  ", "a b c"),
        ("a <span> b </span> c", "a b c"),
        ("<p> a </p> <p> b </p>", "a\n\nb"),
        ("&lt;p&gt; &amp;amp; &#8364; &hellip;", "<p> &amp; € …"),
        ("a\0b\r\nc\rd", "ab c d"),
        (
            "soft&shy;hyphens &#8238;x&ZeroWidthSpace;y &#133;",
            "softhyphens xy …",
        ),
        (
            "&notit; &copy 2020 &acE; &#X43 &#0;&#xD800; & &; &#x;",
            "¬it; © 2020 ∾\u{333} C \u{fffd}\u{fffd} & &; &#x;",
        ),
        ("1 < 2 <3 a<b>c", "1 < 2 <3 ac"),
        ("<p title='a>b'>x<p title=\"<p>\">y", "x\n\ny"),
        ("<p/>x<br/>y", "x\ny"),
        ("a<div", "a"),
        ("<p a=1 a=2 =x>y", "y"),
        ("<P>UPPER</P><dIv>Mixed</DiV>", "UPPER\n\nMixed"),
        ("<x-card>a</x-card>b", "ab"),
    ] {
        assert_eq!(to_text(page).text, text, "{page}");
    }
}

#[test]
fn reads_title_language_and_description() {
    let page = to_text(
        "<html lang='en-GB'><title> A &amp; B\n c</title><title>no</title>\
         <meta property=og:description content='&lt;About&gt;'><p>x",
    );

    assert_eq!(page.title, "A & B c");
    assert_eq!(page.language.as_deref(), Some("en-GB"));
    assert_eq!(page.description.as_deref(), Some("<About>"));
    assert_eq!(page.text, "x");
}

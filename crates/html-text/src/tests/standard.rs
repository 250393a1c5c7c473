//! Comparison with the tokenizer of html5ever, which implements the HTML Standard.

use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token as TheirToken, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use proptest::prelude::*;

use crate::characters::{attribute, decode};
use crate::tag::{RawText, Tag};
use crate::tokens::{Token, Tokens};

/// Token common to both tokenizers. End tags of text-only elements are omitted.
#[derive(Debug, PartialEq)]
enum Piece {
    Start(Tag, bool, Vec<(String, String)>),
    End(Tag),
    Text(String),
}

#[derive(Debug, Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    fn start(
        &mut self,
        tag: Tag,
        is_closed: bool,
        attributes: impl Iterator<Item = (String, String)>,
    ) {
        let mut first: Vec<(String, String)> = Vec::new();
        for (name, value) in attributes {
            if first.iter().all(|(known, _)| *known != name) {
                first.push((name, value));
            }
        }
        self.0.push(Piece::Start(tag, is_closed, first));
    }

    fn end(&mut self, tag: Tag) {
        if tag.raw_text().is_none() {
            self.0.push(Piece::End(tag));
        }
    }
}

fn ours(page: &str) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    let mut tokens = Tokens::new(page);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => pieces.text(&decode(text, false)),
            Token::Literal(text) => pieces.text(text),
            Token::End(tag) => pieces.end(tag),
            Token::Start { tag, is_closed } => {
                let attributes = tokens.attributes().iter();
                let attributes = attributes.map(|one| {
                    (
                        one.name.to_ascii_lowercase(),
                        attribute(one.value).into_owned(),
                    )
                });
                pieces.start(tag, is_closed, attributes);
                match tag.raw_text() {
                    None if tag == Tag::Plaintext => pieces.text(tokens.take_rest()),
                    None => {}
                    Some(raw @ RawText::References) => {
                        pieces.text(&decode(tokens.take_raw(tag, raw), false));
                    }
                    Some(raw) => pieces.text(tokens.take_raw(tag, raw)),
                }
            }
        }
    }
    pieces.0
}

#[derive(Default)]
struct Sink(RefCell<Pieces>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: TheirToken, _line: u64) -> TokenSinkResult<()> {
        let mut pieces = self.0.borrow_mut();
        match token {
            TheirToken::CharacterTokens(text) => pieces.text(&text),
            TheirToken::TagToken(found) => {
                let tag = Tag::of(&found.name);
                if found.kind == TagKind::EndTag {
                    pieces.end(tag);
                    return TokenSinkResult::Continue;
                }
                let attributes = found.attrs.iter();
                let attributes =
                    attributes.map(|one| (one.name.local.to_string(), one.value.to_string()));
                pieces.start(tag, found.self_closing, attributes);
                return match tag.raw_text() {
                    Some(RawText::References) => TokenSinkResult::RawData(RawKind::Rcdata),
                    Some(RawText::Literal) => TokenSinkResult::RawData(RawKind::Rawtext),
                    Some(RawText::Script) => TokenSinkResult::RawData(RawKind::ScriptData),
                    None if tag == Tag::Plaintext => TokenSinkResult::Plaintext,
                    None => TokenSinkResult::Continue,
                };
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn theirs(page: &str) -> Vec<Piece> {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(page.into());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner().0
}

/// Returns fragments that combine to any token.
fn any_markup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "/",
        "</",
        "<!",
        "<!--",
        "-->",
        "--!>",
        "--",
        "-",
        "!",
        "?",
        "<?",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "&",
        ";",
        "#",
        "x",
        "p",
        "script",
        "style",
        "title",
        "textarea",
        "plaintext",
        "div",
        "x-y",
        "SCRIPT",
        "<script>",
        "</script>",
        "</SCRIPT ",
        "<title>",
        "</title>",
        "<style>",
        "</style",
        "<p a=1>",
        "<a href='x&amp;y'>",
        "<b c=\"&copy=\">",
        "</p>",
        "<br/>",
        "<i/ d>",
        "&amp;",
        "&notit;",
        "&not",
        "&#x41;",
        "&#65",
        "&#0",
        "&ampamp",
        "&acE;",
        "é",
        "a",
        "=b",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE html>",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn tokenizes_pages_as_html5ever() {
    for page in [
        "<p>one</p>",
        "<a\thref = x\n y>z</a\n>",
        "<script><!--<script></script>--></script>a",
        "<title>a&amp;b</titles></title>c",
        "<!-->a--><!--->b--><!--c--!>d<!-- e -- f -->g",
        "<p =a=b / c='1'c=2>",
        "a < b <3 </ > </> <! > <?php ?>x",
        "<textarea><p></textarea><plaintext></plaintext>",
        "&lt&gt;&ampx;&#x80;",
    ] {
        assert_eq!(ours(page), theirs(page), "{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn tokenizes_any_markup_as_html5ever(page in any_markup()) {
        prop_assert_eq!(ours(&page), theirs(&page), "{}", page);
    }
}

//! Construction of a [`Tree`] by html5ever, within limits.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::mem;
use std::time::{Duration, Instant};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, local_name};

use super::options::Options;
use super::tree::{NOWHERE, Node, ROOT, Tree};

/// Number of bytes between two looks at the limits.
const BYTES_PER_LOOK: usize = 512;
/// Maximum number of open elements, and formatting elements that the next block opens again.
/// html5ever searches both for most tags, so without a limit its time grows with the square of the
/// page.
const MAX_OPEN: usize = 512;
/// Maximum time. It stops what else html5ever compares with each other: the attributes of a tag, and
/// those of formatting elements.
const MAX_TIME: Duration = Duration::from_secs(10);

impl Tree {
    /// Reads a page until a limit of the options is reached.
    pub fn new(html: &str, options: &Options) -> Self {
        let sink = Sink {
            tree: RefCell::new(Tree::empty()),
            attributes: Cell::new(0),
            max_nodes: options.max_nodes,
        };
        let builder = TreeBuilder::new(sink, TreeBuilderOpts::default());
        let parser = Tokenizer::new(builder, TokenizerOpts::default());
        let input = BufferQueue::default();
        let limit = Instant::now() + MAX_TIME;
        let deadline = options.deadline.map_or(limit, |end| end.min(limit));
        let end = html.floor_char_boundary(options.max_input_bytes);
        let (mut rest, beyond) = html.split_at_checked(end).unwrap_or((html, ""));
        let mut is_over = false;
        while !rest.is_empty() && !is_over {
            let end = rest.floor_char_boundary(BYTES_PER_LOOK);
            let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            input.push_back(piece.into());
            // Scripts and declared encodings pause the parser.
            while parser.feed(&input) != TokenizerResult::Done {}
            rest = behind;
            is_over = parser.sink.sink.is_full()
                || open(&parser.sink) > MAX_OPEN
                || Instant::now() >= deadline;
        }
        parser.end();
        let sink = parser.sink.sink;
        let is_truncated = sink.is_full() || !rest.is_empty() || !beyond.is_empty();
        let mut tree = sink.finish();
        tree.is_truncated = is_truncated;
        tree
    }
}

fn open(builder: &TreeBuilder<usize, Sink>) -> usize {
    let count = Count(Cell::new(0));
    builder.trace_handles(&count);
    count.0.get()
}

struct Count(Cell<usize>);

impl Tracer for Count {
    type Handle = usize;

    fn trace_handle(&self, _: &usize) {
        self.0.set(self.0.get() + 1);
    }
}

/// Tree under construction.
struct Sink {
    tree: RefCell<Tree>,
    /// Number of attributes.
    attributes: Cell<usize>,
    max_nodes: usize,
}

impl Sink {
    fn is_full(&self) -> bool {
        self.tree.borrow().nodes.len() + self.attributes.get() > self.max_nodes
    }

    fn add(&self, node: Node) -> usize {
        let nodes = &mut self.tree.borrow_mut().nodes;
        nodes.push(node);
        nodes.len() - 1
    }

    /// Inserts a node before a child, or at the end.
    fn insert(&self, parent: usize, before: Option<usize>, new: NodeOrText<usize>) {
        // What exceeds the limit stays outside of the tree.
        if self.is_full() {
            return;
        }
        let id = match new {
            NodeOrText::AppendNode(NOWHERE) => return,
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) if self.extend(parent, before, &text) => return,
            NodeOrText::AppendText(text) => self.add(Node::text(text.into())),
        };
        self.remove_from_parent(&id);
        let mut tree = self.tree.borrow_mut();
        tree.get_mut(id).parent = Some(parent);
        let children = &mut tree.get_mut(parent).children;
        children.insert(position(children, before), id);
    }

    /// Appends to the text before a child or at the end. Returns whether there is one.
    fn extend(&self, parent: usize, before: Option<usize>, text: &str) -> bool {
        let mut tree = self.tree.borrow_mut();
        let children = &tree.get(parent).children;
        let previous = position(children, before).checked_sub(1);
        let Some(&previous) = previous.and_then(|place| children.get(place)) else {
            return false;
        };
        let previous = tree.get_mut(previous);
        let is_text = previous.is_text();
        if is_text {
            previous.text.push_str(text);
        }
        is_text
    }
}

/// Returns the position of a child, or the end.
fn position(children: &[usize], child: Option<usize>) -> usize {
    // The search starts at the end, because html5ever changes what it has just added.
    let place = child.and_then(|child| children.iter().rposition(|id| *id == child));
    place.unwrap_or(children.len())
}

fn owned(attribute: Attribute) -> (LocalName, String) {
    (attribute.name.local, attribute.value.into())
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        ROOT
    }

    fn elem_name<'a>(&'a self, id: &'a usize) -> Ref<'a, QualName> {
        Ref::map(self.tree.borrow(), |tree| &tree.get(*id).name)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> usize {
        let mut node = Node::element(name);
        if !self.is_full() {
            self.attributes
                .set(self.attributes.get() + attributes.len());
            node.attributes = attributes.into_iter().map(owned).collect();
        }
        self.add(node)
    }

    fn create_comment(&self, _: StrTendril) -> usize {
        NOWHERE
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        NOWHERE
    }

    fn append(&self, parent: &usize, new: NodeOrText<usize>) {
        self.insert(*parent, None, new);
    }

    fn append_before_sibling(&self, sibling: &usize, new: NodeOrText<usize>) {
        let parent = self.tree.borrow().get(*sibling).parent;
        if let Some(parent) = parent {
            self.insert(parent, Some(*sibling), new);
        }
    }

    fn append_based_on_parent_node(&self, element: &usize, above: &usize, new: NodeOrText<usize>) {
        let parent = self.tree.borrow().get(*element).parent;
        match parent {
            Some(parent) => self.insert(parent, Some(*element), new),
            None => self.insert(*above, None, new),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &usize) -> usize {
        NOWHERE
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, id: &usize, attributes: Vec<Attribute>) {
        // The language of a second `<html>` is all that matters for the text.
        let mut attributes = attributes.into_iter();
        let language = attributes.find(|attribute| attribute.name.local == local_name!("lang"));
        let mut tree = self.tree.borrow_mut();
        let node = tree.get_mut(*id);
        if node.attribute("lang").is_none() {
            node.attributes.extend(language.map(owned));
        }
    }

    fn remove_from_parent(&self, id: &usize) {
        let mut tree = self.tree.borrow_mut();
        if let Some(parent) = tree.get_mut(*id).parent.take() {
            let children = &mut tree.get_mut(parent).children;
            let place = position(children, Some(*id));
            if place < children.len() {
                children.remove(place);
            }
        }
    }

    fn reparent_children(&self, id: &usize, new_parent: &usize) {
        let mut tree = self.tree.borrow_mut();
        let children = mem::take(&mut tree.get_mut(*id).children);
        for child in &children {
            tree.get_mut(*child).parent = Some(*new_parent);
        }
        tree.get_mut(*new_parent).children.extend(children);
    }
}

//! Definitions and content in the types of the protocol.

use std::sync::Arc;

use rmcp::model::{
    ContentBlock as WireBlock, MetaObject, Resource, ResourceContents, Tool, ToolAnnotations,
};
use tool_core::{ContentBlock, ResourceContents as Contents};

use crate::server::ServedTool;

pub(super) fn wire_tool(tool: &ServedTool) -> Tool {
    let hints = tool.hints;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let mut wire = Tool::new(
        tool.name.clone(),
        tool.description.clone(),
        tool.input_schema.clone(),
    )
    .with_annotations(annotations)
    .with_meta(MetaObject::from(tool.meta.clone()));
    wire.title.clone_from(&tool.title);
    wire.output_schema = tool.output_schema.clone().map(Arc::new);
    wire
}

pub(super) fn wire_block(block: ContentBlock) -> Option<WireBlock> {
    Some(match block {
        ContentBlock::Text { text } => WireBlock::text(text),
        ContentBlock::Image { media_type, data } => WireBlock::image(data, media_type),
        ContentBlock::Audio { media_type, data } => WireBlock::audio(data, media_type),
        ContentBlock::ResourceLink {
            uri,
            name,
            media_type,
        } => {
            let mut link = Resource::new(uri, name);
            link.mime_type = media_type;
            WireBlock::resource_link(link)
        }
        ContentBlock::Resource {
            uri,
            media_type,
            contents,
        } => WireBlock::resource(match contents {
            Contents::Text(text) => ResourceContents::TextResourceContents {
                uri,
                mime_type: media_type,
                text,
                meta: None,
            },
            Contents::Blob(blob) => ResourceContents::BlobResourceContents {
                uri,
                mime_type: media_type,
                blob,
                meta: None,
            },
        }),
        _ => return None,
    })
}

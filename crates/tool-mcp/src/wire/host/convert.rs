//! Definitions and content in the types of the protocol.

use rmcp::model::{
    ContentBlock as WireBlock, Prompt as WirePrompt, PromptArgument, Resource as WireResource,
    ResourceContents, ResourceTemplate,
};
use tool_core::{ContentBlock, ResourceContents as Contents};

use crate::server::{Prompt, Resource};

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
            let mut link = WireResource::new(uri, name);
            link.mime_type = media_type;
            WireBlock::resource_link(link)
        }
        ContentBlock::Resource {
            uri,
            media_type,
            contents,
        } => WireBlock::resource(wire_contents(uri, media_type, contents)),
        _ => return None,
    })
}

pub(super) fn wire_contents(
    uri: String,
    media_type: Option<String>,
    contents: Contents,
) -> ResourceContents {
    match contents {
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
    }
}

pub(super) fn wire_prompt(prompt: Prompt) -> WirePrompt {
    let arguments = prompt.arguments.into_iter().map(|argument| {
        let mut wire = PromptArgument::new(argument.name).with_required(argument.is_required);
        wire.description = argument.description;
        wire
    });
    let mut wire = WirePrompt::new(
        prompt.name,
        Some(prompt.description),
        Some(arguments.collect()),
    );
    wire.title = prompt.title;
    wire
}

pub(super) fn wire_resource(resource: Resource) -> WireResource {
    let mut wire = WireResource::new(resource.uri, resource.name);
    wire.description = resource.description;
    wire.mime_type = resource.media_type;
    wire
}

pub(super) fn wire_template(template: Resource) -> ResourceTemplate {
    let mut wire = ResourceTemplate::new(template.uri, template.name);
    wire.description = template.description;
    wire.mime_type = template.media_type;
    wire
}

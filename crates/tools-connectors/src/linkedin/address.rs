//! Addresses of postings.

use tool_core::ToolError;
use url::Url;

const MAX_ADDRESS: usize = 2000;

/// Returns the number of the posting that an address, a URN or a number refers to. The address itself
/// is never requested.
pub(super) fn job_id(text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let found = if is_id(text) {
        Some(text.to_owned())
    } else if text.starts_with("urn:li:") {
        id_of(text)
    } else if text.len() <= MAX_ADDRESS {
        Url::parse(text).ok().as_ref().and_then(id_in)
    } else {
        None
    };
    found.ok_or_else(|| {
        ToolError::invalid_arguments("url", "is not the address of a job on LinkedIn").suggest(
            "Use an address such as `https://www.linkedin.com/jobs/view/3812345678/`, or an ID from a search.",
        )
    })
}

fn id_in(url: &Url) -> Option<String> {
    let is_plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    if url.scheme() != "https" || !is_plain || !is_linkedin_host(url.host_str()?) {
        return None;
    }
    let current = url.query_pairs().find(|(name, _)| name == "currentJobId");
    if let Some((_, id)) = current.filter(|(_, id)| is_id(id)) {
        return Some(id.into_owned());
    }
    let rest = url.path().strip_prefix("/jobs/view/")?;
    let slug = rest.split('/').next().unwrap_or_default();
    let id = slug.rsplit('-').next().unwrap_or_default();
    is_id(id).then(|| id.to_owned())
}

/// Returns whether `id` is the number of a posting.
fn is_id(id: &str) -> bool {
    (6..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the ID at the end of a URN such as `urn:li:jobPosting:3812345678`.
pub(super) fn id_of(urn: &str) -> Option<String> {
    let id = urn.rsplit(':').next().unwrap_or_default().trim();
    is_id(id).then(|| id.to_owned())
}

/// Returns the address of a posting.
pub(super) fn address(id: &str) -> String {
    format!("https://www.linkedin.com/jobs/view/{id}/")
}

fn is_linkedin_host(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "linkedin.com" || host.ends_with(".linkedin.com")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_all_forms_of_addresses() {
        for text in [
            "https://www.linkedin.com/jobs/view/3812345678/",
            "https://de.linkedin.com/jobs/view/rust-2024-engineer-at-x-3812345678?trk=public",
            "https://linkedin.com/jobs/view/3812345678",
            "https://www.linkedin.com/jobs/search/?currentJobId=3812345678&keywords=rust",
            "urn:li:jobPosting:3812345678",
            "urn:li:fsd_jobPosting:3812345678",
            " 3812345678 ",
        ] {
            assert_eq!(job_id(text).unwrap(), "3812345678", "{text}");
        }
    }

    #[test]
    fn rejects_other_addresses() {
        for text in [
            "",
            "12345",
            "123456789012345678901",
            "http://www.linkedin.com/jobs/view/3812345678/",
            "https://linkedin.com.example.com/jobs/view/3812345678/",
            "https://notlinkedin.com/jobs/view/3812345678/",
            "https://www.linkedin.com@example.com/jobs/view/3812345678/",
            "https://user@www.linkedin.com/jobs/view/3812345678/",
            "https://www.linkedin.com:8443/jobs/view/3812345678/",
            "https://www.linkedin.com/jobs/view/engineer/",
            "https://www.linkedin.com/company/3812345678/",
            "https://www.linkedin.com/jobs/search/?currentJobId=../x",
            "urn:li:jobPosting:abc",
            "file:///etc/passwd",
        ] {
            let error = job_id(text).unwrap_err();

            assert_eq!(error.parameter(), Some("url"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn result_is_a_number(text in "(https://([a-z]{2}\\.)?linkedin\\.com/jobs/view/[a-z0-9/-]{0,30}|\\PC{0,40})") {
            if let Ok(id) = job_id(&text) {
                prop_assert!(is_id(&id));
            }
        }
    }
}

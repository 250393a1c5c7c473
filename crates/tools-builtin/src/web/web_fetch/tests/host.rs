//! Settings of the host.

use super::*;

#[tokio::test]
async fn page_of_one_character_is_singular() {
    let server = RawServer::always(response("text/plain", "x")).await;
    let tool = local_engine();
    let mut past = input(&server.url("/"));
    past.offset = 5;

    let error = failed(&tool, past).await;

    assert!(error.to_string().contains("1 character"), "{error}");
    assert!(!error.to_string().contains("1 characters"), "{error}");
}

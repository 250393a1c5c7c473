mod failures;

use serde_json::{Value, json};

use super::*;
use crate::door::testing::{Received, Reply, Server};
use crate::linkedin::testing::{card, cards, html, linkedin, page, posting, service};

const EMPTY: &str = "<!DOCTYPE html>\n<!---->";

async fn jobs(service: &Service, value: Value) -> (Result<JobsOutput, ToolError>, Vec<String>) {
    let (tool, cx) = (LinkedInJobs::of(service.clone()), ToolContext::test());
    let input = serde_json::from_value(value).unwrap();
    let found = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    (found, output.warnings)
}

fn is_search(request: &Received) -> bool {
    request.path.contains("seeMoreJobPostings")
}

fn starts(server: &Server) -> Vec<String> {
    let received = server.received();
    let searches = received.iter().filter(|request| is_search(request));
    searches
        .map(|request| request.query("start").unwrap())
        .collect()
}

/// Serves `count` cards in pages of 10.
async fn pages(count: u64) -> Server {
    Server::start(move |request, _| {
        let start: u64 = request.query("start").unwrap().parse().unwrap();
        page(&cards(1_000_000 + start..1_000_000 + count.min(start + 10)))
    })
    .await
}

#[tokio::test]
async fn each_filter_is_sent() {
    let server = Server::replies([html(EMPTY)]).await;
    let input = json!({
        "keyword": "rust & go", "location": "Berlin", "date_posted": "past_week", "job_type": ["full_time", "contract"],
        "remote": "remote", "experience_level": ["entry", "mid_senior"], "sort": "date", "geo_id": "101282230",
    });

    let (found, _) = jobs(&service(&server), input).await;

    let request = &server.received()[0];
    assert_eq!(
        request.route(),
        "/jobs-guest/jobs/api/seeMoreJobPostings/search"
    );
    for (name, value) in [
        ("keywords", "rust & go remote"),
        ("location", "Berlin"),
        ("geoId", "101282230"),
        ("f_TPR", "r604800"),
        ("f_JT", "F,C"),
        ("f_WT", "2"),
        ("f_E", "2,4"),
        ("sortBy", "DD"),
        ("start", "0"),
    ] {
        assert_eq!(request.query(name).as_deref(), Some(value));
    }
    assert!(request.header("user-agent").unwrap().starts_with("Mozilla"));
    assert_eq!(request.header("accept-language"), Some("en-US"));
    assert_eq!(
        (request.header("accept"), request.header("cookie")),
        (Some("text/html"), None)
    );
    let found = found.unwrap();
    assert!(found.jobs.is_empty() && found.next_offset.is_none());
    assert!(LinkedInJobs::render(&found).starts_with("No jobs for \"rust & go\"."));
}

#[tokio::test]
async fn each_value_of_filters_has_its_code() {
    for (name, wire, values) in [
        (
            "date_posted",
            "f_TPR",
            &[
                ("past_hour", "r3600"),
                ("past_24_hours", "r86400"),
                ("past_month", "r2592000"),
            ][..],
        ),
        (
            "job_type",
            "f_JT",
            &[
                ("part_time", "P"),
                ("temporary", "T"),
                ("internship", "I"),
                ("volunteer", "V"),
                ("other", "O"),
            ],
        ),
        ("remote", "f_WT", &[("on_site", "1"), ("hybrid", "3")]),
        (
            "experience_level",
            "f_E",
            &[
                ("internship", "1"),
                ("associate", "3"),
                ("director", "5"),
                ("executive", "6"),
            ],
        ),
    ] {
        for (value, code) in values {
            let server = Server::replies([html(EMPTY)]).await;

            let input = json!({"keyword": "x", name: value});
            let _ = jobs(&service(&server), input).await;

            let request = &server.received()[0];
            assert_eq!(request.query(wire).as_deref(), Some(*code), "{value}");
            assert_eq!(request.query("keywords").as_deref(), Some("x"));
            assert_eq!(request.query("sortBy").as_deref(), Some("R"));
        }
    }
}

#[tokio::test]
async fn ignored_filters_are_checked_and_dropped() {
    let server = Server::start(|request, _| {
        if is_search(request) {
            return page(&cards(1_000_000..1_000_004));
        }
        let id = request.route().rsplit('/').next().unwrap();
        match id {
            "1000000" => html(&posting(
                &[
                    ("Employment type", "Full-time"),
                    ("Seniority level", "Entry level"),
                ],
                "Work remote",
            )),
            "1000001" => html(&posting(&[("Employment type", "Contract")], "Remote")),
            "1000002" => html(&posting(&[("Employment type", "Full-time")], "Tea")),
            _ => Reply::error(404, &json!({})),
        }
    })
    .await;
    let input = json!({"keyword": "x", "job_type": "full_time", "remote": ["remote"], "experience_level": "entry"});

    let (found, warnings) = jobs(&service(&server), input).await;

    let found = found.unwrap();
    let checks: Vec<(&str, Vec<Check>)> = found
        .jobs
        .iter()
        .map(|job| (job.id.as_str(), job.checks.values().copied().collect()))
        .collect();
    let (confirmed, unchecked) = (Check::Confirmed, Check::Unchecked);
    assert_eq!(
        checks,
        [
            ("1000000", vec![confirmed; 3]),
            ("1000002", vec![unchecked, confirmed, unchecked]),
            ("1000003", vec![unchecked; 3]),
        ]
    );
    assert_eq!((found.dropped, warnings.len()), (1, 0));
    assert_eq!(found.filters["job_type"].effect, FilterEffect::Unchecked);
    assert_eq!(found.filters["keyword"].effect, FilterEffect::ByService);
    let text = LinkedInJobs::render(&found);
    assert!(text.contains("remote remote (unchecked)"), "{text}");
    assert!(text.contains("were dropped: 1"), "{text}");
}

#[tokio::test]
async fn confirmed_filters_are_called_checked() {
    let server = Server::start(|request, _| {
        if is_search(request) {
            page(&cards(1_000_000..1_000_002))
        } else {
            html(&posting(&[("Employment type", "Part-time")], "x"))
        }
    })
    .await;
    let service = service(&server);

    let input = json!({"keyword": "x", "job_type": "part_time"});
    let (found, _) = jobs(&service, input).await;

    assert_eq!(
        found.unwrap().filters["job_type"].effect,
        FilterEffect::Checked
    );
    // A contradiction by all postings leaves none.
    let input = json!({"keyword": "x", "job_type": "volunteer"});
    let (found, _) = jobs(&service, input).await;
    let found = found.unwrap();
    assert_eq!((found.jobs.len(), found.dropped), (0, 2));
    assert_eq!(found.filters["job_type"].effect, FilterEffect::Checked);
}

#[tokio::test]
async fn at_most_ten_postings_are_read() {
    let server = Server::start(|request, _| {
        if is_search(request) {
            let start: u64 = request.query("start").unwrap().parse().unwrap();
            page(&cards(1_000_000 + start..1_000_010 + start))
        } else {
            html(&posting(&[("Seniority level", "Director")], "x"))
        }
    })
    .await;

    let input = json!({"keyword": "x", "experience_level": "director", "limit": 15});
    let (found, _) = jobs(&service(&server), input).await;

    let found = found.unwrap();
    let confirmed = found
        .jobs
        .iter()
        .filter(|job| job.checks["experience_level"] == Check::Confirmed);
    assert_eq!((confirmed.count(), found.jobs.len()), (10, 15));
    assert_eq!(server.received().len(), 12);
    assert_eq!(
        found.filters["experience_level"].effect,
        FilterEffect::Unchecked
    );
}

#[tokio::test]
async fn reads_pages_up_to_limit() {
    for (count, input, sent, ids, next) in [
        (100, json!({}), vec!["0"], 0..10, Some(10)),
        (
            100,
            json!({"limit": 25}),
            vec!["0", "10", "20"],
            0..25,
            Some(25),
        ),
        (
            100,
            json!({"offset": 25, "limit": 8}),
            vec!["20", "30"],
            25..33,
            Some(33),
        ),
        (14, json!({"limit": 50}), vec!["0", "10"], 0..14, None),
        (10, json!({"limit": 50}), vec!["0", "10"], 0..10, None),
        (100, json!({"limit": 0}), vec!["0"], 0..1, Some(1)),
        (
            1000,
            json!({"limit": 99}),
            vec!["0", "10", "20", "30", "40"],
            0..50,
            Some(50),
        ),
        (2000, json!({"offset": 990}), vec!["990"], 990..1000, None),
    ] {
        let server = pages(count).await;
        let mut value = json!({"keyword": "x"});
        for (name, given) in input.as_object().unwrap() {
            value[name] = given.clone();
        }

        let (found, _) = jobs(&service(&server), value).await;

        let found = found.unwrap();
        assert_eq!(starts(&server), sent, "{input}");
        let expected: Vec<String> = ids.map(|id: u64| (1_000_000 + id).to_string()).collect();
        let found_ids: Vec<&String> = found.jobs.iter().map(|job| &job.id).collect();
        assert_eq!(found_ids, expected.iter().collect::<Vec<_>>(), "{input}");
        assert_eq!(
            (found.next_offset, found.truncated),
            (next, false),
            "{input}"
        );
    }
}

#[tokio::test]
async fn repeated_page_ends_search() {
    let server = Server::replies([page(&cards(1_000_000..1_000_010))]).await;

    let (found, _) = jobs(&service(&server), json!({"keyword": "x", "limit": 50})).await;

    let found = found.unwrap();
    assert_eq!((found.jobs.len(), found.next_offset), (10, None));
    assert_eq!(starts(&server), ["0", "10"]);
}

#[tokio::test]
async fn status_400_after_last_page_ends_search() {
    let server = Server::replies([
        page(&cards(1_000_000..1_000_010)),
        Reply::error(400, &json!({})),
    ])
    .await;

    let (found, warnings) = jobs(&service(&server), json!({"keyword": "x", "limit": 50})).await;

    let found = found.unwrap();
    assert_eq!(
        (found.jobs.len(), found.truncated, warnings.len()),
        (10, false, 0)
    );
}

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::door::testing::{Reply, Server};
use crate::linkedin::testing::{card, cards, html, linkedin, page, service};

const EMPTY: &str = "<!DOCTYPE html>\n<!---->";

async fn jobs(service: &Service, value: Value) -> (Result<JobsOutput, ToolError>, Vec<String>) {
    let (tool, cx) = (LinkedInJobs(service.clone()), ToolContext::test());
    let input = serde_json::from_value(value).unwrap();
    let found = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    (found, output.warnings)
}

fn starts(server: &Server) -> Vec<String> {
    let received = server.received();
    received
        .iter()
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
async fn redirect_to_another_host_is_not_followed() {
    let elsewhere = Server::replies([html(EMPTY)]).await;
    let location = format!("Location: {}/jobs\r\n", elsewhere.url());
    let server = Server::replies([Reply::status(302, &location, "")]).await;

    let (found, _) = jobs(&service(&server), json!({"keyword": "rust"})).await;

    assert_eq!(found.unwrap_err().code().as_str(), "invalid_response");
    let requests = (server.received().len(), elsewhere.received().len());
    assert_eq!(requests, (1, 0));
}

#[tokio::test]
async fn each_filter_is_sent() {
    let server = Server::replies([html(EMPTY)]).await;
    let input = json!({
        "keyword": "rust & go", "location": "Berlin", "datePosted": "past_week", "jobType": "full_time",
        "remote": "remote", "experienceLevel": "entry", "sort": "date",
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
        ("f_TPR", "r604800"),
        ("f_JT", "F"),
        ("f_WT", "2"),
        ("f_E", "2"),
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
            "datePosted",
            "f_TPR",
            &[
                ("past_hour", "r3600"),
                ("past_24_hours", "r86400"),
                ("past_month", "r2592000"),
            ][..],
        ),
        (
            "jobType",
            "f_JT",
            &[
                ("part_time", "P"),
                ("contract", "C"),
                ("temporary", "T"),
                ("internship", "I"),
                ("volunteer", "V"),
                ("other", "O"),
            ],
        ),
        ("remote", "f_WT", &[("on_site", "1"), ("hybrid", "3")]),
        (
            "experienceLevel",
            "f_E",
            &[
                ("internship", "1"),
                ("associate", "3"),
                ("mid_senior", "4"),
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
            assert_eq!(request.query("sortBy"), None);
        }
    }
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
            vec!["25"],
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

#[tokio::test]
async fn rate_limit_on_second_page_keeps_first() {
    let server = Server::replies([
        page(&cards(1_000_000..1_000_010)),
        Reply::status(429, "Retry-After: 3600\r\n", ""),
    ])
    .await;
    let service = service(&server);

    let (found, warnings) = jobs(&service, json!({"keyword": "x", "limit": 20})).await;

    let found = found.unwrap();
    assert_eq!((found.jobs.len(), found.truncated), (10, true));
    assert_eq!(found.next_offset, Some(10));
    assert_eq!(warnings.len(), 1);
    // The circuit stays shut for all clones.
    let (other, _) = jobs(&service.clone(), json!({"keyword": "y"})).await;
    let error = other.unwrap_err();
    assert!(error.retry_after().unwrap() > Duration::from_mins(59));
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn rejections_stop_requests_for_15_minutes() {
    let form = "<html><body><form action=\"/checkpoint/lg/login-submit\"><input name=session_key></form>Sign in";
    let captcha = "<body>Security check<form action=/x><input name=captchaSiteKey></form>";
    for reply in [
        Reply::error(429, &json!({})),
        Reply::error(999, &json!({})),
        Reply::error(403, &json!({})),
        Reply::error(451, &json!({})),
        Reply::status(302, "Location: https://www.linkedin.com/authwall?x\r\n", ""),
        Reply::status(303, "Location: /uas/login\r\n", ""),
        Reply::status(302, "Location: /checkpoint/challenge\r\n", ""),
        html(form),
        html(captcha),
    ] {
        let server = Server::replies([reply.clone()]).await;
        let linkedin = linkedin(&server, Duration::ZERO);
        for clone in [linkedin.clone(), linkedin] {
            let (found, _) = jobs(&clone.service().unwrap(), json!({"keyword": "x"})).await;

            let error = found.unwrap_err();
            assert_eq!(error.code().as_str(), "rate_limited", "{reply:?}");
            assert!(error.retry_after().unwrap() > Duration::from_mins(14));
        }
        assert_eq!(server.received().len(), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn clones_share_pace() {
    let server = Server::replies([html(EMPTY)]).await;
    let pause = Duration::from_millis(60);
    let linkedin = linkedin(&server, pause);
    let begin = Instant::now();

    let calls: Vec<_> = (0..4)
        .map(|number| {
            // Changed settings keep the pace.
            let clone = linkedin.clone().with_base_url(&server.url()).unwrap();
            tokio::spawn(async move {
                let input = json!({"keyword": format!("x{number}")});
                jobs(&clone.service().unwrap(), input).await.0.is_ok()
            })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap());
    }

    assert_eq!(server.received().len(), 4);
    assert!(begin.elapsed() >= pause * 3);
}

#[tokio::test]
async fn changed_markup_is_invalid_response() {
    for text in [
        "<div class=new-card>Rust engineer</div>",
        "{\"jobs\": []}",
        "<div class=base-card data-entity-urn='urn:li:jobPosting:x'><h3>No</h3></div>",
    ] {
        let server = Server::replies([html(text)]).await;

        let (found, _) = jobs(&service(&server), json!({"keyword": "x"})).await;

        let error = found.unwrap_err();
        assert_eq!(
            error.to_string(),
            "The page of LinkedIn has changed and cannot be read. Tell the user."
        );
    }
}

#[tokio::test]
async fn broken_cards_are_counted() {
    let mut all = vec![
        card(1_000_000, "Téa &lt;b&gt;", "", "2026-11-20")
            .replace("job-search-card__location", "x"),
        card(1_000_001, "", "Berlin", "2026-11-20"),
        "<div class=\"base-card\"><h3 class=base-search-card__title>No ID</h3></div>".to_owned(),
        card(1_000_002, "工程师", "東京", "2026-11-20"),
    ];
    all[3] = all[3].replace(
        "<div class=\"job-search-card__benefits\">",
        "<span class=\"job-search-card__salary-info\">¥100\n - ¥200</span><div>",
    );
    let server = Server::replies([page(&all)]).await;

    let (found, warnings) = jobs(&service(&server), json!({"keyword": "x"})).await;

    let found = found.unwrap();
    assert_eq!(
        LinkedInJobs::render(&found),
        "2 jobs for \"x\":\n\n1. Téa <b>\n   Posted: 2026-11-20\n   Company: Café & Co\n   ID: 1000000\n\n2. 工程师\n   \
         Posted: 2026-11-20\n   Company: Café & Co\n   Location: 東京\n   Salary: ¥100 - ¥200\n   ID: 1000002"
    );
    assert_eq!(
        found.jobs[0].url,
        "https://www.linkedin.com/jobs/view/1000000/"
    );
    assert_eq!(
        warnings,
        ["2 results without a title or an ID were omitted."]
    );
}

#[tokio::test]
async fn jobs_are_sorted_by_date() {
    let dates = ["2026-11-02", "2026-11-20", "", "2026-11-19"];
    let all: Vec<String> = (1_000_000..)
        .zip(dates)
        .map(|(id, date)| card(id, "x", "Berlin", date))
        .collect();
    let server = Server::replies([page(&all)]).await;

    let (found, _) = jobs(&service(&server), json!({"keyword": "x", "sort": "date"})).await;

    let found = found.unwrap();
    let posted: Vec<&str> = found.jobs.iter().map(|job| job.posted.as_str()).collect();
    assert_eq!(posted, ["2026-11-20", "2026-11-19", "2026-11-02", ""]);
}

#[tokio::test]
async fn rejects_invalid_arguments_before_request() {
    let server = Server::replies([Reply::Close]).await;
    for (input, parameter) in [
        (json!({"keyword": " "}), "keyword"),
        (json!({"keyword": "x".repeat(201)}), "keyword"),
        (json!({"keyword": "a\nb"}), "keyword"),
        (json!({"keyword": "x", "location": "a\0"}), "location"),
        (json!({"keyword": "x", "offset": 991}), "offset"),
    ] {
        let (found, _) = jobs(&service(&server), input).await;

        assert_eq!(found.unwrap_err().parameter(), Some(parameter));
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn filters_that_may_be_ignored_are_warned_about() {
    for (name, value, count) in [
        ("jobType", "contract", 1),
        ("remote", "hybrid", 1),
        ("experienceLevel", "entry", 1),
        ("datePosted", "past_week", 0),
        ("location", "Berlin", 0),
    ] {
        let server = pages(1).await;

        let (found, warnings) = jobs(&service(&server), json!({"keyword": "x", name: value})).await;

        assert_eq!(
            (found.unwrap().jobs.len(), warnings.len()),
            (1, count),
            "{name}"
        );
    }
}

//! Limits, rejections and changed pages.

use std::time::Instant;

use super::*;

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
    // The first page is known, and the circuit stays shut for all clones.
    let (again, _) = jobs(&service.clone(), json!({"keyword": "x"})).await;
    assert_eq!(again.unwrap().jobs.len(), 10);
    let (other, _) = jobs(&service, json!({"keyword": "y"})).await;
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
            let clone = linkedin.clone().with_user_agent("Mozilla/5.0 x").unwrap();
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
async fn repeated_question_costs_nothing() {
    let server = pages(5).await;
    let service = service(&server);

    for _ in 0..2 {
        let (found, _) = jobs(&service, json!({"keyword": "x"})).await;
        assert_eq!(found.unwrap().jobs.len(), 5);
    }

    assert_eq!(server.received().len(), 1);
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
    assert_eq!(found.filters["sort"].effect, FilterEffect::Checked);
}

#[tokio::test]
async fn old_postings_contradict_the_date() {
    let all = [
        card(1_000_000, "x", "Berlin", "2001-01-01"),
        card(1_000_001, "x", "Berlin", "2999-01-01"),
    ];
    let server = Server::replies([page(&all)]).await;

    let input = json!({"keyword": "x", "date_posted": "past_month"});
    let (found, _) = jobs(&service(&server), input).await;

    let found = found.unwrap();
    assert_eq!((found.jobs.len(), found.dropped), (1, 1));
    assert_eq!(found.filters["date_posted"].effect, FilterEffect::Checked);
}

#[tokio::test]
async fn temporary_failures_are_repeated_at_the_pace() {
    for first in [Reply::Close, Reply::error(503, &json!({}))] {
        let server = Server::replies([first, page(&cards(1_000_000..1_000_001))]).await;

        let (found, _) = jobs(&service(&server), json!({"keyword": "x"})).await;

        assert_eq!(found.unwrap().jobs.len(), 1);
        assert_eq!(server.received().len(), 2);
    }
}

#[tokio::test]
async fn redirect_within_origin_is_followed() {
    let server = Server::start(|request, _| {
        if request.query("moved").is_some() {
            page(&cards(1_000_000..1_000_001))
        } else {
            Reply::status(301, "Location: /jobs?moved=1&start=0\r\n", "")
        }
    })
    .await;

    let (found, _) = jobs(&service(&server), json!({"keyword": "x"})).await;

    assert_eq!(found.unwrap().jobs.len(), 1);
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
        (json!({"keyword": "x", "geo_id": "1,2"}), "geo_id"),
        (json!({"keyword": "x", "geo_id": ""}), "geo_id"),
    ] {
        let (found, _) = jobs(&service(&server), input).await;

        assert_eq!(found.unwrap_err().parameter(), Some(parameter));
    }
    assert!(server.received().is_empty());
}

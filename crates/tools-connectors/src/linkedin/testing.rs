//! Pages and clients for tests.

use std::fmt::Write as _;
use std::time::Duration;

use super::{LinkedIn, Service};
use crate::door::testing::{Reply, Server};

pub(super) fn linkedin(server: &Server, pause: Duration) -> LinkedIn {
    let linkedin = LinkedIn::new().with_pause(pause);
    linkedin.with_base_url(&server.url()).unwrap()
}

pub(super) fn service(server: &Server) -> Service {
    linkedin(server, Duration::ZERO).service().unwrap()
}

/// Returns the card of a posting.
pub(super) fn card(id: u64, title: &str, location: &str, date: &str) -> String {
    format!(
        "<li><div class=\"base-card relative job-search-card\" data-entity-urn=\"urn:li:jobPosting:{id}\" data-row=\"1\">
           <a class=\"base-card__full-link\" href=\"https://de.linkedin.com/jobs/view/x-{id}?refId=r\"><span class=\"sr-only\">
             {title}</span></a>
           <div class=\"base-search-card__info\"><h3 class=\"base-search-card__title\">
             {title}
           </h3><h4 class=\"base-search-card__subtitle\"><a class=\"hidden-nested-link\" href=\"#\">Caf&eacute; &amp; Co</a></h4>
           <div class=\"base-search-card__metadata\"><span class=\"job-search-card__location\">{location}</span>
           <div class=\"job-search-card__benefits\"></div>
           <time class=\"job-search-card__listdate--new\" datetime=\"{date}\"> 3 days ago </time></div></div></div></li>"
    )
}

pub(super) fn page(cards: &[String]) -> Reply {
    html(&format!("<!DOCTYPE html>\n{}", cards.join("\n")))
}

/// Returns cards with these IDs.
pub(super) fn cards(ids: std::ops::Range<u64>) -> Vec<String> {
    ids.map(|id| card(id, &format!("Job {id}"), "Berlin", "2026-11-20"))
        .collect()
}

pub(super) fn html(text: &str) -> Reply {
    Reply::status(200, "Content-Type: text/html; charset=utf-8\r\n", text)
}

/// Returns a posting with these criteria and this description.
pub(super) fn posting(criteria: &[(&str, &str)], description: &str) -> String {
    let mut items = String::new();
    for (label, value) in criteria {
        write!(
            items,
            "<li class=\"description__job-criteria-item\"><h3 class=\"description__job-criteria-subheader\">\n {label}\n\
             </h3><span class=\"description__job-criteria-text description__job-criteria-text--criteria\">\n {value}\n\
             </span></li>"
        )
        .unwrap();
    }
    format!(
        "<section class=\"top-card-layout\"><h2 class=\"top-card-layout__title font-sans\">Rust &amp; C</h2>
         <h4 class=\"top-card-layout__second-subline\"><span class=\"topcard__flavor\"><a class=\"topcard__org-name-link
           topcard__flavor--black-link\" href=\"#\">\n Caf&eacute; </a></span>
         <span class=\"topcard__flavor topcard__flavor--bullet\"> Berlin, Germany </span>
         <span class=\"posted-time-ago__text topcard__flavor--metadata\"> 2 weeks ago </span>
         <figcaption class=\"num-applicants__caption topcard__flavor--metadata topcard__flavor--bullet\"> Over 200
           applicants </figcaption></h4></section>
         <div class=\"description__text\"><section class=\"show-more-less-html\"><div class=\"show-more-less-html__markup
           relative overflow-hidden\">{description}</div><button>Show more</button></section></div>
         <ul class=\"description__job-criteria-list\">{items}</ul>"
    )
}

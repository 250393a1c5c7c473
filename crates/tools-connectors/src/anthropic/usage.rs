//! Usage and cost reports.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::AnthropicAdmin;
use super::amount::Sum;
use super::input::{Period, UsageAction, UsageInput, most};
use crate::arguments::check_token;
use crate::door::{Deadline, Problem, Request, one_line};

const MAX_PAGES: usize = 10;
const MAX_ROWS: usize = 5000;

/// Rows of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct UsageOutput {
    /// Buckets or records, as returned by the service. Costs are in `amount_usd`.
    pub(crate) data: Vec<Value>,
    /// Whether there are further pages.
    pub(crate) has_more: bool,
    /// Token of the next page.
    pub(crate) next_page: Option<String>,
    /// Sum of all amounts in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_usd: Option<String>,
    /// Whether the report is incomplete.
    pub(crate) truncated: bool,
}

/// Tool that returns usage and cost reports.
#[derive(Debug, Clone)]
pub(crate) struct AnthropicUsage(pub(crate) AnthropicAdmin);

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "names of the service")]
struct Page {
    data: Vec<Value>,
    #[serde(default)]
    has_more: bool,
    next_page: Option<String>,
}

impl AnthropicUsage {
    /// Returns the request of the first page.
    fn request(
        &self,
        input: &UsageInput,
        period: &Period,
        day: Option<&str>,
    ) -> Result<Request, ToolError> {
        let most = most(input)?;
        // The largest pages, so that a report needs the fewest requests.
        let limit = input.limit.unwrap_or(most).to_string();
        let mut request = self.0.report(input.action.path()).query("limit", &limit);
        request = if let Some(day) = day {
            request.query("starting_at", day)
        } else {
            let end = period.end.map(|end| end.to_string());
            let request = request.query("starting_at", &period.start.to_string());
            request
                .maybe_query("ending_at", end.as_deref())
                .maybe_query("bucket_width", input.bucket_width.as_deref())
        };
        for group in input.group_by.iter().flatten() {
            request = request.query("group_by[]", group);
        }
        Ok(request)
    }

    /// Reads pages to the end, or one page if the call has a limit.
    async fn pages(
        &self,
        first: &Request,
        input: &UsageInput,
        output: &mut UsageOutput,
        cx: &ToolContext,
    ) -> Result<(), Problem> {
        let deadline = Deadline::of(cx);
        let mut token = input.page.clone();
        for _ in 0..MAX_PAGES {
            let request = first.clone().maybe_query("page", token.as_deref());
            let response = self.0.send(&request, deadline).await?;
            if let Some(id) = response.header("request-id") {
                cx.note("request_id", one_line(id, 100));
            }
            let page: Page = response.json()?;
            output.data.extend(page.data);
            let next = page.next_page.filter(|_| page.has_more);
            if next.is_some() && next == token {
                cx.warn(
                    "The service returned the same page token twice, so the report ends early.",
                );
                output.truncated = true;
                return Ok(());
            }
            output.has_more = next.is_some();
            output.next_page.clone_from(&next);
            token = next;
            if token.is_none() || input.limit.is_some() {
                return Ok(());
            }
            if output.data.len() >= MAX_ROWS {
                break;
            }
        }
        output.truncated = true;
        Ok(())
    }

    async fn report(&self, input: &UsageInput, cx: &ToolContext) -> Result<UsageOutput, ToolError> {
        let period = Period::parse(input)?;
        let mut output = UsageOutput::default();
        let days = match input.action {
            // The service returns one day of this report per request.
            UsageAction::ClaudeCode => period
                .days()?
                .iter()
                .map(|day| Some(day.to_string()))
                .collect(),
            _ => vec![None],
        };
        for day in &days {
            let request = self.request(input, &period, day.as_deref())?;
            let read = self.pages(&request, input, &mut output, cx).await;
            read.map_err(|problem| problem.into_error(self.0.service()))?;
            if output.truncated {
                break;
            }
        }
        Ok(output)
    }
}

impl TypedTool for AnthropicUsage {
    type Input = UsageInput;
    type Output = UsageOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &UsageInput) -> Result<CallPlan, ToolError> {
        Period::parse(input)?;
        most(input)?;
        check_token("page", input.page.as_deref())?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: UsageInput) -> Result<UsageOutput, ToolError> {
        let mut output = self.report(&input, cx).await?;
        if output.truncated {
            cx.warn(
                "The report is incomplete. Use a shorter period, or pass `next_page` as `page`.",
            );
        }
        if input.action == UsageAction::Usage {
            return Ok(output);
        }
        let mut sum = Sum::default();
        output.data.iter_mut().for_each(|row| sum.convert(row));
        if sum.unchanged > 0 {
            let count = sum.unchanged;
            cx.warn(format!(
                "{count} amounts are not plain US dollars; they are unchanged and not in the total."
            ));
        }
        output.total_usd = sum.total.map(|total| total.to_string());
        Ok(output)
    }
}

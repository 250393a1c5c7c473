//! Risk of the tools of a server.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{Hints, RiskLevel};

use super::names;
use crate::McpServerConfig;
use crate::config::Trust;

/// What a server claims about a tool in annotations. Show it as a claim: it lowers the risk only if you trust the
/// server.
///
/// # Examples
/// ```
/// # fn show(report: &tool_mcp::client::ServerReport) {
/// for (tool, claims) in report.claims.iter().filter(|(_, claims)| claims.read_only == Some(true)) {
///     println!("{tool}: read-only according to the server");
/// }
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolClaims {
    /// Value of `readOnlyHint`.
    pub read_only: Option<bool>,
    /// Value of `destructiveHint`.
    pub destructive: Option<bool>,
    /// Value of `idempotentHint`.
    pub idempotent: Option<bool>,
    /// Value of `openWorldHint`.
    pub open_world: Option<bool>,
}

impl ToolClaims {
    pub(crate) fn of(annotations: Option<&Value>) -> Self {
        let claim = |name: &str| annotations?.get(name)?.as_bool();
        Self {
            read_only: claim("readOnlyHint"),
            destructive: claim("destructiveHint"),
            idempotent: claim("idempotentHint"),
            open_world: claim("openWorldHint"),
        }
    }
}

/// Returns the risk and the hints of a tool with the server's name `tool`.
///
/// The configured risk overrides all claims. If the server isn't trusted, claims change nothing, because the default is
/// the highest risk already.
pub(crate) fn assess(
    config: &McpServerConfig,
    tool: &str,
    claims: ToolClaims,
) -> (RiskLevel, Hints) {
    let configured = config
        .risk
        .iter()
        .find(|(pattern, _)| names::matches(pattern, tool));
    if let Some((_, risk)) = configured {
        let mut hints = Hints::of(*risk);
        hints.open_world = true;
        return (*risk, hints);
    }
    let risk = match (config.trust, claims.read_only, claims.destructive) {
        (Trust::Trusted, Some(true), None | Some(false)) => RiskLevel::ReadOnly,
        (Trust::Trusted, _, Some(false)) => RiskLevel::SafeWrite,
        _ => RiskLevel::Dangerous,
    };
    let is_trusted = config.trust == Trust::Trusted;
    let mut hints = Hints::of(risk);
    hints.idempotent |= is_trusted && claims.idempotent == Some(true);
    hints.open_world = !is_trusted || claims.open_world != Some(false);
    (risk, hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: [Option<bool>; 3] = [None, Some(false), Some(true)];

    #[test]
    fn claims_of_untrusted_servers_never_lower_risk() {
        let config = McpServerConfig::stdio("x", ["y"]);
        for (read_only, destructive) in ANY
            .into_iter()
            .flat_map(|first| ANY.map(|second| (first, second)))
        {
            for (idempotent, open_world) in ANY
                .into_iter()
                .flat_map(|first| ANY.map(|second| (first, second)))
            {
                let claims = ToolClaims {
                    read_only,
                    destructive,
                    idempotent,
                    open_world,
                };

                let (risk, hints) = assess(&config, "t", claims);

                assert_eq!(risk, RiskLevel::Dangerous, "{claims:?}");
                assert_eq!(
                    hints,
                    Hints {
                        open_world: true,
                        ..Hints::of(RiskLevel::Dangerous)
                    }
                );
            }
        }
    }

    #[test]
    fn claims_of_trusted_servers_determine_risk() {
        let config = McpServerConfig::stdio("x", ["y"]).with_trust(Trust::Trusted);
        for (read_only, destructive, risk) in [
            (None, None, RiskLevel::Dangerous),
            (None, Some(false), RiskLevel::SafeWrite),
            (None, Some(true), RiskLevel::Dangerous),
            (Some(true), None, RiskLevel::ReadOnly),
            (Some(true), Some(false), RiskLevel::ReadOnly),
            (Some(true), Some(true), RiskLevel::Dangerous),
            (Some(false), None, RiskLevel::Dangerous),
            (Some(false), Some(false), RiskLevel::SafeWrite),
            (Some(false), Some(true), RiskLevel::Dangerous),
        ] {
            let claims = ToolClaims {
                read_only,
                destructive,
                ..ToolClaims::default()
            };

            assert_eq!(assess(&config, "t", claims).0, risk, "{claims:?}");
        }
    }

    #[test]
    fn configured_risk_overrides_claims() {
        let config = McpServerConfig::stdio("x", ["y"])
            .with_trust(Trust::Trusted)
            .with_risk("read_*", RiskLevel::ReadOnly)
            .with_risk("*", RiskLevel::Dangerous);
        let claims = ToolClaims {
            read_only: Some(true),
            ..ToolClaims::default()
        };

        assert_eq!(
            assess(&config, "read_x", ToolClaims::default()).0,
            RiskLevel::ReadOnly
        );
        assert_eq!(assess(&config, "list", claims).0, RiskLevel::Dangerous);
    }
}

//! Responses of a program.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientNotification, ClientRequest, CustomResult, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId, ServerResult,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;

/// Requests whose results are passed on as sent, because rmcp rejects a complete list or result for
/// one invalid tool or block.
#[derive(Clone, Default)]
pub(super) struct Raw(Arc<Mutex<HashSet<RequestId>>>);

impl Raw {
    pub(super) fn sent(&self, item: &TxJsonRpcMessage<RoleClient>) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match item {
            JsonRpcMessage::Request(request)
                if matches!(
                    request.request,
                    ClientRequest::ListToolsRequest(_) | ClientRequest::CallToolRequest(_)
                ) =>
            {
                ids.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    ids.remove(id);
                }
            }
            _ => {}
        }
    }

    fn take(&self, id: &RequestId) -> bool {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.remove(id)
    }
}

/// Parses a response. Returns other messages unchanged.
pub(super) fn response_of(
    message: Value,
    raw: &Raw,
) -> Result<RxJsonRpcMessage<RoleClient>, Value> {
    let Value::Object(mut members) = message else {
        return Err(message);
    };
    let is_response = !members.contains_key("method");
    let id = members
        .get("id")
        .cloned()
        .and_then(|id| serde_json::from_value(id).ok());
    let Some(id) = id.filter(|_| is_response) else {
        return Err(Value::Object(members));
    };
    if let Some(reason) = members.remove("error").filter(|reason| !reason.is_null()) {
        raw.take(&id);
        let reason = serde_json::from_value(reason);
        return Ok(match reason {
            Ok(reason) => JsonRpcMessage::error(reason, Some(id)),
            Err(_) => error(
                ErrorCode::INTERNAL_ERROR.0,
                "the server sent an invalid error",
                id,
            ),
        });
    }
    let result = members.remove("result").unwrap_or_default();
    let result = if raw.take(&id) {
        ServerResult::CustomResult(CustomResult::new(result))
    } else {
        let custom = |_| ServerResult::CustomResult(CustomResult::new(Value::Null));
        serde_json::from_value(result).unwrap_or_else(custom)
    };
    Ok(JsonRpcMessage::response(result, id))
}

pub(super) fn error(
    code: i32,
    message: &'static str,
    id: RequestId,
) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::new(ErrorCode(code), message, None), Some(id))
}

//! What the API promises: errors that programs can read, requests that are safe to repeat, pages that do not lose
//! anything, streams that keep their order and their bounds, and settings that mean what they say.

mod abandoned;
mod call_logging;
mod deadlines;
mod field_limits;
mod listing;
mod malformed_requests;
mod overload;
mod refusals;
mod request_ids;
mod settings;
mod stream;
mod stream_lifetime;
mod stream_order;
mod unread_streams;
mod validate_only;

use std::collections::HashMap;

use divelog_proto::games::deep_sea_adventure::v1 as dsa;
use divelog_proto::v1 as pb;
use prost::Message;
use tonic::{Code, Status};
use tonic_types::pb as google;

/// The details of a status, as a caller's program reads them.
#[derive(Debug, Default)]
pub struct Details {
    pub reason: String,
    pub metadata: HashMap<String, String>,
    pub refusal: Option<pb::Refusal>,
    pub bad_request: Option<google::BadRequest>,
    pub retry: Option<google::RetryInfo>,
}

/// Unpacks a status and checks what all errors have in common.
#[track_caller]
pub fn details_of(status: &Status) -> Details {
    let whole = google::Status::decode(status.details()).unwrap();
    assert_eq!(whole.code, i32::from(status.code()), "the details repeat the code: {status:?}");
    assert_eq!(whole.message, status.message(), "the details repeat the sentence");
    assert!(!status.message().is_empty(), "an error says something: {status:?}");
    let mut details = Details::default();
    for detail in &whole.details {
        let value = detail.value.as_slice();
        match detail.type_url.as_str() {
            "type.googleapis.com/google.rpc.ErrorInfo" => {
                let info = google::ErrorInfo::decode(value).unwrap();
                assert_eq!(info.domain, "divelog");
                (details.reason, details.metadata) = (info.reason, info.metadata);
            }
            "type.googleapis.com/divelog.v1.Refusal" => details.refusal = Some(pb::Refusal::decode(value).unwrap()),
            "type.googleapis.com/google.rpc.BadRequest" => {
                details.bad_request = Some(google::BadRequest::decode(value).unwrap());
            }
            "type.googleapis.com/google.rpc.RetryInfo" => {
                details.retry = Some(google::RetryInfo::decode(value).unwrap())
            }
            other => panic!("a detail nobody documented: {other}"),
        }
    }
    assert!(!details.reason.is_empty(), "no ErrorInfo: {status:?}");
    details
}

/// Checks an INVALID_FIELD error: the field is named for programs twice, and for people.
#[track_caller]
pub fn assert_invalid_field(status: &Status, field: &str) {
    assert_eq!(status.code(), Code::InvalidArgument, "{field}: {status:?}");
    let details = details_of(status);
    assert_eq!(details.reason, "INVALID_FIELD");
    assert_eq!(details.metadata, HashMap::from([("field".into(), field.into())]));
    let violations = details.bad_request.unwrap().field_violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].field, field);
    assert!(status.message().starts_with(&format!("{field}: ")), "{}", status.message());
    assert!(status.message().contains(&violations[0].description));
}

/// An action of Deep Sea Adventure.
pub fn act(action: dsa::action::Action) -> pb::GameAction {
    let action = dsa::Action { action: Some(action) };
    pb::GameAction { action: Some(pb::game_action::Action::DeepSeaAdventure(action)) }
}

pub fn dive() -> pb::GameAction {
    act(dsa::action::Action::Dive(dsa::Dive { turn_back: false }))
}

pub fn leave() -> pb::GameAction {
    act(dsa::action::Action::Leave(dsa::Leave {}))
}

/// A request for an action.
pub fn submit(game_id: &str, seat: u32, action: pb::GameAction) -> pb::SubmitActionRequest {
    pb::SubmitActionRequest { game_id: game_id.into(), seat, action: Some(action), ..Default::default() }
}

/// The actions of a game's first laps, which are legal whatever the choices show: who carries nothing moves at least two
/// spaces and stands on one, and nobody reaches the far end within five laps.
pub fn first_laps(game: &pb::Game, laps: u32) -> Vec<(u32, pb::GameAction)> {
    assert!(laps <= 5, "the far end may be reached");
    let seats = game.players.len() as u32;
    let first = game.to_act[0];
    (0..laps * seats).map(|turn| (first + turn) % seats).flat_map(|seat| [(seat, dive()), (seat, leave())]).collect()
}

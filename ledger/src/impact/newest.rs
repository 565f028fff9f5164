//! A game of older rules by the newest ones: set up with the same chance, and each action done again with the chance of its
//! record, in the form that it has by the newest rules.

use bytes::Bytes;
use divelog_engine::{CarriedGame, Compared, Outcome, Seat, SeatCount, SeededChance, Violation};
use divelog_proto::v1 as pb;
use pb::record::Body;

use crate::{LogFault, Position, Replayed, Sequence, Status, convert};

/// The game by the newest rules.
pub(super) struct Newest(CarriedGame);

impl Newest {
    /// Whether the newest rules are newer than those of a game.
    pub(super) fn is_newer_than(own: &Position) -> bool {
        own.kind().rules_version() > own.header().rules_version
    }

    /// Sets the game up again.
    pub(super) fn set_up(own: &Replayed, bytes: &Bytes) -> Result<(Newest, Compared), LogFault> {
        let Some(Body::Setup(setup)) = &own.record.body else {
            return Err(LogFault::malformed(Sequence::SETUP, "the first record does not set a game up"));
        };
        let refused = |violation: Violation| {
            let version = own.position.kind().rules_version();
            let message =
                format!("cannot be carried over: by rules version {version} this set-up is refused: {violation}");
            LogFault::replay_differs(Sequence::SETUP, message).in_field("setup", bytes)
        };
        let options = convert::setup_options(setup)
            .map_err(|message| LogFault::malformed(Sequence::SETUP, message).in_field("setup.options", bytes))?;
        let seats = SeatCount::new(setup.players.len())
            .ok_or_else(|| refused(options.kind().refuse_seats(setup.players.len())))?;
        let mut chance = SeededChance::new(own.position.keys().chance_key(Sequence::SETUP));
        let (game, compared) =
            CarriedGame::set_up(&options, seats, &mut chance, own.events.clone()).map_err(refused)?;
        Ok((Newest(game), compared))
    }

    /// The version of these rules.
    pub(super) fn rules_version(&self) -> u16 {
        self.0.game().rules_version()
    }

    /// The result by these rules.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    /// Does what a record did.
    pub(super) fn follow(&mut self, sequence: Sequence, own: &Replayed, bytes: &Bytes) -> Result<Compared, LogFault> {
        // Games are abandoned from outside the rules.
        let Some(Body::Move(step)) = &own.record.body else {
            return Ok(Compared { actions: Vec::new(), difference: None });
        };
        let action = convert::action_from_proto(own.position.kind(), step.action.as_ref())
            .map_err(|message| LogFault::malformed(sequence, message).in_field("move.action", bytes))?;
        let seat = u8::try_from(step.seat).map(Seat).map_err(|_| {
            LogFault::malformed(sequence, format!("there is no seat {}", step.seat)).in_field("move.seat", bytes)
        })?;
        let mut chance = SeededChance::new(own.position.keys().chance_key(sequence));
        let version = self.rules_version();
        self.0.follow(seat, &action, &own.events, &mut chance).map_err(|violation| {
            let message =
                format!("cannot be carried over: by rules version {version} this action is refused: {violation}");
            LogFault::replay_differs(sequence, message).in_field("move.action", bytes)
        })
    }

    /// A record in which something else happens by these rules.
    pub(super) fn differs_at(&self, sequence: Sequence, bytes: &Bytes) -> LogFault {
        let message = format!("by rules version {} something else happens", self.rules_version());
        LogFault::replay_differs(sequence, message).in_field("effects_digest", bytes)
    }

    /// Whether every seat can do what it can do by the game's own rules. In an abandoned game nobody can do anything.
    pub(super) fn can_do_the_same(&self, own: &Position) -> bool {
        own.status() == Status::Abandoned
            || own.game().seats().seats().all(|seat| self.0.may_do_the_same(seat, own.game()))
    }
}

//! Games of older rules carried over to the newest.

use divelog_engine::key_largo::{self, BarPrices, Place};
use divelog_engine::{AnyAction, AnyView, Kind, Viewer};
use divelog_proto::games::key_largo::v1 as kl;
use pb::{game_action, game_event};

use super::*;

/// A game of rules version 1, and what an exporter says of it.
struct OldGame {
    secret: Secret,
    records: Vec<Bytes>,
    claims: pb::BundleClaims,
}

impl OldGame {
    /// Played by these choices until there are none or the game is over.
    fn play(
        options: AnyOptions,
        number: u8,
        mut choose: impl FnMut(&Position) -> Option<(Seat, AnyAction)>,
    ) -> OldGame {
        let secret = Secret([number; SECRET_BYTES]);
        let seats = options.kind().seats();
        let players = vec![pb::Player::default(); usize::from(*seats.end())];
        let new = NewGame { rules_version: 1, options, players, ..new_game() };
        let mut advance = Position::create(new, &secret, stamp(0)).unwrap();
        let mut records = vec![advance.record.clone()];
        while let Some((seat, action)) = choose(&advance.position) {
            advance = advance.position.act(seat, &action, stamp(0)).unwrap();
            records.push(advance.record.clone());
        }
        let of = crate::bundle::ClaimsOf {
            game_id: GAME,
            secret: &secret,
            records: &records,
            reveals_secret: true,
            producer: "test",
            verifier_key: None,
        };
        let claims = crate::bundle::claims(of).unwrap();
        OldGame { secret, records, claims }
    }

    /// A whole game by players without a plan.
    fn aimless(options: AnyOptions, number: u8) -> OldGame {
        let mut choices = SeededChance::new([number; 32]);
        OldGame::play(options, number, |position| position.game().any_choice(&mut choices))
    }

    fn compared(&self, by: ReplayedBy) -> Impact {
        compare(GAME, &self.secret, &self.records, &self.claims, by)
    }

    /// By the newest rules; by its own there is no difference.
    fn carried_over(&self) -> Impact {
        let own = self.compared(ReplayedBy::OwnRules);
        assert!(own.is_none() && own.rules_version == Some(1), "{own:?}");
        let impact = self.compared(ReplayedBy::NewestRules);
        // What differs is the rules', and no damage.
        for fault in impact.first_difference.iter().chain(&impact.refused_at) {
            assert_eq!(fault.kind, FaultKind::ReplayDiffers, "{fault:?}");
        }
        impact
    }

    /// Whether the newest rules could not carry it out to its end.
    fn stopped(&self, impact: &Impact) -> bool {
        impact.replayed < Revision::of(&self.records)
    }
}

/// Everything was carried over, and nothing is different.
fn is_the_same(game: &OldGame, impact: &Impact) {
    assert!(impact.is_none(), "{impact:?}");
    assert_eq!((&impact.first_difference, &impact.other_event, &impact.refused_at), (&None, &None, &None));
    assert_eq!(impact.replayed, Revision::of(&game.records));
    assert_eq!(impact.outcome_after, game.claims.outcome);
}

#[test]
fn a_game_without_newer_rules_is_the_same() {
    for number in 0..5 {
        let game = OldGame::aimless(Kind::CaptainCarcass.default_options(), number);
        let impact = game.carried_over();
        is_the_same(&game, &impact);
        assert_eq!(impact.rules_version, Some(1));
    }
}

#[test]
fn an_abandoned_game_is_carried_over_to_its_end() {
    let mut game = OldGame::play(Kind::KeyLargo.default_options(), 1, |position| {
        let (seat, offer) = (position.to_act().iter().next()?, position.game());
        (position.revision() < Revision::new(5)).then(|| (seat, offer.legal_actions(seat)[0].nth(0)))
    });
    let mut position = Position::open(GAME, &game.records[0], &game.secret).unwrap().position;
    for record in &game.records[1..] {
        position = position.replay(record).unwrap().position;
    }
    game.records.push(position.abandon("", stamp(0)).unwrap().record);
    let impact = game.compared(ReplayedBy::NewestRules);
    assert!(impact.is_none() && impact.replayed == Revision::of(&game.records), "{impact:?}");
}

/// A set-up and an action that are not what the record's own rules make of them are damage, also where a game is carried over.
#[test]
fn damage_is_no_difference_of_the_rules() {
    let game = OldGame::aimless(Kind::KeyLargo.default_options(), 1);
    let mut altered = game.records.clone();
    altered[7] = forge(&game.records, 7, |record| record.request_id.push('x'))[7].clone();
    let impact = compare(GAME, &game.secret, &altered, &game.claims, ReplayedBy::NewestRules);
    let fault = impact.first_difference.unwrap();
    assert_eq!((fault.sequence.get(), fault.kind, fault.field), (8, FaultKind::HashDiffers, Some("previous_hash")));
    assert_eq!(impact.replayed, Revision::of(&game.records), "the rules have no part in it");
}

fn key_largo(encounters: bool, bar: Option<BarPrices>) -> AnyOptions {
    key_largo::Options { encounters, bar, ..Default::default() }.into()
}

/// What a seat sees of a table of Key Largo.
fn seen(position: &Position, seat: Seat) -> key_largo::View {
    match position.view(Viewer::Seat(seat)) {
        AnyView::KeyLargo(view) => view,
        other => panic!("{other:?}"),
    }
}

/// Whole games in which everybody is always in the shop or at the dolphins, and at once done.
#[test]
fn kl_18_a_game_of_dolphins_and_shop_alone_is_the_same() {
    for number in 0..3 {
        let game = OldGame::play(key_largo(false, None), number, |position| {
            let seat = position.to_act().iter().next()?;
            let programme = key_largo::Action::Program { morning: Place::Dolphins, afternoon: Place::Shop };
            let asked = seen(position, seat).phase;
            let action = if asked == key_largo::Phase::Program { programme } else { key_largo::Action::Done };
            Some((seat, action.into()))
        });
        assert!(game.claims.outcome.is_some());
        let impact = game.carried_over();
        is_the_same(&game, &impact);
        assert_eq!((impact.rules_version, impact.divided_action_count), (Some(2), 0));
    }
}

/// By the tables of the book nothing that version 2 changed makes a difference: rounds take two actions, ids are others, and
/// every sale, theft and encounter is carried over.
#[test]
fn kl_r16_whole_games_are_carried_over_with_their_rounds_sales_and_thefts() {
    let mut divided = 0;
    for number in 0..30 {
        let game = OldGame::aimless(key_largo(number % 3 > 0, None), number);
        let impact = game.carried_over();
        is_the_same(&game, &impact);
        assert_eq!(impact.divided_action_count, impact.divided_actions.len() as u64);
        for action in &impact.divided_actions {
            let record = pb::Record::decode(game.records[action.sequence.index()].clone()).unwrap();
            let Some(pb::record::Body::Move(step)) = record.body else { panic!("{action:?} is no move") };
            let [round] = [&step.action.unwrap()].map(in_key_largo);
            let kl::action::Action::BuyRound(round) = round else { panic!("{round:?}") };
            let [first, second] = [&action.actions[0], &action.actions[1]].map(in_key_largo);
            assert_eq!(
                first,
                kl::action::Action::BuyRound(kl::BuyRound { wrecks: vec![], wreck: Some(round.wrecks[0]) })
            );
            assert_eq!(second, kl::action::Action::SecondWreck(kl::SecondWreck { wreck: round.wrecks[1] }));
            assert_eq!(action.actions.len(), 2);
            divided += 1;
        }
    }
    assert!(divided > 30, "{divided} rounds");
}

fn in_key_largo(action: &pb::GameAction) -> kl::action::Action {
    match &action.action {
        Some(game_action::Action::KeyLargo(action)) => action.action.clone().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// A recruit with a novice diver where a diver costs $10 by the tables: $60 by version 1, $10 by version 2 (KL-R20).
#[test]
fn kl_r20_a_recruit_under_the_changed_rule_differs_there() {
    let prices = BarPrices { diver: vec![10], pickpocket: vec![60] };
    let mut found = None;
    for number in 0..100 {
        let game = OldGame::aimless(key_largo(true, Some(prices.clone())), number);
        let impact = game.carried_over();
        match &impact.first_difference {
            Some(_) => found = Some((game, impact)),
            None => {
                is_the_same(&game, &impact);
                continue;
            }
        }
        break;
    }
    let (game, impact) = found.expect("a recruit with a novice diver in 100 games");
    let fault = impact.first_difference.as_ref().unwrap();
    assert_eq!(fault.message, "by rules version 2 something else happens");
    // That record is the recruit, and the events say how it differs.
    let record = pb::Record::decode(game.records[fault.sequence.index()].clone()).unwrap();
    let Some(pb::record::Body::Move(step)) = record.body else { panic!("no move") };
    assert_eq!(in_key_largo(&step.action.unwrap()), kl::action::Action::Recruit(kl::Recruit {}));
    let other = impact.other_event.as_ref().unwrap();
    let prices = [&other.before, &other.after].map(|event| match &event.as_ref().unwrap().event {
        Some(game_event::Event::KeyLargo(event)) => match &event.event {
            Some(kl::event::Event::Recruited(recruited)) => (recruited.seat, recruited.price),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    });
    assert_eq!(prices, [(step.seat, 60), (step.seat, 10)]);
    // From then on the player has $50 more, and so perhaps another result.
    assert!(impact.outcome_changed() || impact.refused_at.is_some(), "{impact:?}");
}

/// Whoever could not pay $60 may recruit by version 2: something else can be done, before anything else happens.
#[test]
fn kl_r20_what_can_be_afforded_is_a_legal_change() {
    let prices = BarPrices { diver: vec![10], pickpocket: vec![60] };
    let impacts = (0..200).map(|number| OldGame::aimless(key_largo(true, Some(prices.clone())), number).carried_over());
    let early = |impact: &Impact| match (&impact.first_difference, impact.legal_changes.first()) {
        (Some(fault), Some(revision)) => revision.get() <= fault.sequence.get(),
        (None, Some(_)) => true,
        _ => false,
    };
    assert!(impacts.into_iter().any(|impact| early(&impact)), "no player with less than $60 played a novice diver");
}

#[test]
fn a_theft_from_an_equal_that_version_2_forbids_cannot_be_carried_over() {
    let mut refused = 0;
    for number in 0..100 {
        let game = OldGame::aimless(Kind::VeiledIsles.default_options(), number);
        let impact = game.carried_over();
        let Some(fault) = &impact.refused_at else {
            // Whoever may not rob any more, and did not, has played the same game.
            assert_eq!((&impact.first_difference, &impact.outcome_after), (&None, &game.claims.outcome));
            continue;
        };
        refused += 1;
        let expected = "cannot be carried over: by rules version 2 this action is refused: VI-R4";
        assert!(fault.message.starts_with(expected), "{fault:?}");
        assert_eq!((fault.field, Some(fault)), (Some("move.action"), impact.first_difference.as_ref()));
        assert_eq!(impact.replayed, Revision::new(fault.sequence.get()), "up to the theft it is the same game");
        assert!(game.stopped(&impact) && impact.other_event.is_none());
        // It could not be done any more, and that is said of the revision before it.
        assert_eq!(impact.legal_changes.last(), Some(&impact.replayed));
        // Who would have won is not known, and so not said.
        assert!(impact.outcome_is_missing() && !impact.outcome_changed() && !impact.winners_changed());
    }
    assert!(refused > 0, "no such theft in 100 games");
}

#[test]
fn lost_stacks_that_version_2_lays_otherwise_are_found() {
    use divelog_proto::games::deep_sea_adventure::v1::event::Event;
    let mut differing = 0;
    for number in 0..60 {
        let game = OldGame::aimless(Kind::DeepSeaAdventure.default_options(), number);
        let impact = game.carried_over();
        let Some(fault) = &impact.first_difference else {
            is_the_same(&game, &impact);
            continue;
        };
        differing += 1;
        assert_eq!((fault.kind, fault.field), (FaultKind::ReplayDiffers, Some("effects_digest")));
        let other = impact.other_event.as_ref().unwrap();
        for event in [&other.before, &other.after] {
            let Some(game_event::Event::DeepSeaAdventure(event)) = &event.as_ref().unwrap().event else {
                panic!("{event:?}")
            };
            assert!(matches!(event.event, Some(Event::PilesLaid(_))), "{event:?}");
        }
        assert_ne!(other.before, other.after);
        assert_eq!(impact.outcome_is_missing(), game.stopped(&impact) || impact.outcome_after.is_none());
    }
    assert!((1..60).contains(&differing), "{differing} of 60 games");
}

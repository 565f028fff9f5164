//! What happened, in sentences.

use divelog_proto::games::deep_sea_adventure::v1::{
    Chip, Event as Message, GameEnded, Moved, RoundEnd, Scored, Stack, TurnStarted, event::Event,
};

use super::{chips, place, stack};
use crate::{Lang, Seating};

/// The sentence of an event; none if it is newer than this client.
pub fn sentence(event: &Message, seating: &Seating, lang: Lang) -> Option<String> {
    let who = |seat: u32| seating.full(seat);
    Some(match event.event.as_ref()? {
        Event::PathLaid(laid) => format!("The path is laid: {}.", spaces(laid.spaces.len())),
        Event::RoundStarted(started) => {
            format!("Round {} begins with {} air; {} goes first.", started.round, started.air, who(started.first_seat))
        }
        Event::TurnStarted(started) => turn(started, seating),
        Event::TurnedBack(turned) => format!("{} turns back.", who(turned.seat)),
        Event::Moved(moved) => movement(moved, seating, lang),
        Event::CameBack(back) => format!("{} is back in {}.", who(back.seat), place(0, lang)),
        Event::LeftSpace(left) => format!("{} leaves the space as it is.", who(left.seat)),
        Event::PickedUp(picked) => {
            format!(
                "{} picks up {} on space {}.",
                who(picked.seat),
                stack_name(picked.stack.as_ref(), lang),
                picked.space
            )
        }
        Event::PutDown(put) => {
            format!("{} puts down {} on space {}.", who(put.seat), stack_name(put.stack.as_ref(), lang), put.space)
        }
        Event::RoundEnded(ended) => format!("Round {} ends: {}.", ended.round, cause(ended.cause())),
        Event::Scored(scored) => score(scored, seating),
        Event::Lost(lost) => loss(&who(lost.seat), &lost.chips),
        Event::PilesLaid(laid) => piles(&laid.piles),
        Event::PathClosed(closed) => {
            let left = usize::try_from(closed.spaces).unwrap_or(usize::MAX);
            format!("The blanks are taken away: {} left.", spaces(left))
        }
        Event::GameEnded(ended) => end(ended, seating),
    })
}

fn spaces(count: usize) -> String {
    if count == 1 { "1 space".into() } else { format!("{count} spaces") }
}

fn turn(started: &TurnStarted, seating: &Seating) -> String {
    let who = seating.full(started.seat);
    match started.air_used {
        0 => format!("Turn of {who}: {} air left.", started.air),
        used => format!("Turn of {who}: the load uses {used} air, {} left.", started.air),
    }
}

fn movement(moved: &Moved, seating: &Seating, lang: Lang) -> String {
    let who = seating.full(moved.seat);
    let dice = moved.dice.unwrap_or_default();
    let roll = format!("{who} rolls {}+{}", dice.first, dice.second);
    if moved.from == moved.to {
        let at = if moved.to == 0 { "in" } else { "on" };
        format!("{roll} and stays {at} {}.", place(moved.to, lang))
    } else {
        format!("{roll} and moves {} from {} to {}.", moved.steps, place(moved.from, lang), place(moved.to, lang))
    }
}

fn stack_name(found: Option<&Stack>, lang: Lang) -> String {
    match found.map(|found| (found.chips.len(), stack(found))) {
        None | Some((0, _)) => "nothing".into(),
        Some((1, level)) => format!("{} of level {level}", lang.name("a chip", "jeton ruines")),
        Some((_, levels)) => format!("{} of levels {levels}", lang.name("a stack", "pile")),
    }
}

fn cause(cause: RoundEnd) -> &'static str {
    match cause {
        RoundEnd::AllBack => "every explorer is back",
        RoundEnd::NoAir => "the air is used up",
        RoundEnd::Standstill => "a whole lap changed nothing",
        RoundEnd::Unspecified => "for a reason unknown to this client",
    }
}

fn score(scored: &Scored, seating: &Seating) -> String {
    let who = seating.full(scored.seat);
    let points = if scored.points == 1 { "1 point".into() } else { format!("{} points", scored.points) };
    if scored.chips.is_empty() {
        format!("{who} is back with nothing to score.")
    } else {
        format!("{who} scores {points}: {}.", chips(&scored.chips))
    }
}

fn loss(who: &str, lost: &[Chip]) -> String {
    if lost.is_empty() {
        format!("{who} is not back, and had nothing to lose.")
    } else {
        format!("{who} is not back and loses: {}.", chips(lost))
    }
}

fn piles(piles: &[Stack]) -> String {
    if piles.is_empty() {
        return "Nothing is laid at the far end.".into();
    }
    let texts: Vec<String> = piles.iter().map(stack).collect();
    format!("Lost chips are laid at the far end: {}.", texts.join(", "))
}

fn end(ended: &GameEnded, seating: &Seating) -> String {
    let totals: Vec<String> =
        (0u32..).zip(&ended.totals).map(|(seat, total)| format!("{} {total}", seating.full(seat))).collect();
    let verb = match ended.winners.len() {
        0 => return format!("The game is over: {}.", totals.join(", ")),
        1 => "wins",
        _ => "share the win",
    };
    format!("The game is over: {}. {} {verb}.", totals.join(", "), seating.list(&ended.winners))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{hidden, pile, shown};
    use super::*;
    use divelog_proto::games::deep_sea_adventure::v1::{
        CameBack, Dice, LeftSpace, Lost, PathClosed, PathLaid, PickedUp, PilesLaid, RoundEnded, RoundStarted,
        TurnedBack, WasPutDown,
    };

    fn describe(event: Event) -> String {
        let seating = Seating::new(["Ana", ""]);
        sentence(&Message { event: Some(event) }, &seating, Lang::En).unwrap()
    }

    fn moved(steps: u32, from: u32, to: u32) -> Event {
        Event::Moved(Moved { seat: 0, dice: Some(Dice { first: 1, second: 3 }), steps, from, to })
    }

    #[test]
    fn turns() {
        let cases = [
            (Event::PathLaid(PathLaid { spaces: vec![pile(&[1]); 32] }), "The path is laid: 32 spaces."),
            (
                Event::RoundStarted(RoundStarted { round: 1, first_seat: 1, air: 25 }),
                "Round 1 begins with 25 air; seat 1 goes first.",
            ),
            (Event::TurnStarted(TurnStarted { seat: 0, air_used: 0, air: 25 }), "Turn of Ana (seat 0): 25 air left."),
            (
                Event::TurnStarted(TurnStarted { seat: 0, air_used: 3, air: -1 }),
                "Turn of Ana (seat 0): the load uses 3 air, -1 left.",
            ),
            (Event::TurnedBack(TurnedBack { seat: 0 }), "Ana (seat 0) turns back."),
            (moved(4, 0, 4), "Ana (seat 0) rolls 1+3 and moves 4 from the submarine to space 4."),
            (moved(4, 2, 0), "Ana (seat 0) rolls 1+3 and moves 4 from space 2 to the submarine."),
            (moved(0, 5, 5), "Ana (seat 0) rolls 1+3 and stays on space 5."),
            (moved(0, 0, 0), "Ana (seat 0) rolls 1+3 and stays in the submarine."),
            (Event::CameBack(CameBack { seat: 1 }), "seat 1 is back in the submarine."),
            (Event::LeftSpace(LeftSpace { seat: 1 }), "seat 1 leaves the space as it is."),
            (
                Event::PickedUp(PickedUp { seat: 1, space: 4, stack: Some(pile(&[2])) }),
                "seat 1 picks up a chip of level 2 on space 4.",
            ),
            (
                Event::PutDown(WasPutDown { seat: 1, space: 4, load_index: 0, stack: Some(pile(&[2, 3])) }),
                "seat 1 puts down a stack of levels 2+3 on space 4.",
            ),
        ];
        for (event, text) in cases {
            assert_eq!(describe(event), text);
        }
    }

    #[test]
    fn ends() {
        let cases = [
            (
                Event::RoundEnded(RoundEnded { round: 2, cause: RoundEnd::NoAir.into() }),
                "Round 2 ends: the air is used up.",
            ),
            (
                Event::Scored(Scored { seat: 0, chips: vec![shown(1, 3), shown(2, 4)], points: 7 }),
                "Ana (seat 0) scores 7 points: 1=3 2=4.",
            ),
            (Event::Lost(Lost { seat: 1, chips: vec![hidden(1), hidden(4)] }), "seat 1 is not back and loses: 1 4."),
            (Event::Lost(Lost { seat: 1, chips: vec![] }), "seat 1 is not back, and had nothing to lose."),
            (
                Event::PilesLaid(PilesLaid { piles: vec![pile(&[1, 2, 2]), pile(&[3])] }),
                "Lost chips are laid at the far end: 1+2+2, 3.",
            ),
            (Event::PathClosed(PathClosed { spaces: 1 }), "The blanks are taken away: 1 space left."),
            (
                Event::GameEnded(GameEnded { totals: vec![30, 12], winners: vec![0] }),
                "The game is over: Ana (seat 0) 30, seat 1 12. Ana (seat 0) wins.",
            ),
            (
                Event::GameEnded(GameEnded { totals: vec![9, 9], winners: vec![0, 1] }),
                "The game is over: Ana (seat 0) 9, seat 1 9. Ana (seat 0), seat 1 share the win.",
            ),
        ];
        for (event, text) in cases {
            assert_eq!(describe(event), text);
        }
    }

    #[test]
    fn french_names_stand_beside_the_english_ones() {
        let picked = Event::PickedUp(PickedUp { seat: 1, space: 4, stack: Some(pile(&[2])) });
        let describe = |event| sentence(&Message { event: Some(event) }, &Seating::default(), Lang::Fr).unwrap();
        assert_eq!(describe(picked), "seat 1 picks up a chip (jeton ruines) of level 2 on space 4.");
        assert_eq!(
            describe(moved(4, 2, 0)),
            "seat 0 rolls 1+3 and moves 4 from space 2 to the submarine (sous-marin)."
        );
    }

    #[test]
    fn an_event_newer_than_this_client_has_no_sentence() {
        assert_eq!(sentence(&Message { event: None }, &Seating::default(), Lang::En), None);
    }
}

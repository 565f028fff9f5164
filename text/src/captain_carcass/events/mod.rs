//! What happened, in sentences.

use divelog_proto::games::captain_carcass::v1::{
    Card, DiversGiven, DroneShowed, EffectSkipped, Entered, Event as Message, GameEnd, GameEnded, Knifed, MapShowed,
    Netted, PilesLaid, Skip, Source, SquidAsked, Suit, Surfaced, event::Event,
};

use super::{
    cards::{card_name, list, suit_name},
    count,
    divers::diver,
};
use crate::{Lang, Seating};

/// The sentence of an event; none if it is newer than this client.
pub fn sentence(event: &Message, seating: &Seating, lang: Lang) -> Option<String> {
    let describe = Describer { seating, lang };
    let who = |seat: u32| seating.full(seat);
    let (graveyard, draw_pile) = (describe.graveyard(), describe.draw_pile());
    Some(match event.event.as_ref()? {
        Event::DiversGiven(given) => describe.divers(given),
        Event::PilesLaid(laid) => describe.piles(laid),
        Event::FirstSeatDrawn(drawn) => format!("{} goes first.", who(drawn.seat)),
        Event::VictimNamed(named) => {
            format!("{}, who has the saboteuse, names {} as the victim.", who(named.seat), who(named.victim))
        }
        Event::TurnStarted(started) => format!("Turn of {}.", who(started.seat)),
        Event::Drew(drew) => {
            let left = count(drew.draw_pile_size);
            format!("{} turns up {}; {draw_pile} has {left} left.", who(drew.seat), describe.card(drew.card))
        }
        Event::DemandVoided(voided) => {
            let due = count(voided.squid_demand);
            format!("{draw_pile} is empty: the squid asks {} for nothing more ({due} due).", who(voided.seat))
        }
        Event::WentStraightToHold(went) => {
            format!("{} goes straight to {}.", describe.card(went.card), describe.hold(went.seat))
        }
        Event::Entered(entered) => describe.entered(entered),
        Event::SquidAsked(asked) => describe.squid(asked),
        Event::EffectSkipped(skipped) => describe.skipped(skipped),
        Event::GraveyardShuffled(shuffled) => {
            format!("{graveyard} of {} is shuffled{}.", count(shuffled.size), if_shown(&shuffled.order, lang))
        }
        Event::MapShowed(showed) => describe.map(showed),
        Event::PlacedFromMap(placed) => {
            format!("{} takes {} from the map.", who(placed.seat), describe.card(placed.card))
        }
        Event::DroneShowed(showed) => describe.drone(showed),
        Event::Knifed(knifed) => describe.knife(knifed),
        Event::Misfired(misfired) => format!(
            "The knife misfires because of {}: {} sends {} to {graveyard}.",
            who(misfired.owner),
            who(misfired.seat),
            describe.card(misfired.card)
        ),
        Event::Netted(netted) => describe.net(netted),
        Event::Harpooned(harpooned) => format!(
            "{} harpoons {} out of {}.",
            who(harpooned.seat),
            describe.card(harpooned.card),
            describe.hold(harpooned.victim)
        ),
        Event::HarpoonParried(parried) => format!(
            "{} parries: {} of {} goes to {graveyard}.",
            who(parried.owner),
            describe.card(parried.card),
            who(parried.seat)
        ),
        Event::IncidentCaused(caused) => {
            let incident = lang.name("Incident", "Incident de plongée");
            format!(
                "{incident}! {} cannot enter, and the turn of {} ends.",
                describe.card(caused.card),
                who(caused.seat)
            )
        }
        Event::Saved(saved) => format!("{} still collects {}.", who(saved.seat), list(&saved.cards, lang)),
        Event::Lost(lost) => {
            format!("{} loses {} to {}.", who(lost.seat), list(&lost.cards, lang), describe.goes_to(lost.to_hold_of))
        }
        Event::Surfaced(surfaced) => describe.surfaced(surfaced),
        Event::BonusEarned(earned) => {
            let names = [Suit::Key, Suit::Chest].map(|suit| suit_name(suit.into(), lang));
            format!("The {} earn {} a bonus of {}.", names.join(" and the "), who(earned.seat), count(earned.count))
        }
        Event::BonusTaken(taken) => {
            format!("{} takes the bonus from {graveyard}: {}.", who(taken.seat), list(&taken.cards, lang))
        }
        Event::Plundered(plundered) => format!(
            "{} plunders {}: {}.",
            who(plundered.seat),
            describe.hold(plundered.victim),
            list(&plundered.cards, lang)
        ),
        Event::GameEnded(ended) => describe.end(ended),
    })
    .map(|sentence: String| capitalised(&sentence))
}

/// Sentences may start with `the graveyard`; those that start with a card or a seat keep its token as it is typed.
fn capitalised(sentence: &str) -> String {
    match sentence.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => sentence.into(),
    }
}

/// Which cards, where the viewer may see them.
fn if_shown(cards: &[Card], lang: Lang) -> String {
    if cards.is_empty() { String::new() } else { format!(": {}", list(cards, lang)) }
}

/// What all sentences need: names of people and of things.
struct Describer<'a> {
    seating: &'a Seating,
    lang: Lang,
}

impl Describer<'_> {
    fn card(&self, card: Option<Card>) -> String {
        card.map_or_else(|| "a card".into(), |card| card_name(&card, self.lang))
    }

    fn graveyard(&self) -> String {
        self.lang.name("the graveyard", "Cimetière marin")
    }

    fn draw_pile(&self) -> String {
        self.lang.name("the draw pile", "pioche Butin")
    }

    fn hold(&self, seat: u32) -> String {
        format!("{} of {}", self.lang.name("the hold", "Cale"), self.seating.full(seat))
    }

    /// Where cards go to that somebody loses.
    fn goes_to(&self, hold_of: Option<u32>) -> String {
        hold_of.map_or_else(|| self.graveyard(), |seat| self.hold(seat))
    }

    fn divers(&self, given: &DiversGiven) -> String {
        let name = |number| diver(number).map_or_else(|| "none".into(), |(name, _)| name);
        let each: Vec<String> = (0u32..)
            .zip(&given.divers)
            .map(|(seat, number)| format!("{} {}", self.seating.full(seat), name(*number)))
            .collect();
        let how = if given.dealt { "dealt" } else { "chosen" };
        format!("{} are {how}: {}.", self.lang.name("The divers", "Scaphandriers"), each.join(", "))
    }

    fn piles(&self, laid: &PilesLaid) -> String {
        let pile = |size, cards: &[Card]| format!("has {}{}", count(size), if_shown(cards, self.lang));
        let draw_pile = pile(laid.draw_pile_size, &laid.draw_pile);
        let graveyard = pile(laid.graveyard_size, &laid.graveyard);
        format!("{} {draw_pile}; {} {graveyard}.", self.draw_pile(), self.graveyard())
    }

    fn entered(&self, entered: &Entered) -> String {
        let from = match entered.source() {
            Source::DrawPile | Source::Unspecified => String::new(),
            Source::Graveyard => format!(" from {}", self.graveyard()),
            Source::OwnHold => format!(" from {}", self.hold(entered.seat)),
            Source::OpponentHold => format!(" from an opponent's {}", self.lang.name("hold", "Cale")),
        };
        let demand = match entered.squid_demand {
            0 => String::new(),
            left => format!("; the squid still asks for {}", count(left)),
        };
        format!("{} enters the exploration{from}{demand}.", self.card(entered.card))
    }

    fn squid(&self, asked: &SquidAsked) -> String {
        let who = self.seating.full(asked.seat);
        if asked.asks == asked.squid_demand {
            format!("The squid asks {who} for {}.", count(asked.asks))
        } else {
            format!("The squid asks {who} for {} more: {} in all.", count(asked.asks), asked.squid_demand)
        }
    }

    fn skipped(&self, skipped: &EffectSkipped) -> String {
        let why = match skipped.skip() {
            Skip::EmptyGraveyard => format!("{} is empty", self.graveyard()),
            Skip::EmptyDrawPile => format!("{} is empty", self.draw_pile()),
            Skip::EmptyHold => format!("{} is empty", self.hold(skipped.seat)),
            Skip::NoOpponentHasCards => "no opponent has cards".into(),
            Skip::NoSuitToTake => "no opponent has a suit that may be taken".into(),
            Skip::Unspecified => "for a reason unknown to this client".into(),
        };
        match skipped.suit() {
            Suit::Chest => format!("There is no bonus for {}: {why}.", self.seating.full(skipped.seat)),
            _ => format!("The {} has no effect: {why}.", suit_name(skipped.suit, self.lang)),
        }
    }

    fn map(&self, showed: &MapShowed) -> String {
        let (who, cards) = (self.seating.full(showed.seat), if_shown(&showed.cards, self.lang));
        format!("The map shows {who} {} of {}{cards}.", count(showed.count), self.graveyard())
    }

    fn drone(&self, showed: &DroneShowed) -> String {
        let (who, cards) = (self.seating.full(showed.seat), if_shown(&showed.cards, self.lang));
        format!("The drone shows {who} the top of {}, {}{cards}.", self.draw_pile(), count(showed.count))
    }

    fn knife(&self, knifed: &Knifed) -> String {
        let (who, cards) = (self.seating.full(knifed.seat), list(&knifed.cards, self.lang));
        format!("{who} cuts {cards} out of {}, into {}.", self.hold(knifed.victim), self.goes_to(knifed.to_hold_of))
    }

    fn net(&self, netted: &Netted) -> String {
        let second = if netted.second { ", the second card of the net" } else { "" };
        let (who, card) = (self.seating.full(netted.seat), self.card(netted.card));
        format!("{who} nets {card} out of their own {}{second}.", self.lang.name("hold", "Cale"))
    }

    fn surfaced(&self, surfaced: &Surfaced) -> String {
        format!("{} surfaces and collects {}.", self.seating.full(surfaced.seat), list(&surfaced.cards, self.lang))
    }

    fn end(&self, ended: &GameEnded) -> String {
        let cause = match ended.cause() {
            GameEnd::DrawPileEmpty => format!(", {} is empty", self.draw_pile()),
            GameEnd::SuddenDeath => ", by sudden death".into(),
            GameEnd::Unspecified => String::new(),
        };
        let points: Vec<String> =
            (0u32..).zip(&ended.points).map(|(seat, points)| format!("{} {points}", self.seating.full(seat))).collect();
        let winners = match ended.winners.len() {
            0 => "Nobody wins".into(),
            1 => format!("{} wins", self.seating.list(&ended.winners)),
            _ => format!("{} share the win", self.seating.list(&ended.winners)),
        };
        format!("The game is over{cause}: {}. {winners}.", points.join(", "))
    }
}

#[cfg(test)]
mod tests;

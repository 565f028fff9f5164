//! What the contract suite needs to know about Veiled Isles. What is hidden from whom is dealt again in `redeal`.

use alloc::{vec, vec::Vec};
use core::ops::RangeInclusive;

use super::super::{
    Action, ActionCard, Colour, Deck, Event, Half, Island, IslandSet, MAX_ACTIONS, Options, Phase, Rules, SEATS, State,
};
use super::secret_choices;
use crate::contract::{UnderTest, altered};
use crate::{Chance, Game, Seat, SeatCount, Step, Viewer, shuffle};

const CARDS: [ActionCard; 4] = [ActionCard::A1, ActionCard::A2, ActionCard::A3, ActionCard::A4];

/// One of these.
fn pick<T: Copy>(items: &[T], chance: &mut dyn Chance) -> T {
    items[chance.below(items.len() as u32) as usize]
}

/// Eight values with a 2, a 3 and a 4 among them, in any order.
fn random_values(chance: &mut dyn Chance) -> Vec<u32> {
    let mut values = vec![2, 3, 4];
    values.extend((0..5).map(|_| match chance.below(4) {
        0 => 0,
        1 => 99,
        _ => chance.below(100),
    }));
    shuffle(&mut values, chance);
    values
}

impl UnderTest for State {
    const SEATS: RangeInclusive<u8> = SEATS;
    const MAX_ACTIONS: usize = MAX_ACTIONS;
    /// One for each island of a hand, which is fullest at 12.
    const MAX_OFFERS: usize = 12;
    const SECRET_CHOICES: bool = true;
    const SEEDS: u64 = 300;
    const STYLES: &'static [&'static str] = &["uniform", "spender", "thief", "hoarders", "herd", "high", "low"];
    const LANDMARKS: &'static [&'static str] = &[
        "bonus cards played",
        "12 by bonus cards",
        "two colours as one",
        "all in one colour",
        "treasure of 99",
        "treasure of 0",
        "treasure stolen",
        "too few bonus cards",
        "A1 stolen",
        "A1 drawn",
        "A1 drawn 1",
        "A1 skipped",
        "A2 swapped 2",
        "A2 swapped 1",
        "A2 skipped",
        "A3 single deck",
        "A3 red/blue deck",
        "A3 green/purple deck",
        "A4 taken",
        "A4 own island taken",
        "A4 skipped",
        "round 2",
        "shared win",
    ];

    fn random_options(_rules: Rules, _seats: SeatCount, chance: &mut dyn Chance) -> Options {
        let card = |chance: &mut dyn Chance| (chance.below(3) > 0).then(|| pick(&CARDS, chance));
        let treasure_values = (chance.below(2) > 0).then(|| random_values(chance));
        loop {
            let options = Options {
                red_blue_action: card(chance),
                green_purple_action: card(chance),
                treasure_values: treasure_values.clone(),
            };
            if options.check().is_ok() {
                return options;
            }
        }
    }

    fn weight(&self, style: &str, seat: Seat, action: &Action) -> u32 {
        let player = self.player(seat);
        match (style, action) {
            ("spender", Action::Play { bonus, .. }) => 1 + 8 * bonus,
            ("thief", Action::StealTreasure { .. }) => 50,
            // Plays the colour that is turned up, and low: there are victims whose treasure is of that colour.
            ("thief" | "herd", Action::Play { island, .. }) => {
                let wanted = self.decks.iter().filter_map(|deck| deck.turned_up).any(|up| up.colour == island.colour());
                if wanted { 30 } else { 1 }
            }
            // All keep their bonus cards until the supply is nearly empty, then spend what they can in one trick, in
            // colours of their own: for A1 there is then nothing left, or a single card.
            ("hoarders", Action::Play { bonus, .. }) if self.supply > 1 => u32::from(*bonus == 0),
            ("hoarders", Action::Play { island, bonus, .. }) => {
                let spent = u32::from(player.bonus) - bonus < 2;
                let alone = self.trick_in_order().all(|(_, played)| played.island.colour() != island.colour());
                1 + u32::from(spent) * 40 * (1 + u32::from(alone) * 40)
            }
            ("high", Action::Play { island, .. }) => u32::from(island.number()).pow(2),
            ("low", Action::Play { island, bonus, .. }) => u32::from(*bonus == 0) * (13 - u32::from(island.number())),
            _ => 1,
        }
    }

    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Action> {
        let seats = self.seats().get();
        let asked = self.to_act().contains(seat);
        let hand: Vec<Island> =
            self.players.get(seat.index()).map_or(Vec::new(), |player| player.hand.iter().collect());
        let bonus = self.players.get(seat.index()).map_or(0, |player| u32::from(player.bonus));
        let any = |chance: &mut dyn Chance| pick(&Island::all(), chance);
        let held = |chance: &mut dyn Chance| if hand.is_empty() { any(chance) } else { pick(&hand, chance) };
        let show = |chance: &mut dyn Chance| pick(&[Half::Sea, Half::Coast], chance);

        // Whoever is not asked is refused without a look at the action; one of each kind is enough.
        let times = if asked { 2 } else { 1 };
        let mut actions = vec![Action::TakeTreasure, Action::DrawBonus];
        for _ in 0..times {
            // The seats of the table, the one beyond it, and one far beyond.
            let other = Seat(chance.below(u32::from(seats) + 1) as u8);
            actions.push(Action::StealTreasure { seat: other });
            actions.push(Action::StealBonus { seat: other });
            actions.push(Action::SwapWith { seat: other });
            actions.push(Action::TakePlayed { seat: pick(&[other, Seat(seats), Seat(u8::MAX)], chance) });
            actions.push(Action::PeekDeck { deck: pick(&[Deck::Single, Deck::RedBlue, Deck::GreenPurple], chance) });
            actions.push(Action::DiscardIsland { island: any(chance) });
            let island = held(chance);
            let most = 12 - u32::from(island.number());
            let bonuses = [0, bonus, bonus + 1, most, most + 1, 256, u32::MAX];
            actions.push(Action::Play { island, show: show(chance), bonus: pick(&bonuses, chance) });
        }
        let orders: [&[u32]; 7] = [&[0, 1, 2], &[2, 0, 1], &[], &[0, 1], &[0, 1, 2, 0], &[1, 1, 2], &[1, 2, 3]];
        actions.push(Action::Reorder { order: pick(&orders, chance).to_vec() });
        actions.push(Action::GiveBack { islands: self.nearly_given(&hand, chance) });
        if asked {
            actions.push(Action::Pass { island: any(chance) });
            actions.extend((0..3).map(|_| Action::Pass { island: held(chance) }));
            actions.push(Action::Play { island: any(chance), show: show(chance), bonus: 0 });
            actions.push(Action::DiscardIsland { island: held(chance) });
            actions.push(Action::GiveBack { islands: self.nearly_given(&hand, chance) });
        }
        actions
    }

    fn census(&self) -> Vec<u32> {
        let of = |set: IslandSet| set.iter().collect::<Vec<_>>();
        let players = || self.players.iter();
        let mut islands: Vec<Island> = [of(self.discarded), of(self.set_aside)].concat();
        islands.extend(players().flat_map(|player| player.hand.iter().chain(player.passing)));
        islands.extend(players().filter_map(|player| player.played).filter(|p| !p.taken).map(|played| played.island));
        let decks = self.decks.iter().flat_map(|deck| deck.turned_up.iter().chain(&deck.face_down));
        let treasures = decks.chain(players().flat_map(|player| &player.treasures));
        let played_bonus: u8 = players().filter_map(|player| player.played).map(|played| played.bonus).sum();
        let bonus = self.supply + played_bonus + players().map(|player| player.bonus).sum::<u8>();

        let mut census: Vec<u32> = islands.iter().map(|island| u32::from(island.index())).collect();
        census.extend(treasures.map(|treasure| 1000 + treasure.colour as u32 * 100 + u32::from(treasure.points)));
        census.push(10_000 + u32::from(bonus));
        census.sort_unstable();
        census
    }

    fn redeal(&self, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
        super::redeal::redeal(self, after, viewer, chance)
    }

    fn altered(&self) -> Vec<State> {
        let seats = self.seat_count();
        let mut altered = altered![
            self,
            |other| std::mem::swap(&mut other.red_blue_action, &mut other.green_purple_action),
            |other| other.treasure_values[0] += 1,
            |other| other.round ^= 1,
            |other| other.trick += 1,
            |other| other.first_seat = other.first_seat.next(seats),
            |other| other.decks[0].face_down.reverse(),
            |other| other.decks.iter_mut().for_each(|deck| deck.face_down.truncate(1)),
            |other| other.supply += 1,
            |other| other.players[0].treasures.reverse(),
            |other| other.players[0].treasures.pop(),
            |other| other.players[0].bonus += 1,
            |other| other.players[0].scores.pop(),
            |other| other.players[0].played.iter_mut().for_each(|played| {
                played.show = if played.show == Half::Sea { Half::Coast } else { Half::Sea };
            }),
            |other| other.players[0].played.iter_mut().for_each(|played| played.bonus += 1),
            |other| other.players[0].played.iter_mut().for_each(|played| played.taken ^= true),
        ];
        for island in Island::all().into_iter().step_by(7) {
            let set = |set: &mut IslandSet| if set.contains(island) { set.remove(island) } else { set.insert(island) };
            altered.extend(altered![
                self,
                |other| set(&mut other.players[1].hand),
                |other| set(&mut other.discarded),
                |other| set(&mut other.set_aside),
                |other| other.players[0].passing = Some(island),
            ]);
        }
        if let Some(turn) = self.turn {
            altered.extend(altered![self, |other| other.turn = Some(turn.next(seats))]);
        }
        match self.phase {
            Phase::GiveBack { to, count } => altered.extend(altered![
                self,
                |other| other.phase = Phase::GiveBack { to: to.next(seats), count },
                |other| other.phase = Phase::GiveBack { to, count: count + 1 },
            ]),
            Phase::Reorder { deck } => {
                let others = self.decks.iter().map(|deck| deck.deck).filter(|other| *other != deck);
                altered.extend(others.flat_map(|deck| altered![self, |other| other.phase = Phase::Reorder { deck }]));
            }
            Phase::StealBonus => altered.extend(altered![self, |other| other.phase = Phase::PeekDeck]),
            // Nothing is resolved: what a deck shows and showed has no consequence for the view.
            Phase::Pass | Phase::Play | Phase::Over => {
                altered.extend(altered![self, |other| other.decks[0].turned_up = None, |other| other.prize_colours =
                    [Colour::Red, Colour::Green].into_iter().collect(),])
            }
            _ => {}
        }
        altered
    }

    fn looks_the_same(&self, seat: Seat, one: &Action, other: &Action, viewer: Viewer) -> bool {
        secret_choices::looks_the_same(self, one, other) && !secret_choices::is_seen(self, seat, one, viewer)
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        Some(match event {
            Event::IslandPlayed { bonus: 1.., .. } => "bonus cards played",
            Event::SailsLifted { islands } if islands.iter().any(|lifted| lifted.bonus > 0 && lifted.value == 12) => {
                "12 by bonus cards"
            }
            Event::ColourWon(won) if won.colours.iter().count() == 2 => "two colours as one",
            Event::ColourWon(won) if won.islands > 3 => "all in one colour",
            Event::TreasureTaken { treasure, .. } if treasure.points == 99 => "treasure of 99",
            Event::TreasureTaken { treasure, .. } if treasure.points == 0 => "treasure of 0",
            Event::TreasureStolen { .. } => "treasure stolen",
            Event::BonusTaken { due, taken, .. } if taken < due => "too few bonus cards",
            Event::BonusStolen { .. } => "A1 stolen",
            Event::BonusDrawn { count: 2, .. } => "A1 drawn",
            Event::BonusDrawn { count: 1, .. } => "A1 drawn 1",
            Event::ActionSkipped { action: ActionCard::A1, .. } => "A1 skipped",
            Event::IslandsTaken { count: 2, .. } => "A2 swapped 2",
            Event::IslandsTaken { count: 1, .. } => "A2 swapped 1",
            Event::ActionSkipped { action: ActionCard::A2, .. } => "A2 skipped",
            Event::DeckReordered { deck: Deck::Single, .. } => "A3 single deck",
            Event::DeckReordered { deck: Deck::RedBlue, .. } => "A3 red/blue deck",
            Event::DeckReordered { deck: Deck::GreenPurple, .. } => "A3 green/purple deck",
            Event::PlayedTaken { seat, from, .. } if seat == from => "A4 own island taken",
            Event::PlayedTaken { .. } => "A4 taken",
            Event::ActionSkipped { action: ActionCard::A4, .. } => "A4 skipped",
            Event::RoundStarted { round: 2, .. } => "round 2",
            Event::GameEnded { winners, .. } if winners.iter().count() > 1 => "shared win",
            _ => return None,
        })
    }
}

impl State {
    /// Islands to give back that are right, or wrong in one way: too few, too many, one twice, one that is not held.
    fn nearly_given(&self, hand: &[Island], chance: &mut dyn Chance) -> Vec<Island> {
        let count = match self.phase {
            Phase::GiveBack { count, .. } => usize::from(count),
            _ => 2,
        };
        let mut hand = hand.to_vec();
        shuffle(&mut hand, chance);
        let wrong = chance.below(6);
        let mut given: Vec<Island> = hand.iter().copied().take(if wrong == 0 { count + 1 } else { count }).collect();
        match (wrong, given.first().copied()) {
            (1, _) => drop(given.pop()),
            (2, Some(first)) => *given.last_mut().unwrap_or(&mut hand[0]) = first,
            (3, Some(first)) => given.push(first),
            (4, Some(_)) => given[0] = pick(&Island::all(), chance),
            _ => {}
        }
        given
    }
}

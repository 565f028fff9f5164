//! Events.

use divelog_engine::key_largo::{DrawCause, Event, SaleWay};
use divelog_proto::games::key_largo::v1 as pb;

use super::super::seats_to_proto;
use super::options::tables;
use super::pieces::{card, cards, depth, encounter, encounters, half, item, place, ware};

pub(super) fn event_to_proto(event: &Event) -> pb::Event {
    use pb::event::Event as Wire;
    let event = match event {
        Event::GameStarted { encounters, tables: figures } => {
            Wire::GameStarted(pb::GameStarted { encounters: *encounters, tables: Some(tables(figures)) })
        }
        Event::WrecksLaid { wrecks: [shallow, medium, deep], cards: laid } => Wire::WrecksLaid(pb::WrecksLaid {
            shallow: (*shallow).into(),
            medium: (*medium).into(),
            deep: (*deep).into(),
            cards: cards(laid),
        }),
        Event::EncountersShuffled { deck } => {
            Wire::EncountersShuffled(pb::EncountersShuffled { deck: encounters(deck) })
        }
        Event::DayStarted { day, first_seat } => {
            Wire::DayStarted(pb::DayStarted { day: (*day).into(), first_seat: first_seat.0.into() })
        }
        Event::Programmed { seat, morning, afternoon } => Wire::Programmed(pb::Programmed {
            seat: seat.0.into(),
            morning: morning.map(|chosen| place(chosen).into()),
            afternoon: afternoon.map(|chosen| place(chosen).into()),
        }),
        Event::PlacesRevealed { half: part, places } => Wire::PlacesRevealed(pb::PlacesRevealed {
            half: half(*part).into(),
            places: places.iter().map(|chosen| place(*chosen).into()).collect(),
        }),
        Event::BoatPlaced { seat, wreck } => {
            Wire::BoatPlaced(pb::BoatPlaced { seat: seat.0.into(), wreck: (*wreck).into() })
        }
        Event::DiveLost { seat } => Wire::DiveLost(pb::DiveLost { seat: seat.0.into() }),
        Event::SabotagePassed { seat } => Wire::SabotagePassed(pb::SabotagePassed { seat: seat.0.into() }),
        Event::EncounterPlayed { seat, encounter: played, target_seat, diver, wreck, dupe, ware: counted } => {
            Wire::EncounterPlayed(pb::EncounterPlayed {
                seat: seat.0.into(),
                encounter: encounter(*played).into(),
                target_seat: target_seat.map(|target| target.0.into()),
                diver: diver.map(u32::from),
                wreck: wreck.map(u32::from),
                dupe: dupe.as_ref().map(card),
                ware: counted.map(|counted| ware(counted).into()),
            })
        }
        Event::WeightUsed { seat, diver } => {
            Wire::WeightUsed(pb::WeightUsed { seat: seat.0.into(), diver: (*diver).into() })
        }
        Event::CardDrawn { seat, diver, wreck, cause, card: drawn } => Wire::CardDrawn(pb::CardDrawn {
            seat: seat.0.into(),
            diver: (*diver).into(),
            wreck: (*wreck).into(),
            cause: draw_cause(*cause).into(),
            card: Some(card(drawn)),
        }),
        Event::MonsterKilled { seat, trident_of, wreck, card: monster } => Wire::MonsterKilled(pb::MonsterKilled {
            seat: seat.0.into(),
            trident_of: (*trident_of).into(),
            wreck: (*wreck).into(),
            card: Some(card(monster)),
        }),
        Event::DiverFled { seat, diver, hoses, weight } => Wire::DiverFled(pb::DiverFled {
            seat: seat.0.into(),
            diver: (*diver).into(),
            hoses: (*hoses).into(),
            weight: *weight,
        }),
        Event::MonstersReturned { wreck, cards: monsters } => {
            Wire::MonstersReturned(pb::MonstersReturned { wreck: (*wreck).into(), cards: cards(monsters) })
        }
        Event::WreckShuffled { wreck, cards: order } => {
            Wire::WreckShuffled(pb::WreckShuffled { wreck: (*wreck).into(), cards: cards(order) })
        }
        Event::WreckGone { wreck } => Wire::WreckGone(pb::WreckGone { wreck: (*wreck).into() }),
        Event::Surfaced { seat, wreck } => Wire::Surfaced(pb::Surfaced { seat: seat.0.into(), wreck: (*wreck).into() }),
        Event::Recruited { seat, price, with_hose } => {
            Wire::Recruited(pb::Recruited { seat: seat.0.into(), price: *price, with_hose: *with_hose })
        }
        Event::PickpocketHired { seat, victim, depth: back, price } => Wire::PickpocketHired(pb::PickpocketHired {
            seat: seat.0.into(),
            victim: victim.0.into(),
            depth: depth(*back).into(),
            price: *price,
        }),
        Event::CardStolen { thief, victim, card: stolen } => Wire::CardStolen(pb::CardStolen {
            thief: thief.0.into(),
            victim: victim.0.into(),
            card: Some(card(stolen)),
        }),
        Event::RoundBought { seat, wrecks, price } => Wire::RoundBought(pb::RoundBought {
            seat: seat.0.into(),
            wrecks: wrecks.iter().map(|wreck| (*wreck).into()).collect(),
            price: *price,
        }),
        Event::SecondWreckNamed { seat, wreck } => {
            Wire::SecondWreckNamed(pb::SecondWreckNamed { seat: seat.0.into(), wreck: (*wreck).into() })
        }
        Event::SecondWreckDeclined { seat } => {
            Wire::SecondWreckDeclined(pb::SecondWreckDeclined { seat: seat.0.into() })
        }
        Event::WreckSeen { seat, wreck, cards: seen } => {
            Wire::WreckSeen(pb::WreckSeen { seat: seat.0.into(), wreck: (*wreck).into(), cards: cards(seen) })
        }
        Event::DolphinsPaid { seat, amount } => {
            Wire::DolphinsPaid(pb::DolphinsPaid { seat: seat.0.into(), amount: *amount })
        }
        Event::EncounterDrawn { seat, encounter: drawn } => Wire::EncounterDrawn(pb::EncounterDrawn {
            seat: seat.0.into(),
            encounter: drawn.map_or(pb::Encounter::Unspecified, encounter).into(),
        }),
        Event::Bought { seat, item: bought, diver, price } => Wire::Bought(pb::Bought {
            seat: seat.0.into(),
            item: item(*bought).into(),
            diver: (*diver).into(),
            price: *price,
        }),
        Event::CardsSold { seat, way, cards: sold, ware: counted, unit_price, income } => {
            Wire::CardsSold(pb::CardsSold {
                seat: seat.0.into(),
                way: sale_way(*way).into(),
                cards: cards(sold),
                ware: counted.map(|counted| ware(counted).into()),
                unit_price: *unit_price,
                income: *income,
            })
        }
        Event::VisitEnded { seat, place: left } => {
            Wire::VisitEnded(pb::VisitEnded { seat: seat.0.into(), place: place(*left).into() })
        }
        Event::HalfDayEnded { half: part } => Wire::HalfDayEnded(pb::HalfDayEnded { half: half(*part).into() }),
        Event::GameEnded { fortunes, winners } => {
            Wire::GameEnded(pb::GameEnded { fortunes: fortunes.clone(), winners: seats_to_proto(*winners) })
        }
    };
    pb::Event { event: Some(event) }
}

fn draw_cause(cause: DrawCause) -> pb::DrawCause {
    match cause {
        DrawCause::Turn => pb::DrawCause::Turn,
        DrawCause::Replacement => pb::DrawCause::Replacement,
        DrawCause::Weight => pb::DrawCause::Weight,
        DrawCause::Volunteer => pb::DrawCause::Volunteer,
        DrawCause::Regular => pb::DrawCause::Regular,
        DrawCause::AttentiveDiver => pb::DrawCause::AttentiveDiver,
    }
}

fn sale_way(way: SaleWay) -> pb::SaleWay {
    match way {
        SaleWay::Market => pb::SaleWay::Market,
        SaleWay::HastyBuyer => pb::SaleWay::HastyBuyer,
        SaleWay::Trafficker => pb::SaleWay::Trafficker,
        SaleWay::Jeweller => pb::SaleWay::Jeweller,
    }
}

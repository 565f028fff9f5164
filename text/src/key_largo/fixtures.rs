//! Cards and tables for tests.

use divelog_proto::games::key_largo::v1::{
    BarPrices, Card, CardKind, Depth, DepthCards, Diver, DolphinsPay, Half, Phase, Place, Player, ShopPrices, Stock,
    Tables, View, Wreck, WreckCards,
};

/// A card face down.
pub fn back(depth: Depth) -> Card {
    Card { depth: depth.into(), ..Default::default() }
}

/// A card face up.
pub fn shown(depth: Depth, kind: CardKind, value: u32) -> Card {
    Card { kind: kind.into(), value: Some(value), ..back(depth) }
}

/// A card with its id.
pub fn with_id(card: Card, id: u32) -> Card {
    Card { id: Some(id), ..card }
}

/// The tables of the edition `reconstructed`.
pub fn tables() -> Tables {
    let depth = |monsters, diamonds: &[u32], gold: &[u32], wares: &[u32]| {
        Some(DepthCards {
            monsters,
            diamonds: diamonds.to_vec(),
            gold: gold.to_vec(),
            goods: wares.to_vec(),
            antiques: wares.to_vec(),
        })
    };
    Tables {
        wreck_cards: Some(WreckCards {
            shallow: depth(0, &[], &[1, 1, 1, 2, 2, 2], &[1, 1, 1, 2, 2, 2, 3]),
            medium: depth(5, &[100, 100], &[2, 2, 3, 3, 3, 4, 4], &[2, 2, 3, 3, 3, 4, 4, 5]),
            deep: depth(9, &[150, 200, 200, 250], &[4, 4, 5, 5, 6], &[4, 5, 5, 6, 6, 7]),
        }),
        bar: Some(BarPrices { diver: vec![80, 100, 120], pickpocket: vec![60, 70, 80] }),
        dolphins: Some(DolphinsPay { days: vec![40, 50, 60, 20, 20, 20, 20, 40, 50, 60] }),
        shop: Some(ShopPrices { hose: vec![20, 30, 40], trident: vec![30, 40, 60], weight: vec![20, 30, 40] }),
        unsold_unit: None,
    }
}

/// A wreck with some cards, face down.
pub fn wreck(number: u32, depth: Depth, cards: usize) -> Wreck {
    Wreck { wreck: number, depth: depth.into(), cards: vec![back(depth); cards], boat: None }
}

/// A player with one diver and the money of the set-up.
pub fn player(seat: u32) -> Player {
    Player { seat, cash: 100, divers: vec![Diver::default()], ..Default::default() }
}

/// The table of three players before their first programme.
pub fn first_day() -> View {
    let depths = [(Depth::Shallow, 3), (Depth::Medium, 4), (Depth::Deep, 4)];
    let depths = depths.into_iter().flat_map(|(depth, count)| std::iter::repeat_n(depth, count));
    let removed = [(Depth::Shallow, 5), (Depth::Medium, 10), (Depth::Deep, 10)];
    View {
        tables: Some(tables()),
        day: 1,
        half: Half::Morning.into(),
        phase: Phase::Program.into(),
        first_seat: 1,
        asked: vec![0, 1, 2],
        wrecks: (0u32..).zip(depths).map(|(number, depth)| wreck(number, depth, 5)).collect(),
        players: (0..3).map(player).collect(),
        reserve: Some(Stock { divers: 12, hoses: 20, tridents: 10, weights: 10 }),
        gone: Some(Stock::default()),
        removed: removed.into_iter().flat_map(|(depth, count)| vec![back(depth); count]).collect(),
        ..Default::default()
    }
}

/// The view once the places of a half-day are revealed.
pub fn revealed(places: [Place; 3], phase: Phase, turn: u32) -> View {
    let mut view = View { phase: phase.into(), turn: Some(turn), asked: vec![turn], ..first_day() };
    for (player, place) in view.players.iter_mut().zip(places) {
        player.programmed = true;
        player.morning = Some(place.into());
        player.place = Some(place.into());
    }
    view
}

//! Islands, their colours and halves, and sets of them.

use core::fmt;

/// The colours of islands and treasures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "a colour is its name")]
pub enum Colour {
    Red,
    Blue,
    Green,
    Purple,
}

impl Colour {
    /// All colours, in their order.
    pub const ALL: [Colour; 4] = [Colour::Red, Colour::Blue, Colour::Green, Colour::Purple];

    /// The other colour of the same action card.
    pub(super) fn partner(self) -> Colour {
        match self {
            Colour::Red => Colour::Blue,
            Colour::Blue => Colour::Red,
            Colour::Green => Colour::Purple,
            Colour::Purple => Colour::Green,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Colour::Red => "red",
            Colour::Blue => "blue",
            Colour::Green => "green",
            Colour::Purple => "purple",
        })
    }
}

/// A set of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ColourSet(u8);

impl ColourSet {
    /// No colour.
    pub const EMPTY: ColourSet = ColourSet(0);

    /// Whether a colour is in the set.
    pub fn contains(self, colour: Colour) -> bool {
        self.0 & (1 << colour as u8) != 0
    }

    /// The set as bits, red lowest.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The colours, in their order.
    pub fn iter(self) -> impl Iterator<Item = Colour> {
        Colour::ALL.into_iter().filter(move |colour| self.contains(*colour))
    }
}

impl FromIterator<Colour> for ColourSet {
    fn from_iter<I: IntoIterator<Item = Colour>>(colours: I) -> ColourSet {
        ColourSet(colours.into_iter().fold(0, |bits, colour| bits | 1 << colour as u8))
    }
}

/// The halves of an island card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    /// The sea half: the colour.
    Sea,
    /// The coast half: the number.
    Coast,
}

/// The highest number of an island, and the highest value of a played one (VI-7).
pub(super) const HIGHEST: u8 = 12;
/// VI-1: how many islands there are.
pub(super) const ISLANDS: usize = 48;

/// An island card. They are ordered by colour, then by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Island(u8);

impl Island {
    /// The island of this colour and number, if there is one (VI-1).
    pub fn new(colour: Colour, number: u8) -> Option<Island> {
        (1..=HIGHEST).contains(&number).then(|| Island(colour as u8 * HIGHEST + number - 1))
    }

    /// Its colour, on the sea half.
    pub fn colour(self) -> Colour {
        Colour::ALL[usize::from(self.0 / HIGHEST)]
    }

    /// Its number, on the coast half, 1 to 12.
    pub fn number(self) -> u8 {
        self.0 % HIGHEST + 1
    }

    /// Its place among all islands, from 0.
    pub fn index(self) -> u8 {
        self.0
    }

    /// All islands, ascending.
    pub(super) fn all() -> [Island; ISLANDS] {
        core::array::from_fn(|index| Island(index as u8))
    }

    /// Both halves.
    pub(super) fn whole(self) -> VeiledIsland {
        VeiledIsland { colour: Some(self.colour()), number: Some(self.number()) }
    }
}

impl fmt::Display for Island {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.colour(), self.number())
    }
}

impl fmt::Debug for Island {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// An island on the table as somebody sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VeiledIsland {
    /// Its colour, to those who see the sea half.
    pub colour: Option<Colour>,
    /// Its number, to those who see the coast half.
    pub number: Option<u8>,
}

impl VeiledIsland {
    /// What a sail leaves open (VI-7).
    pub(super) fn under_sail(self, open: Half) -> VeiledIsland {
        match open {
            Half::Sea => VeiledIsland { number: None, ..self },
            Half::Coast => VeiledIsland { colour: None, ..self },
        }
    }
}

/// A set of islands. It has no order of its own, so none can tell anything.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct IslandSet(u64);

impl IslandSet {
    /// No island.
    pub const EMPTY: IslandSet = IslandSet(0);

    /// How many islands are in the set.
    pub fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether no island is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether an island is in the set.
    pub fn contains(self, island: Island) -> bool {
        self.0 & (1 << island.0) != 0
    }

    /// The islands, ascending.
    pub fn iter(self) -> impl Iterator<Item = Island> + Clone {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let first = (left != 0).then(|| Island(left.trailing_zeros() as u8));
            left &= left.saturating_sub(1);
            first
        })
    }

    pub(super) fn insert(&mut self, island: Island) {
        self.0 |= 1 << island.0;
    }

    pub(super) fn remove(&mut self, island: Island) {
        self.0 &= !(1 << island.0);
    }

    /// The islands of one colour.
    pub(super) fn of_colour(self, colour: Colour) -> IslandSet {
        let of_one_colour = (1 << HIGHEST) - 1;
        IslandSet(self.0 & of_one_colour << (colour as u8 * HIGHEST))
    }

    /// The last in ascending order: of one colour, the highest.
    pub(super) fn last(self) -> Option<Island> {
        self.0.checked_ilog2().map(|index| Island(index as u8))
    }
}

impl FromIterator<Island> for IslandSet {
    fn from_iter<I: IntoIterator<Item = Island>>(islands: I) -> IslandSet {
        let mut set = IslandSet::EMPTY;
        islands.into_iter().for_each(|island| set.insert(island));
        set
    }
}

impl fmt::Debug for IslandSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

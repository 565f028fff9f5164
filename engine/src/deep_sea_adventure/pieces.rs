//! Chips, stacks and dice.

use arrayvec::ArrayVec;

use super::list::List;
use crate::{Canonical, Chance, Sink, shuffle};

/// How many chips there are (DSA-1), and so how many spaces and stacks at most.
pub(super) const CHIPS: usize = 32;
/// DSA-R3: how many chips a pile holds at most.
pub(super) const PILE: usize = 3;
/// The most that a stack's canonical bytes take.
const STACK_BYTES: usize = 1 + PILE;

/// A treasure chip. Its value, 0 to 15, also tells its level (DSA-1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Chip(u8);

impl Chip {
    /// The value on its face.
    pub fn value(self) -> u8 {
        self.0
    }

    /// The level on its back, 1 to 4.
    pub fn level(self) -> u8 {
        self.0 / 4 + 1
    }

    /// The chip of this value, if there is one.
    pub fn of_value(value: u8) -> Option<Chip> {
        (value < 16).then_some(Chip(value))
    }

    /// The chip turned up.
    pub fn face(self) -> Face {
        Face { level: self.level(), value: Some(self.0) }
    }
}

/// What lies on one space or is carried as one: up to three chips. No chip at all is a blank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stack {
    count: u8,
    chips: [Chip; PILE],
}

impl Stack {
    /// A space without chips.
    pub const BLANK: Stack = Stack { count: 0, chips: [Chip(0); PILE] };

    /// A stack of up to three chips.
    pub fn of(chips: &[Chip]) -> Stack {
        let mut stack = Stack::BLANK;
        stack.chips[..chips.len()].copy_from_slice(chips);
        stack.count = chips.len() as u8;
        stack
    }

    /// The chips, in order.
    pub fn chips(&self) -> &[Chip] {
        &self.chips[..usize::from(self.count)]
    }

    /// Its canonical bytes, and zeros behind them.
    fn padded(&self) -> [u8; STACK_BYTES] {
        let [first, second, third] = self.chips.map(Chip::value);
        [self.count, first, second, third]
    }

    /// Whether this is a blank.
    pub fn is_blank(&self) -> bool {
        self.count == 0
    }

    /// The chips turned up.
    pub fn faces(&self) -> FaceStack {
        self.chips().iter().map(|chip| chip.face()).collect()
    }
}

/// A chip as somebody sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Face {
    /// The level on its back.
    pub level: u8,
    /// The value on its face, to those who may see it (DSA-12).
    pub value: Option<u8>,
}

impl Face {
    /// The chip's back.
    #[must_use]
    pub fn hidden(self) -> Face {
        Face { value: None, ..self }
    }
}

/// A stack as somebody sees it.
pub type FaceStack = ArrayVec<Face, PILE>;

/// The two dice of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dice(pub [u8; 2]);

impl Dice {
    /// DSA-3: each die has the faces 1, 1, 2, 2, 3, 3.
    pub(super) fn roll(chance: &mut dyn Chance) -> Dice {
        let mut die = || chance.below(6) as u8 / 2 + 1;
        Dice([die(), die()])
    }

    /// What they show together.
    pub fn sum(self) -> u8 {
        self.0[0] + self.0[1]
    }
}

/// DSA-1, DSA-4: the chips of each level shuffled, level 1 first, a chip to a space.
pub(super) fn lay_path(chance: &mut dyn Chance) -> List<Stack, CHIPS> {
    let mut path = List::default();
    for level in 0..4u8 {
        // Two chips of each of the level's four values.
        let mut chips: [Chip; 8] = core::array::from_fn(|i| Chip(level * 4 + i as u8 / 2));
        shuffle(&mut chips, chance);
        chips.iter().for_each(|chip| path.push(Stack::of(&[*chip])));
    }
    path
}

impl Canonical for Chip {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.0);
    }
}

impl Canonical for Stack {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&self.padded()[..=usize::from(self.count)]);
    }
}

/// A list of stacks, put together first and written in one piece: this is most of every state.
pub(super) fn encode_stacks<S: Sink>(stacks: &[Stack], sink: &mut S) {
    sink.len(stacks.len());
    if stacks.is_empty() {
        return;
    }
    let mut bytes = [0; CHIPS * STACK_BYTES];
    let mut end = 0;
    for stack in stacks {
        // Always the same width, which is fast; what is too much is written over by the next.
        bytes[end..end + STACK_BYTES].copy_from_slice(&stack.padded());
        end += 1 + usize::from(stack.count);
    }
    sink.put(&bytes[..end]);
}

impl Canonical for Face {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.level);
        // Values end at 15, so 255 can say that there is none.
        sink.u8(self.value.unwrap_or(u8::MAX));
    }
}

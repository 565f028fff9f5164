//! The options: VI-R1 and VI-R2.

use alloc::{vec, vec::Vec};

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::{ActionCard, Options, State};
use super::table::fresh_with;
use crate::contract::Scripted;
use crate::{Game, SeatCount};

fn refused(options: &Options) -> (&'static str, &'static str) {
    let refusals = (3..=5).map(|count| {
        let seats = SeatCount::new(count).unwrap();
        let violation = State::setup(State::NEWEST_RULES, options, seats, &mut Scripted::new([])).unwrap_err();
        (violation.rule, violation.reason)
    });
    let refusals: Vec<_> = refusals.collect();
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0]), "the same for every number of seats");
    refusals[0]
}

fn values(values: &[u32]) -> Options {
    Options { treasure_values: Some(values.to_vec()), ..Options::default() }
}

#[test]
fn vi_r1_eight_values_from_0_to_99_with_a_2_a_3_and_a_4() {
    for (given, reason) in [
        (vec![], "TREASURE_VALUE_COUNT"),
        (vec![1, 2, 2, 3, 3, 4, 4], "TREASURE_VALUE_COUNT"),
        (vec![1, 2, 2, 3, 3, 4, 4, 5, 5], "TREASURE_VALUE_COUNT"),
        (vec![1, 2, 2, 3, 3, 4, 4, 100], "TREASURE_VALUE_RANGE"),
        (vec![1, 2, 2, 3, 3, 4, 4, u32::MAX], "TREASURE_VALUE_RANGE"),
        (vec![1, 1, 1, 3, 3, 4, 4, 5], "TREASURE_VALUE_MISSING"),
        (vec![1, 2, 2, 2, 2, 4, 4, 5], "TREASURE_VALUE_MISSING"),
        (vec![1, 2, 2, 3, 3, 3, 3, 5], "TREASURE_VALUE_MISSING"),
        (vec![0, 0, 0, 0, 0, 0, 0, 258], "TREASURE_VALUE_RANGE"),
    ] {
        assert_eq!(refused(&values(&given)), ("VI-R1", reason), "{given:?}");
    }
    for (given, ascending) in
        [([1, 2, 2, 3, 3, 4, 4, 5], [1, 2, 2, 3, 3, 4, 4, 5]), ([99, 4, 3, 2, 0, 0, 99, 7], [0, 0, 2, 3, 4, 7, 99, 99])]
    {
        for seats in 3..=5 {
            assert_eq!(fresh_with(&values(&given), seats, 0).next.treasure_values, ascending);
        }
    }
    assert_eq!(fresh_with(&Options::default(), 4, 0).next.treasure_values, [1, 2, 2, 3, 3, 4, 4, 5]);
}

#[test]
fn vi_r1_the_order_of_the_values_does_not_matter() {
    let one = fresh_with(&values(&[9, 8, 7, 6, 5, 4, 3, 2]), 5, 1);
    let other = fresh_with(&values(&[2, 3, 4, 5, 6, 7, 8, 9]), 5, 1);
    assert_eq!(one, other);
}

#[test]
fn vi_r2_any_two_different_actions() {
    let choices: Vec<Option<ActionCard>> = [A1, A2, A3, A4].into_iter().map(Some).chain([None]).collect();
    for red_blue_action in &choices {
        for green_purple_action in &choices {
            let (red_blue, green_purple) = (red_blue_action.unwrap_or(A1), green_purple_action.unwrap_or(A3));
            let options = Options {
                red_blue_action: *red_blue_action,
                green_purple_action: *green_purple_action,
                treasure_values: None,
            };
            if red_blue == green_purple {
                assert_eq!(refused(&options), ("VI-R2", "SAME_ACTION"), "{options:?}");
            } else {
                let state = fresh_with(&options, 3, 0).next;
                assert_eq!((state.red_blue_action, state.green_purple_action), (red_blue, green_purple));
            }
        }
    }
}

//! What heavy flows have beside light ones.

use super::super::pace::Pace;
use super::*;

const STEP: Duration = Duration::from_micros(50);

/// How much heavy flows get of so much time, if somebody who asks for little is served every so often.
fn heavy_part(time: Duration, light_every: Duration) -> Duration {
    let mut pace = Pace::new(1);
    let (mut now, mut next_light, mut used) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    while now < time {
        if now >= next_light {
            pace.light(now);
            next_light += light_every;
        }
        match pace.rest(now) {
            // Timers are late.
            Some(rest) => now += rest + Duration::from_micros(300),
            None => {
                pace.used(STEP);
                (now, used) = (now + STEP, used + STEP);
            }
        }
    }
    used
}

#[test]
fn heavy_flows_have_a_third_of_the_time_beside_light_ones() {
    let part = heavy_part(Duration::from_secs(10), Duration::from_millis(10)).as_millis();
    assert!((3_000..=3_450).contains(&part), "{part} ms of 10,000");
}

#[test]
fn heavy_flows_have_all_of_the_time_when_nobody_else_is_there() {
    let part = heavy_part(Duration::from_secs(10), Duration::from_secs(60)).as_millis();
    assert!((9_900..=10_000).contains(&part), "{part} ms of 10,000");
}

#[test]
fn a_task_that_took_long_is_waited_for() {
    let mut pace = Pace::new(1);
    pace.light(Duration::ZERO);
    assert_eq!(pace.rest(Duration::ZERO), None);
    // One of these is saved up, the others are owed.
    pace.used(Duration::from_millis(5));
    let rest = pace.rest(Duration::ZERO).expect("it has used more than it had");
    let paid = Duration::from_millis(12);
    assert!(rest > paid, "a rest lasts until something is saved up again: {rest:?}");
    assert!(pace.rest(paid - STEP).is_some(), "woken earlier it goes on resting while anything is owed");
    assert_eq!(pace.rest(rest), None);
}

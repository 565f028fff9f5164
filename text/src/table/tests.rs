//! Tables on wide and narrow screens.

use super::*;

const PLAIN: Screen = Screen::plain(24);
const WIDE: Screen = Screen::plain(usize::MAX);

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    let mut table = Table::new(["seat", "name"]);
    table.row(["0".into(), "Ana\u{1b}".into()]);
    table.row(["10000".into(), "-".into()]);
    assert_eq!(table.render(WIDE), "seat   name\n0      Ana\\u001b\n10000  -");
}

#[test]
fn pairs_leave_out_what_is_empty() {
    let text = pairs(&[("game", "x".into()), ("labels", String::new())], PLAIN);
    assert_eq!(text, "game    x");
}

#[test]
fn a_long_value_goes_on_in_its_column() {
    let items = [("players", "Ana (seat 0), Ben (seat 1)".to_owned()), ("hash", "ab".repeat(20))];
    let expected = format!("players  Ana (seat 0),\n         Ben (seat 1)\nhash     {}", "ab".repeat(20));
    assert_eq!(pairs(&items, PLAIN), expected);
    assert!(pairs(&items, WIDE).starts_with("players  Ana (seat 0), Ben (seat 1)\n"));
}

#[test]
fn paragraphs_hang_beside_their_names() {
    let items = [("DSA-1".to_owned(), "two dice with six faces each".to_owned())];
    assert_eq!(paragraphs(&items, Screen { width: 27, ..PLAIN }), "DSA-1  two dice with six\n       faces each");
}

#[test]
fn wide_and_combining_characters_stay_in_their_columns() {
    let mut table = Table::new(["name", "points"]);
    for name in ["山田花子", "👩\u{200d}👩\u{200d}👧", "Zoe\u{308}"] {
        table.row([name.into(), "7".into()]);
    }
    let expected = "name      points\n山田花子  7\n👩\u{200d}👩\u{200d}👧        7\nZoe\u{308}       7";
    assert_eq!(table.render(WIDE), expected);
    let items = [("山田".to_owned(), "dives".to_owned()), ("Ana".to_owned(), "waits".to_owned())];
    assert_eq!(paragraphs(&items, PLAIN), "山田  dives\nAna   waits");
}

/// A table with everything that can happen to a column.
fn refusals() -> Table {
    let header = ["no", "action", "rule", "request id", "caller", "message"];
    let mut table = Table::new(header).wrapping(&["action"]).optional(&["caller", "request id"]).below("message");
    let row =
        ["1", "place anchor-7 and chest-9", "CC-12", "a-long-request-id", "127.0.0.1:4711", "the map does not show it"];
    table.row(row.map(str::to_owned));
    table.row(["2", "draw", "CC-13", "-", "-", ""].map(str::to_owned));
    table
}

#[test]
fn what_fits_is_shown_whole() {
    let text = refusals().render(WIDE);
    assert_eq!(text.lines().count(), 3, "each row is a line: {text}");
    assert!(text.lines().next().unwrap().ends_with("message") && refusals().left_out(WIDE).is_empty());
}

#[test]
fn a_narrow_screen_moves_leaves_out_and_wraps() {
    let screen = |width| Screen::plain(width);
    let at_60 = "\
no  action                      rule   request id
1   place anchor-7 and chest-9  CC-12  a-long-request-id
    the map does not show it
2   draw                        CC-13  -";
    assert_eq!(refusals().render(screen(60)), at_60);
    assert_eq!(refusals().left_out(screen(60)), ["caller"]);
    let at_25 = "\
no  action          rule
1   place anchor-7  CC-12
    and chest-9
    the map does not show
    it
2   draw            CC-13";
    assert_eq!(refusals().render(screen(25)), at_25);
    assert_eq!(refusals().left_out(screen(25)), ["request id", "caller"]);
}

#[test]
fn no_line_is_wider_than_the_screen_if_its_columns_allow_it() {
    let mut table = Table::new(["seat", "name", "load"]).wrapping(&["name", "load"]);
    for name in [
        "山田花子 山田花子 山田花子",
        "👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧",
        "Maximilian-Ferdinand-Hieronymus",
    ] {
        table.row(["#0".into(), name.into(), "[0] 1 [1] 2+2 [2] 3 [3] 4".into()]);
    }
    for width in [32, 40, 60, 80] {
        let text = table.render(Screen::plain(width));
        assert!(text.lines().all(|line| strings::width(line) <= width), "{width}: {text}");
        let column = strings::width(text.lines().next().unwrap().split("load").next().unwrap());
        for line in text.lines().filter(|line| line.contains("[0]")) {
            assert_eq!(strings::width(line.split("[0]").next().unwrap()), column, "{width}: {text}");
        }
    }
}

//! Every game, with options, played to their end by typing: what `game legal` prints is what `game act` takes.

use divelog_engine::Kind;

use super::*;

/// The games that are played: kind, flags of `game create`, and a seed of what is typed.
const GAMES: [(&str, &str, u64); 7] = [
    ("captain_carcass", "--players 2", 3),
    ("captain_carcass", "--players 4 --option dealt={} --option variant=strange-lands", 4),
    ("key_largo", "--players 3 --option encounters=true --option unsold_unit=35", 5),
    ("key_largo", "--players 4 --rules-version 1", 9),
    ("key_largo", r#"--players 3 --option encounters=yes --option dolphins={"days":[9,9,9,9,9,9,9,9,9,9]}"#, 6),
    ("veiled_isles", "--players 3", 7),
    ("veiled_isles", "--players 4 --option red_blue_action=a2 --option green_purple_action=A4", 8),
];

/// Somebody at a terminal.
pub struct CliPlayer<'a> {
    pub server: &'a Server,
    pub kind: &'static str,
    pub game: String,
    pub choices: Choices,
}

impl CliPlayer<'_> {
    fn any<'v>(&mut self, values: &'v Value) -> &'v Value {
        self.choices.pick(values.as_array().unwrap())
    }

    /// Some of these, at least one and at most `most`, as words.
    fn some(&mut self, values: &Value, most: usize) -> String {
        let values = values.as_array().unwrap();
        let (first, count) = (self.choices.below(values.len()), self.choices.below(most.min(values.len())) + 1);
        let chosen = values.iter().cycle().skip(first).take(count).map(Value::to_string);
        chosen.collect::<Vec<_>>().join(" ")
    }

    /// Types one action for somebody who is asked; says whether anybody was.
    pub fn step(&mut self) -> bool {
        let shown = json(self.server, &format!("game show {}", self.game));
        let to_act = shown["game"]["to_act"].as_array().unwrap();
        if to_act.is_empty() {
            return false;
        }
        let seat = self.choices.pick(to_act);
        let list = format!("game legal {} --seat {seat}", self.game);
        let (lines, entries) = (ok(self.server, &list), jsonl(self.server, &list));
        let lines: Vec<&str> = lines.lines().skip(1).collect();
        assert_eq!(lines.len(), entries.len(), "a line for each entry");
        let chosen = self.choices.below(entries.len());
        let entry = &entries[chosen][self.kind];
        // One action is typed as it is printed; of a family one is picked.
        let words =
            if entry.get("action").is_some() { lines[chosen].to_owned() } else { self.pick(entry, &seat.to_string()) };
        let output = ok(self.server, &format!("game act {} --seat {seat} {words}", self.game));
        assert!(output.contains(&format!("Revision {};", shown["game"]["revision"].as_u64().unwrap() + 1)), "{output}");
        assert!(!output.contains("unknown to this client"), "{output}");
        true
    }

    /// An action of a family, in words.
    fn pick(&mut self, family: &Value, seat: &str) -> String {
        let (name, family) = family.as_object().unwrap().iter().next().unwrap();
        match name.as_str() {
            "place_any_from_map" => format!("place {}", card(self.any(&family["cards"]), "suit", "value")),
            "play_family" => {
                let half = ["sea", "coast"][self.choices.below(2)];
                let bonus = self.choices.below(family["max_bonus"].as_u64().unwrap() as usize + 1);
                format!("play {} {half} {bonus}", card(&family["island"], "colour", "number"))
            }
            "give_back_family" => {
                let islands = family["islands"].as_array().unwrap().iter();
                let count = family["count"].as_u64().unwrap() as usize;
                let words: Vec<String> = islands.take(count).map(|island| card(island, "colour", "number")).collect();
                format!("give {}", words.join(" "))
            }
            "buy_round" => {
                let wrecks = family["wrecks"].as_array().unwrap();
                let first = self.choices.below(wrecks.len());
                format!("round {} {}", wrecks[first], wrecks[(first + 1) % wrecks.len()])
            }
            "sell" => {
                let required = family.get("required").map(|card| format!("{card} ")).unwrap_or_default();
                let others = family["cards"].as_array().unwrap();
                let others = if others.is_empty() { String::new() } else { self.some(&family["cards"], 80) };
                format!("sell {required}{others}")
            }
            "dupe" => {
                let card = self.any(&family["treasures"]).clone();
                let shown = json(self.server, &format!("game show {} --as seat:{seat}", self.game));
                let hand = shown["view"]["key_largo"]["players"][seat.parse::<usize>().unwrap()]["hand"].clone();
                let own = hand.as_array().unwrap().iter().find(|held| held["id"] == card).unwrap()["kind"].clone();
                let ware = if own == "CARD_KIND_GOLD" { "goods" } else { "gold" };
                format!("play dupe {card} {ware}")
            }
            "trafficker" => {
                let most = family["most"].as_u64().unwrap() as usize;
                format!("play trafficker {}", self.some(&family["treasures"], most))
            }
            "jeweller" => format!("play jeweller {}", self.any(&family["diamonds"])),
            other => panic!("a family that this test does not know: {other}"),
        }
    }
}

/// `anchor-7` of `{"suit": "SUIT_ANCHOR", "value": 7}`.
fn card(card: &Value, name: &str, number: &str) -> String {
    let name = card[name].as_str().unwrap().split_once('_').unwrap().1.to_lowercase();
    format!("{name}-{}", card[number])
}

#[test]
fn every_game_is_played_by_typing() {
    // Other tests type all of Deep Sea Adventure.
    for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::DeepSeaAdventure) {
        assert!(GAMES.iter().any(|(name, ..)| *name == kind.code_name()), "{} is not played", kind.title());
    }
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    for (kind, flags, seed) in GAMES {
        let game = ok(&server, &format!("game create {kind} {flags} -q")).trim_end().to_owned();
        let mut player = CliPlayer { server: &server, kind, game: game.clone(), choices: Choices::new(seed, 0) };
        let mut actions = 0;
        while player.step() {
            actions += 1;
        }
        assert!(actions > 10, "{kind}: {actions}");
        let board = ok(&server, &format!("game show {game} --lang fr"));
        for text in ["status      finished", "outcome     1. ", "The game is over", "\nWinner", "\n  1. "] {
            assert!(board.contains(text), "{text}: {board}");
        }
        for viewer in ["seat:0", "spectator", "auditor"] {
            let text = ok(&server, &format!("replay {game} --as {viewer}"));
            assert!(!text.contains("unknown to this client"), "{text}");
        }
        check_trace(&server, &game, actions);
        assert!(ok(&server, &format!("log verify {game}")).starts_with("VERIFIED\n"));
    }
    server.stop();
}

/// The auditor's trace holds what docs/trace-format.md promises.
fn check_trace(server: &Server, game: &str, actions: usize) {
    let steps = jsonl(server, &format!("replay {game} --as auditor --legal --views"));
    assert_eq!(steps.len(), actions + 1);
    let seats = steps[0]["setup"]["seat_count"].as_u64().unwrap() as usize;
    assert!(steps[0]["setup"]["options"].is_object());
    for (before, step) in steps.iter().zip(&steps[1..]) {
        assert!(step.get("setup").is_none() && step["action"].is_object());
        let asked: Vec<&Value> = step["legal_before"].as_array().unwrap().iter().map(|legal| &legal["seat"]).collect();
        assert_eq!(asked, before["to_act"].as_array().unwrap().iter().collect::<Vec<_>>());
        assert_eq!(step["seen_by"].as_array().unwrap().len(), seats + 1);
    }
    assert_eq!(steps.last().unwrap()["outcome"]["standings"].as_array().unwrap().len(), seats);
}

/// KL-18, KL-R1: a game takes the words and options of its own rules version, and says so of others.
#[test]
fn words_and_options_of_another_rules_version_are_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let refused = |line: &str| {
        let answer = run(&server, line);
        assert_eq!(answer.code, 1, "{line}: {answer:?}");
        answer.stderr
    };
    let create = "game create key_largo --players 3 -q";
    let stderr = refused(&format!("{create} --rules-version 1 --option unsold_unit=20"));
    assert!(stderr.contains("KL-R1") && stderr.contains("leave unsold_unit out"), "{stderr}");
    let new_game = |flags: &str| ok(&server, &format!("{create} {flags}")).trim_end().to_owned();
    let (old, new) = (new_game("--rules-version 1"), new_game("--option unsold_unit=35"));
    let figure =
        |game: &str| json(&server, &format!("game show {game}"))["view"]["key_largo"]["tables"]["unsold_unit"].clone();
    assert_eq!((figure(&old), figure(&new)), (Value::Null, Value::from(35)));
    // What a game cannot take at all comes before what it takes at another moment.
    for (game, words, text) in [
        (&new, "round 3 7", "by rules version 2 a round is bought with one wreck"),
        (&new, "round 3", "the places of the day are chosen now"),
        (&new, "second 7", "the places of the day are chosen now"),
        (&old, "round 3", "the places of the day are chosen now"),
        (&old, "round 3 7", "the places of the day are chosen now"),
        (&old, "second 7", "by rules version 1 a round names all its wrecks at once"),
        (&old, "no-second", "by rules version 1 a round names all its wrecks at once"),
    ] {
        let stderr = refused(&format!("game act {game} --seat 0 {words}"));
        assert!(stderr.contains(text), "{words}: {stderr}");
    }
    server.stop();
}

"""Whole games, by unary calls and on the stream, watched, replayed, and checked from the log."""

import queue
import threading

import check_log
from divelog.v1 import audit_service_pb2 as audit
from divelog.v1 import game_pb2 as pb
from divelog.v1 import game_service_pb2 as games


def watch_to_the_end(table, game_id, into):
    """Follows a game from its first record to its end."""
    for message in table.games.WatchGame(games.WatchGameRequest(game_id=game_id, after_revision=0)):
        into.append(message)


def play_on_stream(table, created):
    """Plays several games on one stream, each as fast as its answers come."""
    requests = queue.Queue()
    tags, answers = {}, {game.game_id: [] for game in created}

    def submit(game_id, to_act):
        tag = len(tags)
        request = table.choose(game_id, to_act, request_id=f"stream-{tag}")
        tags[tag] = game_id
        requests.put(games.SubmitActionsRequest(tag=tag, action=request))

    for game in created:
        submit(game.game_id, game.to_act)
    running = len(created)
    for answer in table.games.SubmitActions(iter(requests.get, None)):
        assert answer.WhichOneof("result") == "done", answer
        game_id = tags[answer.tag]
        answers[game_id].append(answer.done)
        if answer.done.to_act:
            submit(game_id, answer.done.to_act)
        else:
            running -= 1
        if running == 0:
            requests.put(None)
    return answers


def check_game(table, game, answers, watched):
    """Everything that can be asked of a finished game agrees."""
    now = table.get(game.game_id)
    assert now.game.status == pb.GAME_STATUS_FINISHED and not now.game.to_act
    assert now.game.revision == len(answers) + 1
    points = [explorer.points for explorer in now.view.deep_sea_adventure.explorers]
    assert [standing.points for standing in now.game.outcome.standings] == points
    assert all(points[winner] == max(points) for winner in now.game.outcome.winners)

    header, stored = table.log(game.game_id)
    assert header.secret == now.game.revealed_secret and len(header.secret) == 32
    records, keys = check_log.check(header, stored, now.game)
    assert [answer.record_hash for answer in answers] == [entry.hash for entry in stored[1:]]

    assert [message.WhichOneof("message") for message in watched] == ["update"] * len(stored) + ["end"]
    assert watched[-1].end.cause == games.WatchEnd.CAUSE_GAME_OVER
    updates = [message.update for message in watched[:-1]]
    assert [update.record_hash for update in updates] == [entry.hash for entry in stored]
    # All seats see the same in this game, so a spectator's events are those that the acting seats got.
    assert [update.events for update in updates[1:]] == [answer.events for answer in answers]

    auditor = pb.Viewer(role=pb.Viewer.ROLE_AUDITOR)
    steps = list(table.audit.ReplayGame(audit.ReplayGameRequest(game_id=game.game_id, viewer=auditor)))
    for record, step in zip(records[1:], steps[1:], strict=True):
        assert step.action == record.move.action and step.seat == record.move.seat
    rolls = check_log.check_luck(records, keys, steps)
    verdict = table.audit.VerifyGame(audit.VerifyGameRequest(game_id=game.game_id))
    assert verdict.verified and verdict.outcome == now.game.outcome
    return rolls


def check_games(table):
    """Games of 2 to 6 players, twice: by unary calls, and all on one stream."""
    actions = rolls = 0
    for way in ("unary", "stream"):
        created = [table.create(seats) for seats in range(2, 7)]
        watched = {game.game_id: [] for game in created}
        watchers = [
            threading.Thread(target=watch_to_the_end, args=(table, game_id, into)) for game_id, into in watched.items()
        ]
        for watcher in watchers:
            watcher.start()
        if way == "unary":
            answers = {game.game_id: table.play(game) for game in created}
        else:
            answers = play_on_stream(table, created)
        for watcher in watchers:
            watcher.join()
        for game in created:
            rolls += check_game(table, game, answers[game.game_id], watched[game.game_id])
            actions += len(answers[game.game_id])
    print(f"10 games, {actions} actions, {rolls} rolls foreseen from the secret")


def check_changes_are_found(table):
    """The checker itself: whatever is changed in a log, it says so."""
    game = table.create(2)
    table.play(game)
    now = table.get(game.game_id).game
    header, original = table.log(game.game_id)
    check_log.check(header, original, now)
    for place in range(200):
        stored = list(original)
        entry = audit.StoredRecord()
        entry.CopyFrom(stored[place % len(stored)])
        stored[place % len(stored)] = entry
        data = bytearray(entry.record)
        data[table.luck.randrange(len(data))] ^= 1 << table.luck.randrange(8)
        entry.record = bytes(data)
        # The most careful forger also repairs the hash beside the record.
        entry.hash = check_log.sha256(entry.record)
        try:
            check_log.check(header, stored, now)
        except Exception:  # A record may not even be readable any more.
            continue
        raise AssertionError(f"a change in record {place % len(stored)} was not found")

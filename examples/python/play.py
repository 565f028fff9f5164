"""A backend in small: it creates a game, plays it for all seats, and shows a spectator what happens, while the server may be
restarted under it at any moment. examples/README.md says how to run it.

Usage: play.py [ADDRESS]
"""

import sys
import threading
import time
import uuid

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from divelog.games.deep_sea_adventure.v1 import deep_sea_adventure_pb2 as dsa
from divelog.v1 import game_pb2 as pb
from divelog.v1 import game_service_pb2 as games
from divelog.v1 import game_service_pb2_grpc as games_grpc

# How long one call may take, and how long to wait before it is made again.
TIMEOUT_SECONDS = 10
PAUSE_SECONDS = 0.5
# How often a watch without news says that it is alive. A connection without any sign of life is given up by gRPC.
HEARTBEAT_SECONDS = 5
KEEPALIVE = [("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000)]

# What may be over in a moment. Every other code needs somebody who decides.
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)


def main():
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7646"
    server = games_grpc.GameServiceStub(grpc.insecure_channel(address, options=KEEPALIVE))

    game = create(server)
    print(f"game {game.game_id}", flush=True)
    # One thread acts and the other one watches, as two programs would. As a daemon it cannot keep a failed program alive.
    watcher = threading.Thread(target=follow, args=(server, game.game_id), daemon=True)
    watcher.start()
    game = play(server, game.game_id)
    watcher.join()

    for player, standing in zip(game.players, game.outcome.standings, strict=True):
        print(f"{player}: {standing.points} points, rank {standing.rank}")


def create(server):
    """Creates a game for two. If the answer is lost, the same request id finds the game that the first attempt has made."""
    request = games.CreateGameRequest(
        options=pb.GameOptions(deep_sea_adventure=dsa.Options()),
        players=[games.NewPlayer(name="ada"), games.NewPlayer(name="grace")],
        request_id=str(uuid.uuid4()),
    )
    return until_answered(server.CreateGame, request).game


def play(server, game_id):
    """Plays until nobody is asked to act any more; gives the game as it is then."""
    while True:
        game = until_answered(server.GetGame, games.GetGameRequest(game_id=game_id)).game
        if not game.to_act:
            return game

        seat = game.to_act[0]
        request = games.ListLegalActionsRequest(game_id=game_id, seat=seat)
        legal = until_answered(server.ListLegalActions, request)
        request = games.SubmitActionRequest(
            game_id=game_id,
            seat=seat,
            action=choose(legal.legal_actions),
            # Only if nobody has acted since we looked.
            expected_revision=legal.revision,
            # One id for one decision: however often it is sent, it is done once.
            request_id=str(uuid.uuid4()),
        )
        try:
            until_answered(server.SubmitAction, request)
        except grpc.RpcError as error:
            # Somebody has acted: look again, and decide again.
            if reason(error) != "STALE_REVISION":
                raise


def choose(legal_actions):
    """Picks up whatever there is and goes home with it; otherwise the first action that is legal."""
    actions = [legal.deep_sea_adventure.action for legal in legal_actions]
    wanted = (action for action in actions if action.HasField("pick_up") or action.dive.turn_back)
    return pb.GameAction(deep_sea_adventure=next(wanted, actions[0]))


def follow(server, game_id):
    """Shows every record of a game once and in order, from the first to the last, however often the connection breaks."""
    # A program that may be restarted itself stores this number with what it has made of the records.
    seen = 0
    while True:
        # A spectator. A player's watch names the seat: everybody gets what they may see, and nothing else.
        request = games.WatchGameRequest(
            game_id=game_id, after_revision=seen, heartbeat_seconds=HEARTBEAT_SECONDS
        )
        try:
            for message in server.WatchGame(request):
                if message.HasField("update"):
                    update = message.update
                    who = f"seat {update.seat}" if update.HasField("seat") else "the table"
                    print(f"revision {update.revision}: {who}, {len(update.events)} events", flush=True)
                    seen = update.revision
                elif message.HasField("end") and message.end.cause == games.WatchEnd.CAUSE_GAME_OVER:
                    return
            print(f"the server stops: the watch goes on after revision {seen}", file=sys.stderr)
        except grpc.RpcError as error:
            if error.code() not in PASSING:
                raise
            print(f"{error.details()}: the watch goes on after revision {seen}", file=sys.stderr)
        time.sleep(PAUSE_SECONDS)


def until_answered(call, request):
    """Makes a call until the server has answered it, because only an answer says what became of it. The request and its id
    stay the same. A backend with other work to do would try again later, and not at once."""
    while True:
        try:
            return call(request, timeout=TIMEOUT_SECONDS)
        except grpc.RpcError as error:
            if error.code() not in PASSING:
                raise
            print(f"{error.details()}: asked again", file=sys.stderr)
        time.sleep(PAUSE_SECONDS)


def reason(error):
    """The stable reason of a refusal (docs/errors.md), for programs; the sentence beside it is for people."""
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    if status and any(detail.Unpack(info) for detail in status.details):
        return info.reason
    return None


if __name__ == "__main__":
    main()

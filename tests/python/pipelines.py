"""Streams of actions that are sent as fast as Python can, on one connection: the server slows them down and answers all.

Usage: pipelines.py ADDRESS GENERATED_CODE GAME
"""

import sys
import threading

sys.path[:0] = [sys.argv[2]]

import grpc  # noqa: E402
from divelog.games.deep_sea_adventure.v1 import deep_sea_adventure_pb2 as dsa  # noqa: E402
from divelog.v1 import game_pb2 as pb  # noqa: E402
from divelog.v1 import game_service_pb2 as games  # noqa: E402
from divelog.v1 import game_service_pb2_grpc  # noqa: E402

STREAMS = 6
MESSAGES = 10_000


def play(stub, game_id, ends, index):
    """Counts the answers of one stream, and says how it ended."""
    action = pb.GameAction(deep_sea_adventure=dsa.Action(dive=dsa.Dive()))
    request = games.SubmitActionRequest(game_id=game_id, action=action)
    answered = set()
    try:
        # Almost all are refused: the game goes on once at most.
        requests = (games.SubmitActionsRequest(tag=tag, action=request) for tag in range(MESSAGES))
        answered.update(answer.tag for answer in stub.SubmitActions(requests))
        ends[index] = (len(answered), "OK")
    except grpc.RpcError as error:
        ends[index] = (len(answered), str(error))


def main():
    ends = [None] * STREAMS
    with grpc.insecure_channel(sys.argv[1]) as channel:
        stub = game_service_pb2_grpc.GameServiceStub(channel)
        threads = [threading.Thread(target=play, args=(stub, sys.argv[3], ends, at)) for at in range(STREAMS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for end in ends:
        print(end)
    assert ends == [(MESSAGES, "OK")] * STREAMS, ends


main()

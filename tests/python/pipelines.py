"""Streams of actions that are sent as fast as Python can, on one connection: the server slows them down and answers all.

The server is stopped for a moment in the middle, until more is on its way than it could ever hold of small messages: a busy
machine does the same to it.

Usage: pipelines.py ADDRESS GENERATED_CODE GAME SERVER_PID
"""

import os
import signal
import sys
import threading
import time

sys.path[:0] = [sys.argv[2]]

import grpc  # noqa: E402
from divelog.games.deep_sea_adventure.v1 import deep_sea_adventure_pb2 as dsa  # noqa: E402
from divelog.v1 import game_pb2 as pb  # noqa: E402
from divelog.v1 import game_service_pb2 as games  # noqa: E402
from divelog.v1 import game_service_pb2_grpc  # noqa: E402

STREAMS = 6
MESSAGES = 10_000
ON_THEIR_WAY = 4_000
PATIENCE = 60


class Stream:
    def __init__(self, stub, game_id):
        self.sent, self.answered, self.end = 0, set(), None
        action = pb.GameAction(deep_sea_adventure=dsa.Action(dive=dsa.Dive()))
        # Almost all are refused: the game goes on once at most.
        self.action = games.SubmitActionRequest(game_id=game_id, action=action)
        self.thread = threading.Thread(target=self.play, args=(stub,))
        self.thread.start()

    def requests(self):
        for tag in range(MESSAGES):
            self.sent += 1
            yield games.SubmitActionsRequest(tag=tag, action=self.action)

    def play(self, stub):
        try:
            for answer in stub.SubmitActions(self.requests()):
                self.answered.add(answer.tag)
            self.end = "OK"
        except grpc.RpcError as error:
            self.end = str(error)


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def main():
    server = int(sys.argv[4])
    with grpc.insecure_channel(sys.argv[1]) as channel:
        stub = game_service_pb2_grpc.GameServiceStub(channel)
        streams = [Stream(stub, sys.argv[3]) for _ in range(STREAMS)]
        wait_for(lambda: all(stream.answered for stream in streams))
        os.kill(server, signal.SIGSTOP)
        try:
            wait_for(lambda: sum(stream.sent - len(stream.answered) for stream in streams) >= ON_THEIR_WAY)
        finally:
            os.kill(server, signal.SIGCONT)
        for stream in streams:
            stream.thread.join()
    ends = [(len(stream.answered), stream.end) for stream in streams]
    assert ends == [(MESSAGES, "OK")] * STREAMS, ends


main()

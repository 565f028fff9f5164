"""What every check needs: a connection, new games, and a player of legal actions."""

import random

import grpc
from divelog.games.deep_sea_adventure.v1 import deep_sea_adventure_pb2 as dsa
from divelog.v1 import audit_service_pb2 as audit
from divelog.v1 import audit_service_pb2_grpc as audit_grpc
from divelog.v1 import game_pb2 as pb
from divelog.v1 import game_service_pb2 as games
from divelog.v1 import game_service_pb2_grpc as games_grpc


class Table:
    """A connection to a server, and luck for choices."""

    def __init__(self, address, seed):
        self.channel = grpc.insecure_channel(address)
        self.games = games_grpc.GameServiceStub(self.channel)
        self.audit = audit_grpc.AuditServiceStub(self.channel)
        self.luck = random.Random(seed)

    def create(self, seats, **more):
        """A new game; each seat adds to the seed."""
        options = pb.GameOptions(deep_sea_adventure=dsa.Options())
        players = [games.NewPlayer(name=f"p{seat}", entropy=self.luck.randbytes(seat * 10)) for seat in range(seats)]
        return self.games.CreateGame(games.CreateGameRequest(options=options, players=players, **more)).game

    def get(self, game_id, viewer=None):
        """A game and its table."""
        return self.games.GetGame(games.GetGameRequest(game_id=game_id, viewer=viewer))

    def choose(self, game_id, to_act, **more):
        """A request for some legal action."""
        seat = to_act[0]
        request = games.ListLegalActionsRequest(game_id=game_id, seat=seat)
        legal = self.games.ListLegalActions(request).legal_actions
        chosen = self.luck.choice(legal).deep_sea_adventure.action
        action = pb.GameAction(deep_sea_adventure=chosen)
        return games.SubmitActionRequest(game_id=game_id, seat=seat, action=action, **more)

    def play(self, game):
        """Plays a game to its end by unary calls, and returns all answers."""
        answers, to_act, revision = [], list(game.to_act), game.revision
        while to_act:
            answer = self.games.SubmitAction(self.choose(game.game_id, to_act, expected_revision=revision))
            assert answer.revision == revision + 1, answer
            to_act, revision = list(answer.to_act), answer.revision
            answers.append(answer)
        assert answers[-1].status == pb.GAME_STATUS_FINISHED
        return answers

    def log(self, game_id, include_secret=False):
        """A log: its header and its records."""
        messages = list(self.audit.ReadLog(audit.ReadLogRequest(game_id=game_id, include_secret=include_secret)))
        assert messages[0].WhichOneof("message") == "header"
        return messages[0].header, [message.record for message in messages[1:]]


def dive(turn_back=False):
    """The action that begins every turn."""
    return pb.GameAction(deep_sea_adventure=dsa.Action(dive=dsa.Dive(turn_back=turn_back)))


def refused(call, request):
    """The error of a call that must fail."""
    try:
        call(request)
    except grpc.RpcError as error:
        return error
    raise AssertionError(f"this was not refused: {request}")

"""What every check needs: a connection, new games, and a player of legal actions."""

import random

import choices
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

    def create(self, seats, options=None, **more):
        """A new game; each seat adds to the seed."""
        options = options or pb.GameOptions(deep_sea_adventure=dsa.Options())
        players = [games.NewPlayer(name=f"p{seat}", entropy=self.luck.randbytes(seat * 10)) for seat in range(seats)]
        return self.games.CreateGame(games.CreateGameRequest(options=options, players=players, **more)).game

    def get(self, game_id, viewer=None):
        """A game and its table."""
        return self.games.GetGame(games.GetGameRequest(game_id=game_id, viewer=viewer))

    def choose(self, game_id, to_act, **more):
        """A request for some legal action of some seat that is asked."""
        seat = self.luck.choice(to_act)
        request = games.ListLegalActionsRequest(game_id=game_id, seat=seat)
        legal = self.games.ListLegalActions(request).legal_actions
        viewer = pb.Viewer(role=pb.Viewer.ROLE_SEAT, seat=seat)
        entry = self.luck.choice(legal)
        # Only Key Largo has an entry that needs a look at the table.
        view = self.get(game_id, viewer).view if entry.HasField("key_largo") else None
        action = choices.pick(entry, self.luck, view)
        return games.SubmitActionRequest(game_id=game_id, seat=seat, action=action, **more)

    def views(self, game_id, seats):
        """What every seat and a spectator see now."""
        viewers = [pb.Viewer(role=pb.Viewer.ROLE_SEAT, seat=seat) for seat in range(seats)]
        return [self.get(game_id, viewer).view for viewer in [*viewers, None]]

    def play(self, game, look=lambda revision: None):
        """Plays a game to its end by unary calls, and returns all answers; looks now and then."""
        answers, to_act, revision = [], list(game.to_act), game.revision
        while to_act:
            answer = self.games.SubmitAction(self.choose(game.game_id, to_act, expected_revision=revision))
            assert answer.revision == revision + 1, answer
            to_act, revision = list(answer.to_act), answer.revision
            answers.append(answer)
            if revision % 7 == 0 or not to_act:
                look(revision)
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

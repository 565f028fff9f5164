"""Errors as a stranger's program reads them: google.rpc.ErrorInfo and divelog.v1.Refusal out of the status."""

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from divelog.v1 import audit_service_pb2 as audit
from divelog.v1 import game_pb2 as pb
from divelog.v1 import game_service_pb2 as games
from table import dive, refused


def details(error):
    """ErrorInfo and, if there is one, the Refusal of an error."""
    status = rpc_status.from_call(error)
    assert status is not None, "the error carries no google.rpc.Status"
    assert status.code == error.code().value[0] and status.message == error.details()
    info, refusal = error_details_pb2.ErrorInfo(), None
    assert any(detail.Unpack(info) for detail in status.details), "no ErrorInfo"
    assert info.domain == "divelog"
    for detail in status.details:
        if detail.Is(pb.Refusal.DESCRIPTOR):
            refusal = pb.Refusal()
            detail.Unpack(refusal)
    return info, refusal


def check_refusals(table):
    game = table.create(3)
    seat = game.to_act[0]
    request = games.SubmitActionRequest(game_id=game.game_id, seat=seat, action=dive(turn_back=True))
    error = refused(table.games.SubmitAction, request)
    info, refusal = details(error)
    assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert info.reason == refusal.reason == "FIRST_TURN"
    assert info.metadata["rule"] == refusal.rule == "DSA-7"
    assert info.metadata["revision"] == "1" and refusal.revision == 1
    assert [legal.deep_sea_adventure.action for legal in refusal.legal_actions] == [dive().deep_sea_adventure]
    # What a refusal offers can be submitted as it is.
    offered = pb.GameAction(deep_sea_adventure=refusal.legal_actions[0].deep_sea_adventure.action)
    request = games.SubmitActionRequest(game_id=game.game_id, seat=seat, action=offered)
    assert table.games.SubmitAction(request).revision == 2

    other = games.SubmitActionRequest(game_id=game.game_id, seat=(seat + 1) % 3, action=dive())
    error = refused(table.games.SubmitAction, other)
    info, refusal = details(error)
    assert (info.reason, refusal.rule, list(refusal.to_act)) == ("NOT_ASKED", "TURN", [seat])
    empty = games.SubmitActionRequest(game_id=game.game_id, seat=seat)
    error = refused(table.games.SubmitAction, empty)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert details(error)[0].reason == "MALFORMED_ACTION"


def check_other_errors(table):
    game = table.create(2)
    seat = game.to_act[0]
    stale = games.SubmitActionRequest(game_id=game.game_id, seat=seat, action=dive(), expected_revision=7)
    error = refused(table.games.SubmitAction, stale)
    info, refusal = details(error)
    assert error.code() == grpc.StatusCode.ABORTED
    assert (info.reason, info.metadata["revision"], refusal.revision) == ("STALE_REVISION", "1", 1)

    missing = audit.VerifyGameRequest(game_id="0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f")
    error = refused(table.audit.VerifyGame, missing)
    assert error.code() == grpc.StatusCode.NOT_FOUND
    assert details(error)[0].reason == "GAME_NOT_FOUND"

    error = refused(table.games.GetGame, games.GetGameRequest(game_id="no id"))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    info, refusal = details(error)
    assert (info.reason, info.metadata["field"], refusal) == ("INVALID_FIELD", "game_id", None)

    ahead = games.WatchGameRequest(game_id=game.game_id, after_revision=5)
    error = refused(lambda request: list(table.games.WatchGame(request)), ahead)
    assert error.code() == grpc.StatusCode.OUT_OF_RANGE
    assert details(error)[0].reason == "REVISION_AHEAD"


def check_repeats(table):
    game = table.create(2, request_id="python-create")
    request = table.choose(game.game_id, game.to_act, request_id="python-act")
    first = table.games.SubmitAction(request)
    again = table.games.SubmitAction(request)
    assert again.SerializeToString(deterministic=True) == first.SerializeToString(deterministic=True)
    assert table.get(game.game_id).game.revision == 2
    request.seat = 1 - request.seat
    error = refused(table.games.SubmitAction, request)
    assert error.code() == grpc.StatusCode.ALREADY_EXISTS
    assert details(error)[0].reason == "REQUEST_ID_REUSED"

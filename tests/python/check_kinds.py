"""Every kind of game, with its options, played to the end through the typed messages, and its trace checked."""

import check_log
import choices
from divelog.games.captain_carcass.v1 import captain_carcass_pb2 as cc
from divelog.games.deep_sea_adventure.v1 import deep_sea_adventure_pb2 as dsa
from divelog.games.key_largo.v1 import key_largo_pb2 as kl
from divelog.games.veiled_isles.v1 import veiled_isles_pb2 as vi
from divelog.v1 import audit_service_pb2 as audit
from divelog.v1 import game_pb2 as pb

AUDITOR = pb.Viewer(role=pb.Viewer.ROLE_AUDITOR)
SPECTATOR = pb.Viewer(role=pb.Viewer.ROLE_SPECTATOR)


def games():
    """Options, seats and rules version (0: the newest), so that every kind, every flag and a custom table is played."""
    yield pb.GameOptions(deep_sea_adventure=dsa.Options()), 3, 0
    yield pb.GameOptions(captain_carcass=cc.Options()), 2, 0
    for variant in cc.Variant.values()[1:]:
        options = cc.Options(variant=variant, dealt=cc.DealtDivers())
        yield pb.GameOptions(captain_carcass=options), 2 + variant % 3, 0
    for first in range(1, 17, 4):
        # Two cards of one character never meet, and neighbours in the list often share one.
        divers = [first, (first + 5) % 17 + 1, (first + 10) % 17 + 1]
        yield pb.GameOptions(captain_carcass=cc.Options(chosen=cc.ChosenDivers(divers=divers))), 3, 0
    yield pb.GameOptions(key_largo=kl.Options()), 3, 0
    yield pb.GameOptions(key_largo=kl.Options(encounters=True)), 4, 0
    days = kl.DolphinsPay(days=[10 * day for day in range(1, 11)])
    expensive = kl.Options(encounters=True, dolphins=days, unsold_unit=35)
    yield pb.GameOptions(key_largo=expensive), 5, 0
    # Its legal actions have a family that later versions do not have.
    yield pb.GameOptions(key_largo=kl.Options(encounters=True)), 4, 1
    for seats in (3, 4, 5):
        actions = {"red_blue_action": vi.ACTION_CARD_A2, "green_purple_action": vi.ACTION_CARD_A4}
        yield pb.GameOptions(veiled_isles=vi.Options(**actions if seats != 4 else {})), seats, 0


def check_kinds(table):
    """Each of them, with who sees what asked for on the way."""
    count = actions = 0
    kinds = set()
    for options, seats, rules_version in games():
        kinds.add(options.WhichOneof("options"))
        game = table.create(seats, options, rules_version=rules_version)
        assert not rules_version or game.rules_version == rules_version
        seen = {0: table.views(game.game_id, seats)}
        answers = table.play(game, lambda revision: seen.update({revision: table.views(game.game_id, seats)}))
        finished = table.get(game.game_id).game
        assert finished.status == pb.GAME_STATUS_FINISHED and len(finished.outcome.standings) == seats
        header, stored = table.log(game.game_id)
        check_log.check(header, stored, finished)
        check_trace(table, finished, seats, {revision: views for revision, views in seen.items() if revision})
        verdict = table.audit.VerifyGame(audit.VerifyGameRequest(game_id=game.game_id))
        assert verdict.verified and verdict.outcome == finished.outcome
        count, actions = count + 1, actions + len(answers)
    assert kinds == {field.name for field in pb.GameOptions.DESCRIPTOR.fields}, kinds
    print(f"{count} games of {len(kinds)} kinds, {actions} actions")


def check_trace(table, game, seats, seen):
    """The auditor's trace: the action was legal, and what everybody saw then is what the trace says they saw."""
    request = audit.ReplayGameRequest(
        game_id=game.game_id, viewer=AUDITOR, include_views=True, include_legal_actions=True, include_all_views=True
    )
    steps = list(table.audit.ReplayGame(request))
    assert len(steps) == game.revision
    assert steps[0].setup.kind == game.kind and steps[0].setup.seat_count == seats
    assert steps[-1].outcome == game.outcome and not steps[-2].HasField("outcome")
    for before, step in zip(steps, steps[1:]):
        asked = {entry.seat: entry.legal_actions for entry in step.legal_before}
        assert list(asked) == list(before.to_act) and step.seat in asked
        view = before.view
        fitting = [legal for legal in asked[step.seat] if choices.stands_for(legal, step.action, view)]
        assert len(fitting) == 1, (step.action, asked[step.seat])
    for step in steps:
        viewers = [entry.viewer for entry in step.seen_by]
        assert viewers == [pb.Viewer(role=pb.Viewer.ROLE_SEAT, seat=seat) for seat in range(seats)] + [SPECTATOR]
        if step.revision in seen:
            assert [entry.view for entry in step.seen_by] == seen[step.revision], step.revision

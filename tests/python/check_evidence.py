"""The evidence as a stranger gets it: checkpoints, proofs, bundles, opened draws, refusals and forks, by the protos alone.

What is proved is checked by tests/verifier, which shares no code with divelog, in a process of its own as its users run it.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

from divelog.v1 import audit_service_pb2 as audit
from divelog.v1 import game_pb2 as pb
from divelog.v1 import game_service_pb2 as games
from divelog.v1 import record_pb2
from divelog.v1 import transparency_service_pb2 as transparency
from divelog.v1 import transparency_service_pb2_grpc as transparency_grpc
from table import dive, refused

VERIFIER = pathlib.Path(__file__).parent.parent / "verifier" / "verify_bundle.py"
MAGIC = b"DLBUNDLE1\n"


def verifier(*arguments):
    """Runs the verifier; its exit code and what it says."""
    command = [sys.executable, str(VERIFIER), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def sha256(data):
    return hashlib.sha256(data).digest()


def verify_file(folder, name, bundle, key):
    path = pathlib.Path(folder) / name
    path.write_bytes(MAGIC + bundle.SerializeToString())
    return verifier("bundle", path, "--key", key)


def check_bundles(table):
    """A finished game of three whose seats all added to the seed: its bundle convinces, and no altered one does."""
    log = transparency_grpc.TransparencyServiceStub(table.channel)
    key = log.GetCheckpoint(transparency.GetCheckpointRequest()).verifier_key
    game = table.create(3)
    table.play(game)
    bundle = table.audit.ExportBundle(audit.ExportBundleRequest(game_id=game.game_id)).bundle
    assert bundle.secret and bundle.inclusion.hashes is not None and bundle.claims.verifier_key == key
    with tempfile.TemporaryDirectory() as folder:
        code, said = verify_file(folder, "game.bundle", bundle, key)
        assert code == 0, said
        name, _, rest = key.split("+", 2)
        other = f"{name}+00000000+{rest}"
        code, said = verify_file(folder, "game.bundle", bundle, other)
        assert code != 0, said

        def altered(change):
            changed = type(bundle).FromString(bundle.SerializeToString())
            change(changed)
            code, said = verify_file(folder, "altered.bundle", changed, key)
            assert code == 4, (code, said)

        def flip(data, at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

        def flip_record(changed):
            at = table.luck.randrange(len(changed.records))
            changed.records[at] = flip(changed.records[at], table.luck.randrange(len(changed.records[at])))

        for _ in range(5):
            altered(flip_record)
        altered(lambda changed: changed.records.pop())
        altered(lambda changed: setattr(changed, "secret", flip(changed.secret, 7)))
        altered(lambda changed: setattr(changed, "checkpoint", flip(changed.checkpoint, len(changed.checkpoint) - 9)))
        altered(lambda changed: setattr(changed.inclusion, "leaf", flip(changed.inclusion.leaf, 40)))


def check_open_draw(table):
    """A running game: one draw is opened, the secret stays closed, and a draw to come is refused."""
    game = table.create(2)
    for _ in range(4):
        now = table.get(game.game_id).game
        table.games.SubmitAction(table.choose(game.game_id, list(now.to_act)))
    opened = table.audit.OpenDraw(audit.OpenDrawRequest(game_id=game.game_id, sequence=3))
    before = record_pb2.Record.FromString(opened.committing_record)
    assert before.sequence == 2 and before.next_chance_commitment == sha256(opened.draw.chance_key)
    assert record_pb2.Record.FromString(opened.record).previous_hash == sha256(opened.committing_record)
    set_up = table.audit.OpenDraw(audit.OpenDrawRequest(game_id=game.game_id, sequence=0))
    assert record_pb2.Record.FromString(set_up.record).setup.chance_commitment == sha256(set_up.draw.chance_key)
    now = table.get(game.game_id).game
    error = refused(table.audit.OpenDraw, audit.OpenDrawRequest(game_id=game.game_id, sequence=now.revision))
    assert error.code().name in ("OUT_OF_RANGE", "INVALID_ARGUMENT", "FAILED_PRECONDITION"), error
    bundle = table.audit.ExportBundle(audit.ExportBundleRequest(game_id=game.game_id, open_draws=[3])).bundle
    assert not bundle.secret and [draw.sequence for draw in bundle.opened_draws] == [3]
    with tempfile.TemporaryDirectory() as folder:
        code, said = verify_file(folder, "running.bundle", bundle, bundle.claims.verifier_key)
        assert code == 0, said


def check_refusals_are_kept(table):
    """What was refused can be shown later, with rule, revision and request id."""
    game = table.create(2)
    seat = game.to_act[0]
    refused(
        table.games.SubmitAction,
        games.SubmitActionRequest(game_id=game.game_id, seat=1 - seat, action=dive(), request_id="not-my-turn"),
    )
    refused(
        table.games.SubmitAction,
        games.SubmitActionRequest(game_id=game.game_id, seat=seat, action=dive(), expected_revision=7),
    )
    kept = table.audit.ListRefusals(audit.ListRefusalsRequest(game_id=game.game_id)).refusals
    assert [(one.rule, one.revision) for one in kept] == [("REVISION", 1), ("TURN", 1)], kept
    assert kept[1].request_id == "not-my-turn" and kept[1].seat == 1 - seat and kept[1].action == dive(), kept[1]
    assert kept[1].caller.startswith("127.0.0.1:") and kept[1].time.seconds > 0 and kept[1].sentence, kept[1]


def check_forks(table):
    """A fork has the same past, says that it is one, and goes its own way."""
    game = table.create(3)
    table.play(game)
    fork = table.audit.ForkGame(audit.ForkGameRequest(game_id=game.game_id, at_revision=9, request_id="a-fork")).game
    again = table.audit.ForkGame(audit.ForkGameRequest(game_id=game.game_id, at_revision=9, request_id="a-fork")).game
    assert again.game_id == fork.game_id != game.game_id
    assert (fork.fork_of.game_id, fork.fork_of.revision, fork.revision) == (game.game_id, 9, 9)
    assert fork.status == pb.GAME_STATUS_RUNNING

    def seen(game_id):
        request = audit.ReplayGameRequest(game_id=game_id, to_revision=9, include_views=True)
        request.viewer.role = pb.Viewer.ROLE_AUDITOR
        return [(list(step.events), step.view) for step in table.audit.ReplayGame(request)]

    assert seen(fork.game_id) == seen(game.game_id)
    table.play(fork)
    over = table.get(fork.game_id).game
    assert over.status == pb.GAME_STATUS_FINISHED and not over.revealed_secret and over.fork_of.game_id == game.game_id


def check_checkpoints(table):
    """The log only grows: each checkpoint is consistent with every one kept before."""
    log = transparency_grpc.TransparencyServiceStub(table.channel)
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(4):
            table.create(2)
            answer = log.GetCheckpoint(transparency.GetCheckpointRequest(seal_now=True))
            path = pathlib.Path(folder) / f"checkpoint-{turn}"
            path.write_bytes(answer.checkpoint)
            for old_path, old_size in kept:
                request = transparency.GetConsistencyProofRequest(old_size=old_size, new_size=answer.tree_size)
                proof = pathlib.Path(folder) / "proof"
                hashes = log.GetConsistencyProof(request).hashes
                proof.write_text("".join(one.hex() + "\n" for one in hashes))
                code, said = verifier("consistency", old_path, path, proof, "--key", answer.verifier_key)
                assert code == 0, said
                if hashes:
                    proof.write_text("".join(sha256(one).hex() + "\n" for one in hashes))
                    code, said = verifier("consistency", old_path, path, proof, "--key", answer.verifier_key)
                    assert code == 4, said
            kept.append((path, answer.tree_size))
        assert kept[-1][1] >= kept[0][1] + 3

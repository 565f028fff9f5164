"""Legal actions in Python: picks an action of an entry, and says whether an entry stands for an action.

Most entries are one action. The others are families: what they hold is described in the game's proto.
"""

from divelog.games.captain_carcass.v1 import captain_carcass_pb2 as cc
from divelog.games.key_largo.v1 import key_largo_pb2 as kl
from divelog.games.veiled_isles.v1 import veiled_isles_pb2 as vi
from divelog.v1 import game_pb2 as pb


def pick(legal, luck, view):
    """Some action of a legal entry. `view` is what the seat sees: a dupe needs to know what its cards are."""
    kind = legal.WhichOneof("legal_action")
    entry = getattr(legal, kind)
    action = PICKS[kind](entry, luck, view)
    return pb.GameAction(**{kind: action})


def stands_for(legal, action, view):
    """Whether an action is among those of a legal entry."""
    kind = legal.WhichOneof("legal_action")
    if kind != action.WhichOneof("action"):
        return False
    entry, action = getattr(legal, kind), getattr(action, kind)
    if kind == "deep_sea_adventure":
        return entry.action == action
    case = entry.WhichOneof("legal_action")
    if case == "action":
        return entry.action == action
    return FAMILIES[kind, case](getattr(entry, case), action, view)


def pick_deep_sea_adventure(entry, _luck, _view):
    return entry.action


def pick_captain_carcass(entry, luck, _view):
    if entry.WhichOneof("legal_action") == "action":
        return entry.action
    return cc.Action(place_from_map=cc.PlaceFromMap(card=luck.choice(entry.place_any_from_map.cards)))


def pick_veiled_isles(entry, luck, _view):
    case = entry.WhichOneof("legal_action")
    if case == "action":
        return entry.action
    if case == "play_family":
        family = entry.play_family
        show = luck.choice([vi.HALF_SEA, vi.HALF_COAST])
        return vi.Action(play=vi.Play(island=family.island, show=show, bonus=luck.randint(0, family.max_bonus)))
    family = entry.give_back_family
    return vi.Action(give_back=vi.GiveBack(islands=luck.sample(list(family.islands), family.count)))


def pick_key_largo(entry, luck, view):
    case = entry.WhichOneof("legal_action")
    if case == "action":
        return entry.action
    family = getattr(entry, case)
    if case == "buy_round":
        # Only by rules version 1: later ones list each wreck as an action.
        return kl.Action(buy_round=kl.BuyRound(wrecks=luck.sample(list(family.wrecks), 2)))
    if case == "sell":
        others = [card for card in family.cards if luck.random() < 0.5]
        required = [family.required] if family.HasField("required") else []
        cards = required + others or [luck.choice(family.cards)]
        luck.shuffle(cards)
        return kl.Action(sell=kl.Sell(cards=cards))
    if case == "dupe":
        treasure = luck.choice(family.treasures)
        ware = luck.choice([ware for ware in WARES.values() if ware != ware_of(view, treasure)])
        return kl.Action(play_encounter=kl.PlayEncounter(dupe=kl.Dupe(treasure=treasure, ware=ware)))
    if case == "trafficker":
        treasures = luck.sample(list(family.treasures), luck.randint(1, family.most))
        return kl.Action(play_encounter=kl.PlayEncounter(trafficker=kl.Trafficker(treasures=treasures)))
    assert case == "jeweller", case
    return kl.Action(play_encounter=kl.PlayEncounter(jeweller=kl.Jeweller(diamond=luck.choice(family.diamonds))))


PICKS = {
    "deep_sea_adventure": pick_deep_sea_adventure,
    "captain_carcass": pick_captain_carcass,
    "key_largo": pick_key_largo,
    "veiled_isles": pick_veiled_isles,
}

WARES = {
    kl.CARD_KIND_GOLD: kl.WARE_GOLD,
    kl.CARD_KIND_GOODS: kl.WARE_GOODS,
    kl.CARD_KIND_ANTIQUES: kl.WARE_ANTIQUES,
}


def ware_of(view, card_id):
    """What a card in anybody's hand is, as far as the view shows it."""
    hands = (card for player in view.key_largo.players for card in player.hand)
    return next(WARES[card.kind] for card in hands if card.HasField("id") and card.id == card_id)


def same_set(asked, family, least, most):
    return len(set(asked)) == len(asked) and set(asked) <= set(family) and least <= len(asked) <= most


def stands_for_sale(family, action, _view):
    cards = list(action.sell.cards)
    required = [family.required] if family.HasField("required") else []
    return set(required) <= set(cards) and same_set(cards, [*required, *family.cards], 1, 80)


def stands_for_give_back(family, action, _view):
    asked = [island.SerializeToString() for island in action.give_back.islands]
    return same_set(asked, [island.SerializeToString() for island in family.islands], family.count, family.count)


FAMILIES = {
    ("captain_carcass", "place_any_from_map"): lambda family, action, _: (
        action.WhichOneof("action") == "place_from_map" and action.place_from_map.card in family.cards
    ),
    ("veiled_isles", "play_family"): lambda family, action, _: (
        action.WhichOneof("action") == "play"
        and action.play.island == family.island
        and action.play.bonus <= family.max_bonus
    ),
    ("veiled_isles", "give_back_family"): stands_for_give_back,
    ("key_largo", "buy_round"): lambda family, action, _: same_set(action.buy_round.wrecks, family.wrecks, 2, 2),
    ("key_largo", "sell"): stands_for_sale,
    ("key_largo", "dupe"): lambda family, action, view: (
        action.play_encounter.WhichOneof("card") == "dupe"
        and action.play_encounter.dupe.treasure in family.treasures
        and action.play_encounter.dupe.ware != ware_of(view, action.play_encounter.dupe.treasure)
    ),
    ("key_largo", "trafficker"): lambda family, action, _: same_set(
        action.play_encounter.trafficker.treasures, family.treasures, 1, family.most
    ),
    ("key_largo", "jeweller"): lambda family, action, _: (
        action.play_encounter.WhichOneof("card") == "jeweller"
        and action.play_encounter.jeweller.diamond in family.diamonds
    ),
}

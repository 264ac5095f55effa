"""The spellings of an id."""
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid_of(prefixed):
    return prefixed.split("_", 1)[1]


def uuid_of(prefixed):
    number = 0
    for character in ulid_of(prefixed):
        number = number * 32 + ALPHABET.index(character)
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def spellings(prefixed):
    ulid = ulid_of(prefixed)
    return [prefixed, ulid, ulid.lower(), uuid_of(prefixed), uuid_of(prefixed).upper()]

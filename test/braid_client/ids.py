"""The spellings of an id: the same 128 bits as UUID, as ULID, and as ULID with a prefix."""
import re

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\Z")
UNKNOWN_ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
UNKNOWN_UUID = "01563e3a-b5d3-d676-4c61-efb99302bd5b"  # the same one


def ulid_of(uuid) -> str:
    number, digits = int(uuid.replace("-", ""), 16), ""
    for _ in range(26):
        digits = ALPHABET[number % 32] + digits
        number //= 32
    return digits


def uuid_of(ulid) -> str:
    number = 0
    for character in ulid.rsplit("_", 1)[-1]:
        number = number * 32 + ALPHABET.index(character)
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def session_id(uuid) -> str:
    return "sess_" + ulid_of(uuid)


def spellings(uuid, prefix="sess_") -> list:
    """Every way to write the id, the UUID first."""
    ulid = ulid_of(uuid)
    return [uuid, uuid.upper(), ulid, ulid.lower(), prefix + ulid]

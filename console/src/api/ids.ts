// Ids are 128 bits in several spellings: UUIDs in the log and under /sessions, prefixed ULIDs under /api/v1 and /console. The
// server takes every spelling; who compares two of them, or names a run to the hub, wants one.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

// The ULID of an id in any spelling; what is no id comes back as it is.
export function ulid(id: string): string {
  const hex = id.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) return id.replace(/^[a-z]+_/, '').toUpperCase();
  let bits = BigInt('0x' + hex);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}

// "run_01…" of a run's id in any spelling.
export const spelled = (kind: string, id: string): string => `${kind}_${ulid(id)}`;
export const sameId = (a: string, b: string): boolean => ulid(a) === ulid(b);

// The id of one event of a run, as streams carry it: ten digits, so that the order of texts is the order of events.
export const eventId = (runId: string, sequence: number): string => `evt_${ulid(runId)}_${String(sequence).padStart(10, '0')}`;

// A name that nobody else has. Not randomUUID: that is missing on a page that came over plain http from another machine.
export function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

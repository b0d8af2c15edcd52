// Makes ids that sort by creation time: a prefix for the kind of thing, ten characters of time, sixteen random ones.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix =
  | 'flow'
  | 'run'
  | 'dlv'
  | 'smp'
  | 'req'
  | 'aud'
  | 'usr'
  | 'inv'
  | 'idn'
  | 'tok'
  | 'alr'
  | 'msg'
  | 'rpl'
  | 'cbk'
  | 'blob'

const RANDOM_PER_ID = 15
const IDS_AT_ONCE = 256

/** Returns the time part of an id. Ids of a later millisecond sort after it. */
export function idTime(timeMs: number): string {
  let text = ''
  for (let rest = timeMs, i = 0; i < 10; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Returns the creation time of an id, in milliseconds. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1
  let time = 0
  for (let i = start; i < start + 10; i++) time = time * 32 + ALPHABET.indexOf(id[i]!)
  return time
}

/** Maps the ids of an accepted delivery and its run, which are one row and share the time-ordered part. */
export const deliveryIdOf = (runId: string): string => runId.replace(/^run_/, 'dlv_')
export const runIdOf = (deliveryId: string): string => deliveryId.replace(/^dlv_/, 'run_')

export interface Ids {
  next(prefix: IdPrefix): string
  /** Returns 192 random bits as 32 characters of base64url. */
  webhookId(): string
}

export function createIds(now: () => number, randomBytes: (size: number) => Uint8Array): Ids {
  let lastTime = -1
  let start = ''
  // Within a millisecond the last four characters count upwards, so that the ids of one process keep their order.
  let count = 0
  // Random bytes come many at a time: asking for them takes longer than all the rest.
  let random: Uint8Array = new Uint8Array()
  let used = 0
  const begin = (at: number): void => {
    lastTime = at
    if (used === random.length) {
      random = randomBytes(RANDOM_PER_ID * IDS_AT_ONCE)
      used = 0
    }
    start = idTime(at)
    for (let i = 0; i < 12; i++) start += ALPHABET[random[used++]! & 31]
    // The count starts in the lower half, so that the upper half is left to count upwards.
    count = ((random[used++]! << 16) | (random[used++]! << 8) | random[used++]!) & 0x7ffff
  }
  return {
    next(prefix) {
      const at = Math.max(now(), lastTime)
      // A millisecond has room for half a million ids; further ids take the time of the next millisecond.
      if (at !== lastTime || count === 0xfffff) begin(at === lastTime ? at + 1 : at)
      else count++
      return `${prefix}_${start}${ALPHABET[count >> 15]}${ALPHABET[(count >> 10) & 31]}${ALPHABET[(count >> 5) & 31]}${ALPHABET[count & 31]}`
    },
    webhookId: () => Buffer.from(randomBytes(24)).toString('base64url'),
  }
}

// Ids that sort by the time they were made: a prefix for the kind of thing, ten characters of time, sixteen at random.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix = 'flow' | 'run' | 'dlv' | 'smp' | 'req' | 'aud' | 'usr' | 'inv' | 'tok'

/** The time part: ids of a later millisecond sort after it. */
export function idTime(timeMs: number): string {
  let text = ''
  for (let rest = timeMs, i = 0; i < 10; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** When an id was made, in milliseconds. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1
  let time = 0
  for (let i = start; i < start + 10; i++) time = time * 32 + ALPHABET.indexOf(id[i]!)
  return time
}

/** An accepted delivery and its run are one, and share the time-ordered part of their ids. */
export const deliveryIdOf = (runId: string): string => runId.replace(/^run_/, 'dlv_')
export const runIdOf = (deliveryId: string): string => deliveryId.replace(/^dlv_/, 'run_')

export interface Ids {
  next(prefix: IdPrefix): string
  /** 192 random bits as 32 characters of base64url. */
  webhookId(): string
}

export function createIds(now: () => number, randomBytes: (size: number) => Uint8Array): Ids {
  let lastTime = 0
  let time = ''
  // Within a millisecond the random part counts upwards, so that ids made by one process keep their order.
  let random = new Uint8Array(16)
  return {
    next(prefix) {
      const at = Math.max(now(), lastTime)
      if (at === lastTime) increment(random)
      else {
        lastTime = at
        time = idTime(at)
        random = randomBytes(16).map((byte) => byte & 31)
        // Room to count upwards.
        random[0]! &= 15
      }
      let text = `${prefix}_${time}`
      for (let i = 0; i < 16; i++) text += ALPHABET[random[i]!]
      return text
    },
    webhookId: () => Buffer.from(randomBytes(24)).toString('base64url'),
  }
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    if (digits[i] !== 31) {
      digits[i]! += 1
      return
    }
    digits[i] = 0
  }
}

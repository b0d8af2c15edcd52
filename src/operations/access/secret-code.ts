// Secrets that Millrace makes: 256 random bits each. Only their digests are kept.
import { createHash, randomBytes } from 'node:crypto'

export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Needs no salt and no slowness: what has 256 random bits cannot be guessed. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

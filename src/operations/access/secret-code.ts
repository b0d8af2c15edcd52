// Makes secrets of 256 random bits. Only their digests are stored.
import { createHash, randomBytes } from 'node:crypto'

export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Returns the digest, without salt or slow hashing: 256 random bits cannot be guessed. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

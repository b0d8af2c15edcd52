// The hash functions that expressions offer.
import { createHash, createHmac } from 'node:crypto'

export const hashing = {
  sha256: (text: string): string => createHash('sha256').update(text).digest('hex'),
  hmacSha256: (text: string, key: string): string => createHmac('sha256', key).update(text).digest('hex'),
  hmacSha512: (text: string, key: string): string => createHmac('sha512', key).update(text).digest('hex'),
}

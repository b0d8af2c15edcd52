// Makes src/secrets/common-passwords.bin from a list of passwords, one per line, the most common first:
// node scripts/common-passwords.ts <list>. docs/decisions/034-second-factors-and-common-passwords.md says which list it was.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonDigest, SHORTEST_COMMON } from '../src/secrets/common-passwords.ts'

const COUNT = 10_000
const passwords = new Set(
  readFileSync(process.argv[2]!, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.trim().normalize('NFKC').toLowerCase())
    .filter((line) => line.length >= SHORTEST_COMMON),
)
const digests = [...passwords].slice(0, COUNT).map(commonDigest)
writeFileSync(
  join(import.meta.dirname, '../src/secrets/common-passwords.bin'),
  Buffer.concat(digests.toSorted(Buffer.compare)),
)

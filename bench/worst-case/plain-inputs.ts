// What a stranger can send to a webhook in place of a plain request: each is of one piece, as a read from the socket gives it.
import { family, type Input, numbered, repeated } from './inputs.ts'

const START = 'POST /api/v1/webhooks/x'
const LINE = `${START} HTTP/1.1\r\n`
const END = '\r\n\r\n'

export const PLAIN_INPUTS: Input[] = family('HTTP', {
  'a path without an end': repeated('a', START),
  'a query without an end': repeated('a=%', `${START}?`),
  'a head without an end': repeated('X: y\r\n', LINE),
  'nearly the end of a head': repeated('\r\n\r', LINE),
  'names without colons': repeated('x', LINE, END),
  'lines without colons': repeated('x\r\n', LINE, END),
  colons: repeated(':', LINE, END),
  blanks: repeated(' ', `${LINE}X:`, `x${END}`),
  'lines of blanks': repeated('X: \t \r\n', LINE, '\r\n'),
  'names that differ': numbered((i) => `X${i}: y\r\n`, LINE, '\r\n'),
  'lists of proxies': repeated('X-Forwarded-For: 1\r\n', LINE, '\r\n'),
  'heads of 8 kB, one after the other': repeated(`${LINE}${'X: y\r\n'.repeat(1_300)}\r\n`),
})

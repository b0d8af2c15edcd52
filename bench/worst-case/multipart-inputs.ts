// What a stranger can put into a form with files.
import { family, type Input, numbered, repeated } from './inputs.ts'

export const MULTIPART_TYPE = 'multipart/form-data; boundary=x'

const part = (parameters: string, content = '') =>
  `--x\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`
const END = '--x--\r\n'
const FILE = part('name="f"; filename="f.pdf"').slice(0, -'\r\n'.length)

export const MULTIPART_INPUTS: Input[] = family('multipart', {
  'empty parts': repeated(part('name=""'), '', END),
  'parts without a head': repeated('--x\r\n\r\n\r\n', '', END),
  'parts without an end': repeated(part('name="a"')),
  'fields that differ': numbered((i) => part(`name="a${i}"`, 'v'), '', END),
  'one field over and over': repeated(part('name="a"', 'v'), '', END),
  'fields that need escapes': repeated(part('name="&=%"', '&=% \u00e9'), '', END),
  'one long field': repeated('v', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n', `\r\n${END}`),
  'a long file': repeated('v', FILE, `\r\n${END}`),
  'nearly the boundary in a file': repeated('\r\n--', FILE, `\r\n${END}`),
  'the boundary of another form in a file': repeated('\r\n--y', FILE, `\r\n${END}`),
  'line breaks in a file': repeated('\r', FILE, `\r\n${END}`),
  'empty files': repeated(part('name="f"; filename="f.pdf"'), '', END),
  'a preamble without an end': repeated('v'),
  'an epilogue': repeated('v', part('name="a"') + END),
  'white space after a boundary': repeated(' ', '--x'),
  'a head without an end': repeated('X: y\r\n', '--x\r\n'),
  'heads of many lines': repeated(`--x\r\n${'X: y\r\n'.repeat(2_000)}\r\nv\r\n`, '', END),
  'heads of many parameters': repeated(part(`name="a"${';a=b'.repeat(3_000)}`), '', END),
  'heads of white space': repeated(part(`name="a"${' '.repeat(15_000)}`), '', END),
  'heads of quotes': repeated(part(`name="${'\\"'.repeat(7_000)}"`), '', END),
  'heads of quotes without an end': repeated(part(`name="${'\\"'.repeat(7_000)}`), '', END),
  'heads of backslashes': repeated(part(`name="${'\\'.repeat(15_000)}"`), '', END),
  'names of percent escapes': repeated(part(`name="${'%22'.repeat(5_000)}"`), '', END),
  'file names of percent escapes': repeated(part(`name="f"; filename*=UTF-8''${'%e9'.repeat(5_000)}`), '', END),
  'file names of path parts': repeated(part(`name="f"; filename="${'../'.repeat(5_000)}a"`), '', END),
})

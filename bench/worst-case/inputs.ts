// The worst inputs that each grammar allows, at any size: `make(n)` returns about n characters.

export interface Input {
  grammar: string
  name: string
  make(n: number): string
}

export const repeated =
  (unit: string, before = '', after = '') =>
  (n: number): string =>
    before + unit.repeat(Math.ceil(n / unit.length)) + after

/** Repeats units that differ from one another. */
export const numbered =
  (unit: (i: number) => string, before = '', after = '') =>
  (n: number): string => {
    let text = before
    for (let i = 0; text.length < n; i++) text += unit(i)
    return text + after
  }

export function family(grammar: string, inputs: Record<string, Input['make']>): Input[] {
  return Object.entries(inputs).map(([name, make]) => ({ grammar, name, make }))
}

export const JSON_INPUTS: Input[] = family('JSON', {
  'empty objects': repeated('{},', '[', '{}]'),
  'empty lists': repeated('[],', '[', '[]]'),
  numbers: repeated('1,', '[', '1]'),
  'numbers with exponents': repeated('1e308,', '[', '1]'),
  'one long number': repeated('9'),
  'names that differ': numbered((i) => `"k${i}":0,`, '{', '"z":0}'),
  'objects of different names': numbered((i) => `{"k${i}":0},`, '[', '0]'),
  'names that need escapes': numbered((i) => `"\\n${i}":0,`, '{', '"z":0}'),
  'names with escapes that need none': numbered((i) => `"\\u0061${i}":0,`, '{', '"z":0}'),
  'one name over and over': repeated('"\\n":0,', '{', '"z":0}'),
  'names like our own': numbered((i) => `"@key${i}":0,`, '{"\\n":1,', '"z":0}'),
  'marks like our own': repeated('@', '{"\\n":1,"x":"@key', '"}'),
  'escapes in a text': repeated('\\u0041', '["', '"]'),
  'control characters in a text': repeated('\\n', '["', '"]'),
  'escapes far apart in a text': repeated(`${'x'.repeat(40)}\\n`, '["', '"]'),
  'quotes far apart in a text': repeated(`${'x'.repeat(40)}\\"`, '["', '"]'),
  'backslashes in a text': repeated('\\\\', '["', '"]'),
  'backslashes without an end': repeated('\\', '["'),
  'quotes without an end': repeated('"'),
  'lists without an end': repeated('['),
  'objects without an end': repeated('{"a":'),
  'broken percent escapes': repeated('%ff', '["', '"]'),
  'percent escapes': repeated('%41', '["', '"]'),
  'percent escapes of percent escapes': repeated('%2525', '["', '"]'),
  'broken UTF-8 in percent escapes': repeated('%e2%82', '["', '"]'),
  entities: repeated('&#x41;', '["', '"]'),
  'broken entities': repeated('&#', '["', '"]'),
  'base64 in lines': repeated('QUJDREVG\\n', '["', '"]'),
  'hexadecimal digits': repeated('deadbeef', '["', '"]'),
  'the start of a secret': repeated('worst-case-secre', '["', '"]'),
  'nearly the secret': repeated('worst-case-secreX', '["', '"]'),
  secrets: repeated('worst-case-secret ', '["', '"]'),
  'white space': repeated(' ', '[', ']'),
  'short texts': repeated('"a",', '[', '"a"]'),
})

export const FORM_INPUTS: Input[] = family('form', {
  'names without values': repeated('a&'),
  'names that differ': numbered((i) => `k${i}=1&`),
  ampersands: repeated('&'),
  'equals signs': repeated('='),
  'broken percent escapes': repeated('%ff', 'a='),
  'percent escapes': repeated('%e2%82%ac', 'a='),
  'percent signs': repeated('%', 'a='),
  'plus signs': repeated('+', 'a='),
  'short broken fields': repeated('%f=%f&'),
})

export const TEXT_INPUTS: Input[] = family('text', {
  'percent escapes': repeated('%41%'),
  'broken percent escapes': repeated('%ff'),
  backslashes: repeated('\\'),
  'escaped units': repeated('\\u0041'),
  'entities in entities': repeated('&amp;'),
  'base64 in lines': repeated(`${'QUJDREVG'.repeat(9)}QUJD\r\n`),
  'hexadecimal digits': repeated('0a'),
  'nearly the secret': repeated('worst-case-secreX'),
  'the secret in capitals': repeated('WORST-CASE-SECRET'),
  'combining marks': repeated('\u0301'),
  'line breaks': repeated('\n'),
})

const aliases = (n: number): string => {
  let text = 'a0: &a0 []\n'
  for (let i = 1; text.length < n; i++) text += `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]\n`
  return text
}

export const YAML_INPUTS: Input[] = family('YAML', {
  'a graph of aliases': aliases,
  'aliases of a long text': (n) => `a: &a ${'x'.repeat(n / 2)}\nb: [${'*a,'.repeat(n / 6)}]`,
  'keys that differ': numbered((i) => `k${i}: 0\n`),
  'keys that differ, in braces': numbered((i) => `k${i}: 0, `, '{', '}'),
  'numbers as keys': numbered((i) => `${i}: 0\n`),
  'keys that are lists': numbered((i) => `? [${i}]\n: 0\n`),
  'keys in keys': repeated('? '),
  'unknown tags': repeated('- !x 1\n'),
  'tags without a value': repeated('!!str '),
  'tags on lines': repeated('!a\n'),
  anchors: numbered((i) => `- &a${i} x\n`),
  'anchors in a row': repeated('&a '),
  'anchors on lines': repeated('&a\n'),
  'faults in many lines': repeated('a: [\n'),
  'tabs for indentation': repeated('\t- a\n', 'a:\n'),
  'lists in brackets': repeated('[', '', ''),
  'objects in braces': repeated('{a: '),
  'pairs in brackets': repeated('a: 1, ', '[', ']'),
  'lists in lines': repeated('- '),
  'deep lines': (n) => {
    let text = ''
    for (let depth = 0; text.length < n; depth = (depth + 1) % 200) text += `${' '.repeat(depth)}a:\n`
    return text
  },
  'long lines of text': repeated('word '),
  'lines of text': repeated('word\n', 'a: '),
  'quotes over lines': repeated('a\n\n', 'a: "', '"'),
  'escapes in quotes': repeated('\\u0041', 'a: "', '"'),
  'quotes without an end': repeated('" '),
  comments: repeated('#\n'),
  'many documents': repeated('---\na\n'),
  directives: repeated('%a b\n'),
  'block texts': repeated('  x\n', 'a: |\n'),
  'empty lines of a block text': repeated('\n', 'a: |\n  x\n', '  y'),
  'folded texts': repeated('  x\n\n', 'a: >\n'),
  'merge keys': repeated('<<: {a: 1}\n'),
  'colons without end': repeated(':'),
  'question marks': repeated('?\n'),
  dashes: repeated('-\n'),
})

const step = (i: number, settings: string): string => `{"id":"s${i}",${settings}},`
const flow = (unit: (i: number) => string, trigger = '{"kind":"webhook"}') =>
  numbered(unit, `{"name":"x","trigger":${trigger},"steps":[`, '{"id":"z","kind":"stop"}]}')
const textFlow = (unit: string) =>
  repeated(unit, '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"set","vars":{"x":"', '"}}]}')

/** A schedule with as many patterns as there may be; the rest is input. */
const schedule =
  (pattern: (i: number) => string) =>
  (n: number): string => {
    const cron = Array.from({ length: 20 }, (_, i) => pattern(i))
    const trigger = { kind: 'schedule', timezone: 'Australia/Lord_Howe', jitter: 3_600, cron, input: 'x'.repeat(n) }
    return JSON.stringify({ name: 'x', trigger, steps: [] })
  }

/** Each of the first five of each weekday, and the last. */
const EVERY_WEEKDAY = [0, 1, 2, 3, 4, 5, 6]
  .flatMap((day) => [...[1, 2, 3, 4, 5].map((n) => `${day}#${n}`), `${day}L`])
  .join(',')

export const FLOW_INPUTS: Input[] = family('flow', {
  'unknown keys': numbered((i) => `"keyy${i}":1,`, '{"name":"x","trigger":{"kind":"webhook"},', '"steps":[]}'),
  'unknown keys of a step': numbered(
    (i) => `"metod${i}":1,`,
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"http",',
    '"z":1}]}',
  ),
  'a long unknown key': repeated('k', '{"name":"x","trigger":{"kind":"webhook"},"steps":[],"', '":1}'),
  'a long kind': repeated('k', '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"', '"}]}'),
  'patterns of seconds that all may meet': schedule((i) => `${i % 10},${10 + (i % 10)} * * ${(i % 28) + 1} * *`),
  'patterns that come once in 28 years': schedule((i) => `${i} ${i % 24} * 2 1#5`),
  'patterns that never come': schedule(() => '0 0 30,31 2 *'),
  'patterns that name all that they can': schedule(
    (i) => `${i % 10},${20 + (i % 10)},${40 + (i % 10)} * 0-22 1-30,L * ${EVERY_WEEKDAY}`,
  ),
  'a long pattern': schedule(() => `${'0,'.repeat(240)}0 * * * *`),
  'many steps': flow((i) => step(i, '"kind":"stop"')),
  'steps without settings': flow((i) => step(i, '"kind":"http"')),
  'steps of one id': flow(() => '{"id":"a","kind":"stop"},'),
  'steps that are none': flow(() => '1,'),
  'steps of no known kind': flow((i) => step(i, '"kind":"htpp"')),
  'steps with unknown references': flow((i) => step(i, `"kind":"set","vars":{"x":"{{ steps.t${i} }}"}`)),
  'unknown references in one step': (n) => {
    const names = Array.from({ length: 600 }, (_, i) => step(i, '"kind":"stop"')).join('')
    return numbered(
      (i) => `{{ steps.q${i} }}`,
      `{"name":"x","trigger":{"kind":"webhook"},"steps":[${names}{"id":"a","kind":"set","vars":{"x":"`,
      '"}}]}',
    )(n)
  },
  'a long unknown name': repeated(
    'a',
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"b","kind":"stop"},{"id":"a","kind":"set","vars":{"x":"{{ steps.',
    ' }}"}}]}',
  ),
  'branches in branches': (n) => {
    const levels = 40
    const inner = `{"id":"big","kind":"set","vars":{"x":[${'1,'.repeat(n / 2)}1]}}`
    let text = inner
    for (let i = 0; i < levels; i++) text = `{"id":"l${i}","kind":"loop","each":[1],"steps":[${text}]}`
    return `{"name":"x","trigger":{"kind":"webhook"},"steps":[${text}]}`
  },
  'loops side by side': flow((i) => step(i, `"kind":"loop","each":[1],"steps":[{"id":"i${i}","kind":"stop"}]`)),
  'many small expressions': textFlow('{{1}}'),
  'expressions without an end': textFlow('{{'),
  'one long sum': repeated(
    '+1',
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"set","vars":{"x":"{{ 1',
    ' }}"}}]}',
  ),
  'one long list': repeated(
    '1,',
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"set","vars":{"x":"{{ [',
    '1] }}"}}]}',
  ),
  'long lists': textFlow(`{{ [${'1,'.repeat(4000)}1] }}`),
  'nested parentheses': textFlow(`{{ ${'('.repeat(300)}1${')'.repeat(300)} }}`),
  'braces in quotes': textFlow("{{ '}}' }}"),
  'long code': repeated(
    'a;',
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"code","code":"',
    '"}]}',
  ),
  'much code': flow((i) => step(i, `"kind":"code","code":"export default () => [${'1,'.repeat(2000)}]"`)),
  'code in parentheses': flow((i) => step(i, `"kind":"code","code":"export default ${'('.repeat(2000)}"`)),
  'types that are accepted': numbered(
    (i) => `"text/x${i}é",`,
    '{"name":"x","trigger":{"kind":"webhook","accept":[',
    '"a"]},"steps":[]}',
  ),
  addresses: numbered(() => '"1.2.3.4/33",', '{"name":"x","trigger":{"kind":"webhook","ips":[', '"a"]},"steps":[]}'),
  headers: numbered(
    (i) => `{"name":"X ${i}","value":"a"},`,
    '{"name":"x","trigger":{"kind":"webhook","response":{"headers":[',
    '{"name":"a","value":"b"}]}},"steps":[]}',
  ),
  'a long URL': repeated(
    '%41',
    '{"name":"x","trigger":{"kind":"webhook"},"steps":[{"id":"a","kind":"http","method":"GET","url":"https://a/',
    '"}]}',
  ),
})

export const CURL_INPUTS: Input[] = family('cURL', {
  quotes: repeated("'a' ", 'curl http://a '),
  'quotes without an end': repeated("'", 'curl http://a '),
  backslashes: repeated('\\', 'curl http://a '),
  'lines that go on': repeated('\\\n', 'curl http://a '),
  carets: repeated('^"', 'curl http://a '),
  'ANSI quotes': repeated("$'\\x41' ", 'curl http://a '),
  headers: repeated("-H 'A: b' ", 'curl http://a '),
  'data that is joined': repeated('-d a=%ff ', 'curl http://a '),
  'a long form': repeated('a=b&', "curl http://a -d '", "'"),
  'a long JSON': repeated('{},', "curl http://a --json '[", "{}]'"),
  options: repeated('--unknown ', 'curl http://a '),
  'a long URL': repeated('?a=%ff', 'curl http://a/'),
})

export const OPENAPI_INPUTS: Input[] = family('OpenAPI', {
  paths: numbered(
    (i) => `"/p${i}/{a}":{"get":{"parameters":[{"name":"a","in":"path"}]}},`,
    '{"openapi":"3.0.0","paths":{',
    '"/z":{}}}',
  ),
  'references in a row': numbered(
    (i) => `"s${i}":{"$ref":"#/components/schemas/s${i + 1}"},`,
    '{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/s0"}}}}}}},"components":{"schemas":{',
    '"z":{}}}}',
  ),
  'schemas that contain themselves': numbered(
    (i) =>
      `"s${i}":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/s${i}"},"b":{"$ref":"#/components/schemas/s${i + 1}"}}},`,
    '{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/s0"}}}}}}},"components":{"schemas":{',
    '"z":{}}}}',
  ),
  'a graph of aliases': (n) => `openapi: 3.0.0\n${aliases(n)}`,
  parameters: numbered(
    (i) => `{"name":"p${i}","in":"query","required":true},`,
    '{"openapi":"3.0.0","paths":{"/a":{"post":{"parameters":[',
    '{"name":"z","in":"query"}]}}}}',
  ),
})

/** Calls every function that takes a text, with texts that are hard for some of them. */
export const EXPRESSION_INPUTS: Input[] = [
  'base64(vars.t)',
  'unbase64(vars.t)',
  'encodeURIComponent(vars.t)',
  'decodeURIComponent(vars.t)',
  'vars.t.normalize()',
  "vars.t.normalize('NFKD')",
  'vars.t.toUpperCase()',
  'vars.t.toLowerCase()',
  'vars.t.trim()',
  "vars.t.localeCompare(vars.t + 'b')",
  "vars.t.split('')",
  "vars.t.split('a')",
  "vars.t.replaceAll('a', 'bb')",
  "vars.t.lastIndexOf('aab')",
  "vars.t.includes('aaaaaaaaab')",
  'Number(vars.t)',
  'parseFloat(vars.t)',
  'sha256(vars.t)',
  'JSON.stringify(vars.t)',
  'JSON.parse(vars.t)',
  'JSON.parse(JSON.stringify(vars.t))',
  'new Date(vars.t)',
  '[...vars.t].length',
  "[vars.t, vars.t + 'a'].toSorted()",
].flatMap((expression) =>
  Object.entries({
    a: 'a',
    euros: '€',
    marks: '\u0301\u0323',
    'halves of characters': '\ud800',
    'control characters': '\u0001',
    spaces: ' ',
    digits: '9',
    'percent escapes': '%ff',
    'empty objects': '{},',
    quotes: '"',
  }).map(([text, unit]) => ({ grammar: expression, name: text, make: repeated(unit) })),
)

/** Messages of errors, as a flow's `fail` or code writes them. */
export const MESSAGE_INPUTS: Input[] = family('message', {
  quotes: repeated('"'),
  'quotes that do not end': repeated(`"'\``),
  'quoted characters': repeated('"a" '),
  'signs of e-mail': repeated('a@'),
  'digits and hyphens': repeated('0-'),
  'white space': repeated(' \n'),
  'half characters': repeated('\ud800'),
})

export const CHALLENGE_INPUTS: Input[] = family('challenge', {
  'schemes that differ': numbered((i) => `s${i}, `),
  'parameters that differ': numbered((i) => `p${i}=v, `, 'Digest '),
  'one parameter over and over': repeated('nonce="n", ', 'Digest '),
  'challenges over and over': repeated('Digest realm="r", nonce="n", qop="auth", '),
  'a long quoted value': repeated('v', 'Digest nonce="', '"'),
  'a quoted value without an end': repeated('v', 'Digest nonce="'),
  escapes: repeated('\\\\"', 'Digest nonce="'),
  'a long list of qualities': repeated('x, ', 'Digest realm="r", nonce="n", qop="', '"'),
  'white space': repeated(' ', 'Digest'),
  'white space before an equals sign': repeated(' ', 'Digest nonce', '=n'),
  commas: repeated(',', 'Digest '),
  'equals signs': repeated('=', 'Digest a'),
  quotes: repeated('"', 'Digest '),
  'one long word': repeated('w'),
})

export const COOKIE_INPUTS: Input[] = family('cookie', {
  'cookies that differ': numbered((i) => `k${i}=v\n`),
  'one cookie over and over': repeated('a=b\n'),
  'cookies of different paths': numbered((i) => `a=b; path=/a/b${i}\n`),
  'attributes that differ': numbered((i) => `k${i}=v;`, 'a=b;'),
  'one attribute over and over': repeated('path=/;', 'a=b;'),
  'a long path': repeated('/a', 'a=b; path='),
  'a long domain': repeated('.a', 'a=b; domain='),
  'a long age': repeated('9', 'a=b; max-age='),
  'a long date': repeated('1 ', 'a=b; expires='),
  'white space': repeated(' ', 'a', 'b=c'),
  'white space at the end': repeated(' ', 'a=', ';'),
  semicolons: repeated(';', 'a=b'),
  'equals signs': repeated('='),
  'a long value': repeated('v', 'a='),
  'line breaks': repeated('\n'),
})

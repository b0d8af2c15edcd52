import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HttpRequestSettings } from './http-settings.ts'
import { parseCurl } from './parse-curl.ts'
import { shellWords } from './shell-words.ts'
import { toCurl } from './to-curl.ts'

const settings = (text: string) => parseCurl(text)!.settings
const skipped = (text: string) => parseCurl(text)!.notTaken.map(({ what }) => what)

describe('the words of a command', () => {
  it.each([
    [`a 'b c' "d \\"e\\" \\n" f\\ g`, ['a', 'b c', 'd "e" \\n', 'f g']],
    [`a \\\n  b \\\r\n c`, ['a', 'b', 'c']],
    [`a'b'"c"d ''`, ['abcd', '']],
    [`$'a\\nb\\'c\\x41\\u00e9\\xc3\\xa9'`, ["a\nb'cAéé"]],
    [
      `curl ^\n  ^"https://x.example/?a=1^&b=^%^7B^" ^\n  -H ^"X: ^\\^"q^\\^"^"`,
      ['curl', 'https://x.example/?a=1&b=%7B', '-H', 'X: "q"'],
    ],
    [`curl "https://x.example/it's" ^\r\n -H "X: it's"`, ['curl', "https://x.example/it's", '-H', "X: it's"]],
    [`curl 'a^"' "b^" $'it\\'s^"' \\^"c^"`, ['curl', 'a^"', 'b^', `it's^"`, '^c^']],
    [`curl 'a^\nb' \\\n c`, ['curl', 'a^\nb', 'c']],
    ['a # comment', ['a']],
    ['https://x.example/?a=1&b=2', ['https://x.example/?a=1&b=2']],
  ])('%s', (text, words) => expect(shellWords(text).words).toEqual(words))

  it('ends where the shell goes on with something else', () => {
    for (const rest of ['| jq .', '> out.json', '&& echo done', '; ls', '2>/dev/null']) {
      const found = shellWords(`curl https://x.example ${rest}`)
      expect(found.words).toEqual(['curl', 'https://x.example'])
      expect(found.notTaken).toHaveLength(1)
    }
    expect(shellWords('curl a\ncurl b').notTaken[0]!.what).toBe('curl b')
  })

  it('turns variables into templates, and says so', () => {
    const { words, notTaken } = shellWords(`"Bearer $TOKEN" \${HOST}/x '$TOKEN' $(date)`)
    expect(words).toEqual(['Bearer {{ env.TOKEN }}', '{{ env.HOST }}/x', '$TOKEN', '$(date)'])
    expect(notTaken.map(({ what }) => what)).toEqual(['$TOKEN', '${HOST}', '$(date)'])
    expect(notTaken[0]!.reason).toContain('MILLRACE_ENV_TOKEN')
  })
})

describe('reading a command', () => {
  it('takes a plain one', () => {
    expect(parseCurl('curl https://api.example.com/orders?x=1')).toEqual({
      settings: { method: 'GET', url: 'https://api.example.com/orders?x=1' },
      notTaken: [],
    })
    expect(settings('$ curl example.com')).toEqual({ method: 'GET', url: 'http://example.com' })
    expect(settings('A=1 sudo /usr/bin/curl --url "https://x.example"')).toMatchObject({ url: 'https://x.example' })
    expect(parseCurl('wget https://x.example')).toBe(null)
    expect(parseCurl('')).toBe(null)
  })

  it('takes JSON as JSON, and its header as said', () => {
    const json = { kind: 'json', value: { a: [1, 'x'] } }
    expect(settings(`curl https://x.example -H 'Content-Type: application/json' -d '{"a": [1, "x"]}'`)).toEqual({
      method: 'POST',
      url: 'https://x.example',
      body: json,
    })
    expect(
      settings(`curl https://x.example -H 'content-type: application/vnd.api+json' -d '{"a": [1, "x"]}'`),
    ).toMatchObject({
      headers: [{ name: 'content-type', value: 'application/vnd.api+json' }],
      body: json,
    })
    expect(settings(`curl -X PUT --json '{"a": [1,"x"]}' https://x.example`)).toMatchObject({
      method: 'PUT',
      headers: [{ name: 'Accept', value: 'application/json' }],
      body: json,
    })
    const guessed = parseCurl(`curl https://x.example -d '{"a": [1,"x"]}'`)!
    expect(guessed.settings.body).toEqual(json)
    expect(guessed.notTaken.map(({ what }) => what)).toEqual(['Content-Type'])
  })

  it('keeps as text what JSON would change', () => {
    const text = '{"id": 9007199254740993}'
    expect(settings(`curl https://x.example --json '${text}'`).body).toEqual({
      kind: 'text',
      value: text,
      contentType: 'application/json',
    })
    expect(settings(`curl https://x.example -H 'Content-Type: text/xml' -d '<a/>'`)).toEqual({
      method: 'POST',
      url: 'https://x.example',
      body: { kind: 'text', value: '<a/>', contentType: 'text/xml' },
    })
  })

  it('takes forms', () => {
    expect(settings(`curl https://x.example -d 'a=1&b=x%20y' -d c=+ --data-urlencode 'd=1 & 2'`).body).toEqual({
      kind: 'form',
      fields: [
        { name: 'a', value: '1' },
        { name: 'b', value: 'x y' },
        { name: 'c', value: ' ' },
        { name: 'd', value: '1 & 2' },
      ],
    })
    expect(settings('curl https://x.example -F name=Ada -F "note=a;b" -Fx=1').body).toEqual({
      kind: 'form',
      multipart: true,
      fields: [
        { name: 'name', value: 'Ada' },
        { name: 'note', value: 'a;b' },
        { name: 'x', value: '1' },
      ],
    })
    expect(settings('curl https://x.example -d plain').body).toEqual({
      kind: 'text',
      value: 'plain',
      contentType: 'application/x-www-form-urlencoded',
    })
  })

  it('puts data into the query with -G', () => {
    expect(settings('curl -G https://x.example -d a=1 --data-urlencode "q=x y"')).toEqual({
      method: 'GET',
      url: 'https://x.example',
      query: [
        { name: 'a', value: '1' },
        { name: 'q', value: 'x y' },
      ],
    })
  })

  it.each([
    '--digest -u key:s3cr3t',
    '-u key:s3cr3t --ntlm',
    '--negotiate --user key:s3cr3t',
    '--anyauth -ukey:s3cr3t',
    '--basic --digest -u key:s3cr3t',
    '--aws-sigv4 aws:amz:eu-central-1:s3 -u key:s3cr3t',
    '--aws-sigv4=aws:amz -u key:s3cr3t',
    '--ntlm-wb -u key:s3cr3t',
  ])('leaves credentials out that Basic would send in clear, and says so: %s', (options) => {
    const parsed = parseCurl(`curl ${options} https://x.example`)!
    expect(parsed.settings).toEqual({ method: 'GET', url: 'https://x.example' })
    expect(parsed.notTaken.map(({ what }) => what.split(' ', 1)[0])).toEqual([
      expect.stringMatching(/^--/),
      'Credentials',
    ])
    expect(JSON.stringify(parsed)).not.toContain('s3cr3t')
  })

  it('takes credentials from the URL to where they are sealed, or leaves them out', () => {
    expect(settings('curl https://ada:se%40cret@x.example/a@b')).toEqual({
      method: 'GET',
      url: 'https://x.example/a@b',
      auth: { kind: 'basic', username: 'ada', password: 'se@cret' },
    })
    expect(parseCurl('curl --digest https://ada:s3cr3t@x.example')).toMatchObject({
      settings: { method: 'GET', url: 'https://x.example' },
      notTaken: [{ what: '--digest' }, { what: 'Credentials' }],
    })
  })

  it('takes credentials from a URL with templates and signs in them, and says which it leaves out', () => {
    const auth = (username: string, password: string) => ({ kind: 'basic', username, password })
    expect(settings('curl "https://$WHO:$KEY@x.example/a"')).toMatchObject({
      url: 'https://x.example/a',
      auth: auth('{{ env.WHO }}', '{{ env.KEY }}'),
    })
    expect(settings('curl "https://ada:p@ss:w@x.example?q=a@b"')).toMatchObject({
      url: 'https://x.example?q=a@b',
      auth: auth('ada', 'p@ss:w'),
    })
    expect(settings('curl ada:s3cr3t@x.example')).toMatchObject({
      url: 'http://x.example',
      auth: auth('ada', 's3cr3t'),
    })
    expect(settings('curl ftp://ada:s3cr3t@x.example')).toMatchObject({ url: 'ftp://x.example' })
    expect(parseCurl('curl -u bob:other https://ada:s3cr3t@x.example')).toEqual({
      settings: { method: 'GET', url: 'https://x.example', auth: auth('bob', 'other') },
      notTaken: [{ what: 'Credentials in the URL', reason: expect.any(String) }],
    })
  })

  it.each([
    ['https://x.example/[1-3]/{a,b}?c=[a-f:2]', 'https://x.example/1/a?c=a', ['[1-3]', '{a,b}', '[a-f:2]']],
    ['https://x.example/{{ env.A }}/{b}{{ list[1-3] }}', 'https://x.example/{{ env.A }}/b{{ list[1-3] }}', ['{b}']],
    ['https://x.example/{b,{{ env.A }}}', 'https://x.example/b', ['{b,{{ env.A }}}']],
    ['https://x.example/?ids[]=1&a[b]=[c]', 'https://x.example/?ids[]=1&a[b]=[c]', []],
    ['http://[::1]:8080/', 'http://[::1]:8080/', []],
    ['https://x.example/\\[1-3\\]', 'https://x.example/[1-3]', []],
    ['-g https://x.example/[1-3]/{a,b}', 'https://x.example/[1-3]/%7Ba,b%7D', []],
  ])('sends one request where curl would send several, and says so: %s', (written, url, patterns) => {
    const command = `curl ${written.replace(/(?=http)/, "'")}'`
    expect(settings(command)).toEqual({ method: 'GET', url })
    expect(skipped(command)).toEqual(patterns)
  })

  it.each([
    ['-d @f', 'POST', { kind: 'text', value: '', contentType: 'application/x-www-form-urlencoded' }],
    ['--data-binary @f -H "Content-Type: text/csv"', 'POST', { kind: 'text', value: '', contentType: 'text/csv' }],
    ['-d @f -H "Content-Type: application/json"', 'POST', { kind: 'json', value: {} }],
    ['-X PATCH --json @f', 'PATCH', { kind: 'json', value: {} }],
    ['-d a=1 -d @f', 'POST', { kind: 'form', fields: [{ name: 'a', value: '1' }] }],
    ['--data-urlencode note@f', 'POST', { kind: 'form', fields: [{ name: 'note', value: '' }] }],
    [
      '-F f=@a -F name=Ada',
      'POST',
      {
        kind: 'form',
        multipart: true,
        fields: [
          { name: 'f', value: '' },
          { name: 'name', value: 'Ada' },
        ],
      },
    ],
    ['-F "f=<a;type=text/csv"', 'POST', { kind: 'form', multipart: true, fields: [{ name: 'f', value: '' }] }],
    ['-T f', 'PUT', { kind: 'text', value: '' }],
    ['--upload-file f -H "Content-Type: application/json"', 'PUT', { kind: 'json', value: {} }],
    ['-T f -X POST', 'POST', { kind: 'text', value: '' }],
  ])('keeps the method and room for the content of a file, and says where it belongs: %s', (options, method, body) => {
    const parsed = parseCurl(`curl ${options} -H 'X-Trace: 7' https://x.example/a`)!
    expect(parsed.settings).toMatchObject({ method, url: 'https://x.example/a', body })
    expect(parsed.settings.headers).toContainEqual({ name: 'X-Trace', value: '7' })
    expect(parsed.notTaken).toEqual([
      {
        what: expect.stringMatching(/^-.*[@<fa]/),
        reason: expect.stringMatching(/: put the content.* into the (?:body|value)/),
      },
    ])
  })

  it('names what is uploaded where the URL names nothing, and puts no file into a query', () => {
    const url = (command: string) => settings(command).url
    expect(url('curl -T "dir/my file.txt" https://x.example')).toBe('https://x.example/my%20file.txt')
    expect(url('curl -T f.txt https://x.example/in/')).toBe('https://x.example/in/f.txt')
    expect(url('curl -T f.txt "https://x.example/in/?a=1"')).toBe('https://x.example/in/?a=1')
    expect(url('curl -T - https://x.example/in/')).toBe('https://x.example/in/')
    expect(parseCurl('curl -G -d @f -d a=1 --url-query n@g https://x.example')).toMatchObject({
      settings: {
        method: 'GET',
        query: [
          { name: 'n', value: '' },
          { name: 'a', value: '1' },
        ],
      },
      notTaken: [{ reason: expect.stringContaining('the query') }, { reason: expect.stringContaining('the query') }],
    })
  })

  it('leaves out headers that could not be published, and a body with HEAD', () => {
    const command = `curl -X HEAD -d x https://x.example -H 'Expect: 100-continue' -H 'X Y: s3cr3t' -H 'X-Name: 日本' -A 日本`
    const parsed = parseCurl(command)!
    expect(parsed.settings).toEqual({ method: 'HEAD', url: 'https://x.example' })
    expect(parsed.notTaken.map(({ what }) => what)).toEqual([
      '-H Expect: 100-continue',
      '-H X Y',
      '-H X-Name',
      '-A User-Agent',
      'Body',
    ])
  })

  it('repeats no secret among what it could not take over', () => {
    const { notTaken } = parseCurl(
      'curl -U me:s3cr3t --pass s3cr3t -E file.pem:s3cr3t -x http://me:s3cr3t@proxy:3128 https://x.example',
    )!
    expect(notTaken.map(({ what }) => what)).toEqual(['-U', '--pass', '-E', '-x http://proxy:3128'])
  })

  it('takes credentials where they are sealed', () => {
    expect(settings('curl -u ada:se:cret https://x.example').auth).toEqual({
      kind: 'basic',
      username: 'ada',
      password: 'se:cret',
    })
    expect(settings(`curl https://x.example -H 'authorization: bearer abc'`)).toEqual({
      method: 'GET',
      url: 'https://x.example',
      auth: { kind: 'bearer', token: 'abc' },
    })
    expect(settings(`curl https://x.example -H 'Authorization: Basic YWRhOng='`).auth).toEqual({
      kind: 'basic',
      username: 'ada',
      password: 'x',
    })
    expect(settings(`curl https://x.example -H 'X-API-Key: k'`).auth).toEqual({
      kind: 'apiKey',
      name: 'X-API-Key',
      value: 'k',
      in: 'header',
    })
    expect(settings(`curl https://x.example -H 'Authorization: Digest x'`).headers).toHaveLength(1)
  })

  it('takes the smaller options, joined or apart', () => {
    expect(
      settings(
        `curl -sSLXDELETE -A agent -e https://r.example -b 'a=1; b=2' -m10 --retry 2 --retry-delay=3 --compressed https://x.example -H 'X-Empty;'`,
      ),
    ).toEqual({
      method: 'DELETE',
      url: 'https://x.example',
      headers: [
        { name: 'User-Agent', value: 'agent' },
        { name: 'Referer', value: 'https://r.example' },
        { name: 'Cookie', value: 'a=1; b=2' },
        { name: 'X-Empty', value: '' },
      ],
      timeout: 10,
      retry: { attempts: 3, delay: 3 },
    })
    expect(settings('curl -I https://x.example').method).toBe('HEAD')
  })

  it('lists what it could not take over, each with its reason', () => {
    const text = `curl -k -x http://proxy:3128 --cert c.pem -o out -d @body.json -F f=@a.png -b jar.txt --http2 \
      --connect-timeout 3 -X PURGE -H 'Host: other' -H 'Accept:' --max-time 900 --odd -H @file https://a.example https://b.example --next https://c.example`
    const { notTaken, settings: taken } = parseCurl(text)!
    expect(notTaken.map(({ what }) => what)).toEqual([
      '-k',
      '-x http://proxy:3128',
      '--cert',
      '-o out',
      '-F f=@a.png',
      '-b jar.txt',
      '--http2',
      '--connect-timeout 3',
      '-H Host: other',
      '-H Accept:',
      '--max-time 900',
      '--odd',
      '-H @file',
      'https://b.example',
      '--next',
      '-d @body.json',
      '-X PURGE',
      '-d',
    ])
    for (const { reason } of notTaken) expect(reason).toMatch(/^[A-Z].*\.$/)
    expect(taken).toEqual({
      method: 'POST',
      url: 'https://a.example',
      body: { kind: 'form', fields: [{ name: 'f', value: '' }], multipart: true },
    })
    expect(skipped('curl -X POST')).toEqual(['URL'])
  })
})

describe('writing a command', () => {
  it('writes an XML body as XML, and one that is none as nothing', () => {
    const command = (value: unknown) =>
      toCurl({ method: 'POST', url: 'https://x.example', body: { kind: 'xml', value } })
    const text = '<?xml version="1.0" encoding="UTF-8"?>\n<a id="{{ webhook.body.id }}">&lt;</a>'
    expect(command({ a: { '@id': '{{ webhook.body.id }}', '#text': '<' } })).toContain(`--data-raw '${text}'`)
    expect(command({ a: { '@id': '{{ webhook.body.id }}' } })).toContain("-H 'Content-Type: application/xml'")
    expect(command(null)).toContain("--data-raw ''")
  })

  it('leaves templates as they are, and writes no secret', () => {
    expect(
      toCurl({
        method: 'POST',
        url: 'https://api.example.com/orders/{{ webhook.body.id }}',
        query: [{ name: 'page', value: '{{ loop.index + 1 }}' }],
        headers: [{ name: 'X-Note', value: "it's" }],
        auth: { kind: 'bearer', token: 'sealed:abc' },
        body: { kind: 'json', value: { text: '{{ steps.a.body }}' } },
        timeout: 5,
      }),
    ).toBe(`curl 'https://api.example.com/orders/{{ webhook.body.id }}?page={{ loop.index + 1 }}' \\
  -H 'X-Note: it'\\''s' \\
  -H 'Authorization: Bearer <token>' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"text":"{{ steps.a.body }}"}' \\
  --max-time 5 \\
  -L`)
    for (const auth of [
      { kind: 'basic', username: 'ada', password: 'hunter2' },
      { kind: 'apiKey', name: 'k', value: 'hunter2', in: 'query' },
      { kind: 'apiKey', name: 'k', value: 'hunter2' },
    ] as const)
      expect(toCurl({ method: 'GET', url: 'https://x.example', auth })).not.toContain('hunter2')
    expect(toCurl({ method: 'GET', url: 'https://x.example', tls: { connection: 'bank' } })).toContain(
      "--cert '<certificate and key of bank>'",
    )
    expect(toCurl({ method: 'GET', url: 'https://x.example', auth: { kind: 'oauth2', connection: 'shop' } })).toContain(
      '<access token of shop>',
    )
  })
})

it('writes what there is of a draft, as words of a shell', () => {
  const draft = (settings: object) => toCurl(settings as HttpRequestSettings)
  expect(draft({})).toBe("curl '' \\\n  -L")
  expect(
    draft({
      method: '',
      url: 'https://x.example',
      query: [{ name: 'n', value: 1 }, {}],
      headers: [{ name: 'X-N', value: 2 }, {}],
      auth: { kind: 'basic' },
      body: { kind: 'json' },
      timeout: '{{ $(reboot) }}',
      idempotencyKey: true,
    }),
  ).toBe(`curl -X GET 'https://x.example?n=1&=' \\
  -H 'X-N: 2' \\
  -H ';' \\
  -u : \\
  -H 'Idempotency-Key: <id of the run and step>' \\
  -H 'Content-Type: application/json' \\
  --data-raw null \\
  --max-time '{{ $(reboot) }}' \\
  -L`)
  for (const kind of ['bearer', 'apiKey', 'oauth2']) draft({ auth: { kind } })
  for (const body of [{ kind: 'text' }, { kind: 'form' }, { kind: 'form', multipart: true }]) draft({ body })
})

it('encodes a form as the step does, and leaves it to curl only for templates', () => {
  const form = (value: string) =>
    toCurl({ method: 'POST', url: 'https://x.example', body: { kind: 'form', fields: [{ name: 'a b', value }] } })
  expect(form('1 & 2')).toContain('--data-raw a+b=1+%26+2 ')
  expect(form('{{ env.X }}')).toContain("--data-urlencode 'a%20b={{ env.X }}'")
})

const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((s) => s.isWellFormed() && !/[\0\r]|\{\{/.test(s))
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const headerValue = fc.string({ maxLength: 12 }).map((s) => s.replaceAll(/[{}]/g, '').trim())
const template = fc.constantFrom(
  '{{ webhook.body.id }}',
  '{{ env.X }}',
  "{{ steps.a.body['k'] ?? 'd' }}",
  '{{ a ? b : c }}',
)
const value = fc.oneof(text, template)
const pair = fc.record({
  name: fc.oneof(
    name,
    text.filter((s) => s !== ''),
  ),
  value,
})
const field = fc.record({ name, value })
const header = fc
  .record({ name: name.map((s) => `X-${s}`), value: fc.oneof(headerValue, template) })
  .filter((one) => !/^x-api-?key$/i.test(one.name))
const jsonTree = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2 },
    value,
    fc.integer({ min: -1e6, max: 1e6 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
  ),
})).tree
const request: fc.Arbitrary<HttpRequestSettings> = fc.record(
  {
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    url: fc.constantFrom(
      'https://x.example/a?b=%20',
      'https://x.example',
      '{{ env.API_URL }}/a',
      "https://x.example/it's/$HOME",
      'https://x.example/[1-3]?ids[]=1',
    ),
    query: fc.array(pair, { minLength: 1, maxLength: 3 }),
    headers: fc.array(header, { minLength: 1, maxLength: 3 }),
    body: fc.oneof(
      fc.record({ kind: fc.constant('json' as const), value: jsonTree }),
      fc.record({
        kind: fc.constant('form' as const),
        fields: fc.array(field, { minLength: 1, maxLength: 3 }),
        multipart: fc.constant(true),
      }),
      fc.record({ kind: fc.constant('form' as const), fields: fc.array(field, { minLength: 1, maxLength: 3 }) }),
      fc.record({ kind: fc.constant('text' as const), value, contentType: fc.constantFrom('text/xml', 'text/plain') }),
    ),
    auth: fc.oneof(
      fc.record({
        kind: fc.constant('basic' as const),
        username: fc.oneof(name, template),
        password: fc.constantFrom('', '{{ connections.shop.password }}'),
      }),
      fc.record({ kind: fc.constant('bearer' as const), token: template }),
      fc.record({
        kind: fc.constant('apiKey' as const),
        name: fc.constantFrom('X-API-Key', 'api-key'),
        value: template,
        in: fc.constant('header' as const),
      }),
    ),
    timeout: fc.integer({ min: 1, max: 300 }),
    followRedirects: fc.constant(false),
    cookies: fc.constant(true),
    retry: fc.record(
      { attempts: fc.integer({ min: 2, max: 9 }), delay: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: ['attempts'] },
    ),
  },
  { requiredKeys: ['method', 'url'] },
)

/** Moves the query into the URL, where a command has it. */
function joined({ query, ...rest }: HttpRequestSettings): HttpRequestSettings {
  const encoded = (part: string) => (part.includes('{{') ? part : encodeURIComponent(part))
  const pairs = (query ?? []).map((one) => `${encoded(one.name)}=${encoded(one.value)}`).join('&')
  return pairs ? { ...rest, url: `${rest.url}${rest.url.includes('?') ? '&' : '?'}${pairs}` } : rest
}

it('reads what it wrote', () => {
  fc.assert(
    fc.property(request, (given) => {
      expect(parseCurl(toCurl(given))).toEqual({ settings: joined(given), notTaken: [] })
    }),
    { numRuns: 500 },
  )
})

it('survives any text', () => {
  const pieces = fc.constantFrom(
    'curl',
    ' ',
    '-',
    '--',
    "'",
    '"',
    '$',
    '`',
    '\\',
    '\n',
    '^',
    '-d',
    '-H',
    '-F',
    '@',
    '=',
    ':',
    '{{',
    '{"a":',
    '%',
    '&',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 }))), (parts) => {
      parseCurl(`curl ${parts.join('')}`)
    }),
    { numRuns: 500 },
  )
})

import { type BinaryToTextEncoding, createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { textFunctions } from './host-functions.ts'
import { testSandbox } from './sandbox.testkit.ts'

const { run, result, failure } = testSandbox(1)

describe('what the code gets', () => {
  it('hashes as Node does', async () => {
    const texts = ['', 'text', 'é😀', 'a\0b', '\ud800x', 'x'.repeat(100_000)]
    const algorithms = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
    // The types of Node leave latin1 out.
    const encodings = ['hex', 'base64', 'base64url', 'latin1', 'binary'] as BinaryToTextEncoding[]
    const body = `({ texts, algorithms, encodings }) => texts.map((t) => algorithms.map((a) => [
      [...crypto.createHash(a).update(t).digest()], [...crypto.createHmac(a, 'key').update(t).digest()],
      encodings.map((e) => [crypto.createHash(a).digest(e), crypto.createHash(a).update(t).digest(e),
        crypto.createHash(a).update(t).update('x').digest(e), crypto.createHmac(a, t).update('x').update(t).digest(e)])]))`
    const expected = texts.map((t) =>
      algorithms.map((a) => [
        [...createHash(a).update(t).digest()],
        [...createHmac(a, 'key').update(t).digest()],
        encodings.map((e) => [
          createHash(a).digest(e),
          createHash(a).update(t).digest(e),
          createHash(a).update(t).update('x').digest(e),
          createHmac(a, t).update('x').update(t).digest(e),
        ]),
      ]),
    )
    expect(await run(body, { input: { texts, algorithms, encodings } })).toEqual(expected)
  })

  it('hashes short and long texts and bytes after one another', async () => {
    const chunks = ['a', 'b'.repeat(2990), '\nt3 utf8', 'c'.repeat(4000), 'd\0', '\ud800', '', 'é'.repeat(3000), 'e']
    // Each row begins with another chunk, so that each is the first that crosses by itself once.
    const rows = chunks.map((_, i) => [...chunks.slice(i), ...chunks.slice(0, i)].filter((_, j) => j !== i))
    const body = `(rows) => rows.map((row) => {
      const hash = crypto.createHmac('sha256', row[0])
      for (const text of row) hash.update(text).update(Uint8Array.of(1, 0, 2)).update(text.length > 9 ? 'aa' : 'bb', 'hex')
      return hash.digest('hex')
    })`
    const expected = rows.map((row) => {
      const hash = createHmac('sha256', row[0]!)
      for (const text of row)
        hash
          .update(text)
          .update(Uint8Array.of(1, 0, 2))
          .update(text.length > 9 ? 'aa' : 'bb', 'hex')
      return hash.digest('hex')
    })
    expect(await run(body, { input: rows })).toEqual(expected)
  })

  it.each([
    ['', 'Unknown encoding: utf8'],
    // Not even where the code has taken the guest's own check away.
    ['String.prototype.includes = () => false', 'no such chunk'],
  ])('takes no encoding that reads as chunks, which could lead back without end%s', async (before, message) => {
    const tried = [
      'utf8\nA\ni-11 utf8\nx',
      'utf8\nA\ni1e9 utf8\n',
      'utf8\nA\nt-3 utf8',
      'utf8\nA\n\n',
      'utf8\nA\nb2',
    ].map((encoding) =>
      result(`${before}\nexport default (input) => crypto.createHash('sha256').update('A', input).digest('hex')`, {
        input: encoding,
      }).catch((error: Error) => error.message),
    )
    for (const told of await Promise.all(tried)) expect(told).toContain(message)
  })

  it('reads no more chunks in one text than the guest puts there', async () => {
    const digest = textFunctions.get('hash')!
    const none = { text: () => '', bytes: () => new Uint8Array(0) }
    const said = `sha256${'\ni0 hex\n'.repeat(376)}`
    expect(() => digest(`t${said.length} hex\n${said}`, none)).toThrow('no such chunk')
    const body = `(n) => { const hash = crypto.createHash('sha256'); for (let i = 0; i < n; i++) hash.update('', 'hex'); return hash.digest('hex') }`
    for (const n of [370, 371, 372, 373, 374, 375, 376, 2_000])
      expect(await run(body, { input: n })).toBe(createHash('sha256').digest('hex'))
  })

  it('takes and gives bytes', async () => {
    const key = Uint8Array.of(0, 255, 1)
    expect(
      await run(`() => {
      const view = Uint8Array.of(9, 0, 255, 1, 9).subarray(1, 4)
      const digest = crypto.createHmac('sha1', view).update(new Uint8Array([1, 2])).update('YWI=', 'base64').digest()
      return [digest instanceof Uint8Array, [...digest]]
    }`),
    ).toEqual([true, [...createHmac('sha1', key).update(Uint8Array.of(1, 2)).update('ab').digest()]])
  })

  it('compares in constant time', async () => {
    expect(
      await run(`() => {
      const e = new TextEncoder()
      return [crypto.timingSafeEqual(e.encode('ab'), e.encode('ab')), crypto.timingSafeEqual(e.encode('ab'), e.encode('ac')), crypto.timingSafeEqual('é', 'é')]
    }`),
    ).toEqual([true, false, true])
    expect((await failure('export default () => crypto.timingSafeEqual("a", "ab")')).message).toContain(
      'same byte length',
    )
  })

  it.each([
    'crypto.createHash("sha999")',
    'crypto.createHash("__proto__")',
    'crypto.createHmac("sha256")',
    'crypto.createHmac("sha256", {})',
    'crypto.createHash("sha256").update(5)',
    'crypto.createHash("sha256").update("a", "nonsense").digest("hex")',
    'crypto.createHash("sha256").update("a").digest("nonsense")',
    '(() => { const h = crypto.createHash("md5"); h.digest(); h.update("x") })()',
    'atob("*")',
    'btoa("€")',
    'new URL("nonsense")',
    'new TextDecoder("latin1")',
    'new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.of(255))',
    'structuredClone(() => 1)',
    'setTimeout(() => 1, 1)',
    'xml("<a>")',
    'xml("<a/>", { lists: 1 })',
    'xml("<a/>", { nonsense: 1 })',
    'toXml("a")',
    'csv("a", { header: 1 })',
    'toCsv([1])',
  ])('refuses %s', async (expression) => {
    expect(await failure(`export default () => { ${expression} }`)).toMatchObject({
      code: 'code_failed',
      message: expect.stringContaining('line 1'),
    })
  })

  it('reads and changes URLs', async () => {
    expect(
      await run(`() => {
      const url = new URL('../b c?x=1&x=2#h', 'https://user:pw@exämple.com:8443/a/d/')
      url.searchParams.append('y', 'ä&=')
      url.searchParams.set('x', '3')
      url.pathname += '/z'
      url.port = ''
      return [String(url), url.origin, url.hash, url.searchParams.get('y'), [...url.searchParams], URL.canParse('/x'), JSON.stringify({ url })]
    }`),
    ).toEqual([
      'https://user:pw@xn--exmple-cua.com/a/b%20c/z?x=3&y=%C3%A4%26%3D#h',
      'https://xn--exmple-cua.com',
      '#h',
      'ä&=',
      [
        ['x', '3'],
        ['y', 'ä&='],
      ],
      false,
      '{"url":"https://user:pw@xn--exmple-cua.com/a/b%20c/z?x=3&y=%C3%A4%26%3D#h"}',
    ])
    expect(
      await run(`() => {
      const query = new URLSearchParams({ a: 1, b: 'x y' })
      query.append('a', '2'); query.sort(); query.delete('b')
      return [query.toString(), query.getAll('a'), query.has('b'), query.size, Object.fromEntries(new URLSearchParams('?q=%zz&r=+'))]
    }`),
    ).toEqual(['a=1&a=2', ['1', '2'], false, 2, { q: '%zz', r: ' ' }])
  })

  it('encodes, decodes and clones', async () => {
    expect(
      await run(`() => {
      const bytes = new TextEncoder().encode('é\\0😀')
      const original = { d: new Date(0), m: new Map([[1, new Set([2])]]), b: bytes, n: [1, , 3] }
      original.self = original
      const copy = structuredClone(original)
      return [[...bytes], new TextDecoder().decode(bytes), new TextDecoder().decode(Uint8Array.of(0xef, 0xbb, 0xbf, 65, 255)), atob(btoa('\\xff\\0a')) === '\\xff\\0a',
        copy !== original, copy.self === copy, copy.d.getTime(), [...copy.m.get(1)], [...copy.b].length, 1 in copy.n]
    }`),
    ).toEqual([[195, 169, 0, 240, 159, 152, 128], 'é\0😀', 'A�', true, true, true, 0, [2], 7, false])
  })

  it('reads and writes XML and CSV as expressions do', async () => {
    expect(
      await run(`() => [xml('<o id="007"><i>a &amp; b</i></o>', { lists: ['o.i'] }), toXml({ o: { '@id': 7, i: ['<', 2] } }),
        csv('id\\n007'), csv('1;2', { header: false, delimiter: ';' }), toCsv([{ a: '=1' }], { escapeFormulas: true })]`),
    ).toEqual([
      { o: { '@id': '007', i: ['a & b'] } },
      '<o id="7"><i>&lt;</i><i>2</i></o>',
      [{ id: '007' }],
      [['1', '2']],
      "a\r\n'=1\r\n",
    ])
  })

  it('lacks everything that reaches out', async () => {
    const names = [
      'process',
      'fetch',
      'WebAssembly',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'XMLHttpRequest',
      'WebSocket',
      'Worker',
      'Buffer',
      'global',
      'module',
      'exports',
      '__dirname',
      'Deno',
      'Bun',
      'navigator',
      'SharedArrayBuffer',
      'Atomics',
      'performance',
      'std',
      'os',
      '__host',
      '__kit',
      'print',
      'load',
      'scriptArgs',
    ]
    expect(await run(`() => ${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual([])
    expect((await failure('export default () => {\n  return process.env\n}')).message).toBe(
      'ReferenceError: process is not defined (line 2, column 10)',
    )
    expect((await failure('export default () => fetch("x")')).hint).toContain('http step')
  })
})

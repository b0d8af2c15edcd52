import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactorOf, testVault } from './keys.testkit.ts'
import { Redactor } from './redactor.ts'
import { createProtect } from './secret-keeping.ts'
import { MASK } from './secret-search.ts'

const NAMED: Record<string, string> = {
  '"': '&quot;',
  "'": '&apos;',
  '+': '&plus;',
  ä: '&auml;',
  '/': '&sol;',
  '?': '&quest;',
  '=': '&equals;',
  '\\': '&bsol;',
}
const wrapped = (text: string, by: string) => text.replaceAll(/.{76}/g, (line) => line + by)
const SECRET = `kä"n'a\\r y+1/?=🐤`
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('redactText', () => {
  const redactor = redactorOf(SECRET)

  it.each([
    ['raw', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in lower case', encodeURIComponent(SECRET).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ['form-encoded', new URLSearchParams({ k: SECRET }).toString()],
    ['in a URL as the URL parser writes it', new URL(`http://h/?q=${SECRET}`).search],
    ['URL-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in JSON', JSON.stringify({ k: SECRET })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ k: SECRET }))],
    ['in JSON with all escapes', SECRET.split('').map(escapeUnit).join('')],
    ['base64', base64(SECRET)],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['base64, URL-encoded', encodeURIComponent(base64(SECRET))],
    ['Basic auth', `Basic ${base64(`me:${SECRET}`)}`],
    ['Basic auth of an OAuth client', `Basic ${base64(`me:${encodeURIComponent(SECRET)}`)}`],
    ['in JSON in base64', base64(JSON.stringify({ k: SECRET }))],
    ['base64 twice', base64(base64(`me:${SECRET}`))],
    ['base64 wrapped at 76 columns', wrapped(base64(`${'x'.repeat(50)}${SECRET}${'y'.repeat(50)}`), '\r\n')],
    ['base64 wrapped, in JSON', JSON.stringify({ k: wrapped(base64(`${'x'.repeat(50)}${SECRET}`), '\n') })],
    ['hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['hexadecimal in capitals', Buffer.from(`a${SECRET}`).toString('hex').toUpperCase()],
    ['in small letters', SECRET.toLowerCase()],
    ['in capitals', SECRET.toUpperCase()],
    ['in HTML', SECRET.replaceAll(/["'&<>]/g, (c) => ({ '"': '&quot;', "'": '&#39;' })[c]!)],
    ['in HTML by names', SECRET.replaceAll(/["'+ä/?=\\]/g, (c) => NAMED[c]!)],
    ['in HTML by numbers', Array.from(SECRET, (c) => `&#${c.codePointAt(0)};`).join('')],
    ['in HTML by hexadecimal numbers', Array.from(SECRET, (c) => `&#X${c.codePointAt(0)!.toString(16)};`).join('')],
    ['in HTML in JSON', JSON.stringify({ k: `<p>${SECRET.replaceAll('"', '&quot;')}</p>` })],
  ])('hides a secret that is %s', (_form, text) => {
    const shown = redactor.redactText(`<< ${text} >>`)
    expect(shown).toContain(MASK)
    expect(shown.startsWith('<< ')).toBe(true)
    expect(shown.endsWith(' >>')).toBe(true)
    expect(redactor.contains(shown)).toBe(false)
  })

  it('hides secrets that overlap, and leaves what is around them', () => {
    expect(redactorOf('abcdefgh', 'efghijkl').redactText('1abcdefghijkl2')).toBe(`1${MASK}2`)
    expect(redactorOf('abcdef', 'abcdefgh').redactText('abcdefgh abcdef-')).toBe(`${MASK} ${MASK}-`)
    expect(redactorOf('aaaaaa').redactText('aaaaaaaab')).toBe(`${MASK}b`)
  })

  it('hides what a header carries of a pasted token', () => {
    expect(redactorOf('  bearer   s3cr3t-token ').redactText('Authorization: Bearer s3cr3t-token')).toBe(
      `Authorization: Bearer ${MASK}`,
    )
  })

  it('leaves text alone that holds none, though it looks encoded', () => {
    const text = '100%, %zz, %C3%28, \\u12, {"a":"\\n"} aGVsbG8='
    expect(redactor.redactText(text)).toBe(text)
    expect(new Redactor().redactText(SECRET)).toBe(SECRET)
  })

  it('hides a long secret, and as much of it as a text that was cut off has', () => {
    const long = Array.from({ length: 60 }, (_, i) => `line ${i * 7919} of a key`).join('\n')
    const redactor = redactorOf(long)
    expect(redactor.redactText(`<${long}>`)).toBe(`<${MASK}>`)
    expect(redactor.redactText(`<${JSON.stringify(long)}>`)).toBe(`<"${MASK}">`)
    expect(redactor.redactText(`<${long.slice(0, 640)}`)).toBe(`<${MASK}`)
    expect(redactor.redactText(`<${base64(long)}>`)).toMatch(/^<\[secret\].{0,4}>$/)
  })

  // With an exception per escape, or a comparison per place and pattern, each of these would exceed a test's time limit.
  it.each(['%ff', '%61', '%25', 'a', 'x', 'sk_live_', '\\', '\\u0061', '&#x61;', '&nosuch', '\n'])(
    'copes with a long text of %j',
    (piece) => {
      const hostile = redactorOf(SECRET, 'aaaaaa', `${'x'.repeat(30_000)}z`, 'sk_live_1234567')
      const text = piece.repeat(piece === '%ff' ? 3_000_000 : 150_000)
      expect(hostile.redactText(text).length).toBeLessThanOrEqual(text.length)
      const json = JSON.stringify(Array(20_000).fill(text.slice(0, 24)))
      expect(JSON.parse(hostile.redactJsonText(json))).toEqual(hostile.redactJson(JSON.parse(json)))
    },
  )

  it('hides two layers of encoding in a long text too', () => {
    const text = `${'x'.repeat(100_000)}${encodeURIComponent(encodeURIComponent(SECRET))}`
    expect(redactor.redactText(text)).toBe(`${'x'.repeat(100_000)}${MASK}`)
  })

  it('finds one of two thousand', () => {
    const many = redactorOf(...Array.from({ length: 2000 }, (_, i) => `secret number ${i * 7919}!`))
    expect(many.redactText(`x secret number ${7919 * 1711}! y`)).toBe(`x ${MASK} y`)
    expect(many.redactText(`x secret number 3! y`)).toBe('x secret number 3! y')
  })
})

describe('short secrets', () => {
  const redactor = redactorOf('abc12', 'eu')

  it('are hidden where they are a whole string', () => {
    expect(redactor.redactJson(['abc12', { abc12: 'xabc12' }])).toEqual([MASK, { [MASK]: 'xabc12' }])
    expect(redactor.redactJsonText('["abc12", {"k": "xabc12"}]')).toBe(`["${MASK}", {"k": "xabc12"}]`)
    expect(redactor.contains('abc12')).toBe(true)
  })

  it('are left when they are so short that hiding them would hide everything', () => {
    expect(redactor.redactJsonText('["eu"]')).toBe('["eu"]')
  })
})

describe('redactJson', () => {
  it('hides secrets in strings, keys and numbers, and returns what has none as it is', () => {
    const redactor = redactorOf('s3cr3ts', '12345678')
    const clean = { a: [1, { b: 'x' }], c: 1234567 }
    expect(redactor.redactJson(clean)).toBe(clean)
    expect(redactor.redactJson({ clean, 'a s3cr3ts': ['s3cr3ts!'], n: 12345678 })).toEqual({
      clean,
      [`a ${MASK}`]: [`${MASK}!`],
      n: MASK,
    })
  })
})

describe('redactJsonText', () => {
  const redactor = redactorOf('nabcdef', 'quoted"\\', '12345678', ']]]]]]', 'metadata')

  it('changes nothing but the strings and numbers that hold a secret', () => {
    const text = '{ "a" : [ 1.0, "x\\u00e9 50%20", 1e3 ] , "b": "-nabcdef-", "n": -12345678.5 }'
    expect(redactor.redactJsonText(text)).toBe(
      `{ "a" : [ 1.0, "x\\u00e9 50%20", 1e3 ] , "b": "-${MASK}-", "n": "${MASK}" }`,
    )
  })

  it('returns the same text where there is none', () => {
    const text = '{"a":"b","c":"50%25 \\u0041"}'
    expect(redactor.redactJsonText(text)).toBe(text)
  })

  it.each([
    ['a newline before what looks like it', JSON.stringify({ k: '\nabcdef' }), false],
    ['brackets that look like it', '[[[[[["x"]]]]]]', false],
    ['quotes and backslashes', JSON.stringify({ k: 'quoted"\\' }), true],
    ['needless escapes', '{"k":"\\u006eabcdef","l":"a\\/b"}', true],
    ['a key', '{"x nabcdef y":1}', true],
    ['our own key', '{"metadata":{"k":1}}', false],
    ['our own key as a value', '{"k":"metadata"}', true],
  ])('stays JSON with %s', (_what, text, hides) => {
    const shown = redactor.redactJsonText(text)
    expect(shown.includes(MASK)).toBe(hides)
    expect(() => JSON.parse(shown)).not.toThrow()
    if (!hides) expect(shown).toBe(text)
  })

  it('does not fail on what is no JSON', () => {
    expect(redactor.redactJsonText('{"k": "nabcdef \\x')).toContain(MASK)
  })
})

describe('whatever the secret and the text around it', () => {
  const secrets = fc.string({ unit: 'binary', minLength: 6, maxLength: 40 }).filter(isSendable)
  const around = fc.string({ unit: 'binary', maxLength: 20 })

  it('survives in no encoded form', () => {
    const encodings: ((text: string) => string)[] = [
      (text) => text,
      encodeURIComponent,
      (text) => new URLSearchParams({ q: text }).toString(),
      (text) => encodeURIComponent(text).replaceAll(/%../g, (hex) => hex.toLowerCase()),
      (text) => JSON.stringify(text),
      base64,
      (text) => Buffer.from(text).toString('base64url'),
      (text) => `Basic ${base64(`user:${text}`)}`,
      (text) => encodeURIComponent(base64(text)),
      (text) => JSON.stringify({ nested: JSON.stringify({ text }) }),
      (text) => Buffer.from(text).toString('hex'),
      (text) => base64(base64(text)),
      (text) => wrapped(base64(text), '\r\n'),
      (text) => Array.from(text, (c) => `&#${c.codePointAt(0)};`).join(''),
    ]
    fc.assert(
      fc.property(secrets, around, around, fc.constantFrom(...encodings), (secret, before, after, encode) => {
        const redactor = redactorOf(secret)
        const encoded = encode(before.toWellFormed() + secret + after.toWellFormed())
        const shown = redactor.redactText(encoded)
        expect(shown).toContain(MASK)
        expect(redactor.contains(shown)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  it('survives nowhere in JSON, which stays JSON and keeps what is not secret', () => {
    fc.assert(
      fc.property(secrets, fc.jsonValue(), around, (secret, value, before) => {
        const redactor = redactorOf(secret)
        fc.pre(redactor.redactJson(value) === value)
        const text = JSON.stringify({ value, hidden: before + secret, list: [secret, { [secret]: 1 }] })
        const shown = JSON.parse(redactor.redactJsonText(text))
        expect(shown.value).toEqual(JSON.parse(JSON.stringify(value)))
        expect(shown.hidden).toContain(MASK)
        expect(shown.list).toEqual([MASK, { [MASK]: 1 }])
        expect(redactor.redactJson(JSON.parse(text))).toEqual(shown)
      }),
      { numRuns: 2000 },
    )
  })
})

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text that changes when it is trimmed and loses its scheme would be another secret, and the mask is none. */
function isSendable(text: string): boolean {
  return text.isWellFormed() && text.trim() === text && !MASK.includes(text)
}

describe('a secret that changes', () => {
  it('stays hidden after its source has another, until it is forgotten', () => {
    const redactor = new Redactor()
    redactor.set('shop', ['old-secret', 'same-secret'], 10)
    redactor.set('shop', ['new-secret', 'same-secret'], 20)
    expect(redactor.redactText('old-secret new-secret same-secret')).toBe(`${MASK} ${MASK} ${MASK}`)
    redactor.forget(20)
    expect(redactor.redactText('old-secret')).toBe(MASK)
    redactor.forget(21)
    expect(redactor.redactText('old-secret new-secret same-secret')).toBe(`old-secret ${MASK} ${MASK}`)
  })

  it('is not forgotten while another source has it', () => {
    const redactor = redactorOf('of-the-environment')
    redactor.set('shop', ['shared-secret', 'of-the-environment'], 10)
    redactor.set('mail', ['shared-secret'], 10)
    redactor.set('shop', [], 20)
    redactor.forget(1000)
    expect(redactor.redactText('shared-secret of-the-environment')).toBe(`${MASK} ${MASK}`)
  })

  it('is hidden again when what was sealed with it is revealed', () => {
    const vault = testVault(1)
    const before = createProtect(vault, redactorOf(SECRET, 'pin1', 'unrelated'), () => 0)
    const json = JSON.stringify({ a: `x ${encodeURIComponent(SECRET)}`, b: base64(`me:${SECRET}`), pin: 'pin1' })
    const sealed = before.seal(json, 'row')

    const redactor = new Redactor()
    const after = createProtect(vault, redactor, () => 100)
    expect(after.json(json)).toBe(json)
    expect(after.reveal(sealed, 'row')).toBe(json)
    expect(leftOf(after.json(json))).toEqual({ a: `x ${MASK}`, b: expect.stringContaining(MASK), pin: MASK })
    expect(redactor.contains('unrelated')).toBe(false)
    redactor.forget(101)
    expect(after.json(json)).toBe(json)
  })
})

const leftOf = (json: string): unknown => JSON.parse(json)

describe('what is of a flow', () => {
  it('has only the secrets hidden that the flow names, also those that they were before', () => {
    const redactor = new Redactor()
    redactor.set('connection:shop', ['shop-old'], 1)
    redactor.set('connection:shop', ['shop-secret'], 2)
    redactor.set('connection:mail', ['mail-secret'], 1)
    redactor.add('env-secret', 'env:KEY')
    redactor.addToFlow('flow_1', 'typed-secret')
    const text = 'shop-old shop-secret mail-secret env-secret typed-secret'
    redactor.touch('flow_1', ['connection:shop'])
    redactor.touch('flow_2', ['env:*'])
    redactor.touch('flow_3', [])
    const shown = (flowId: string) => redactor.for(flowId).redactText(text)
    expect(shown('flow_1')).toBe(`${MASK} ${MASK} mail-secret env-secret ${MASK}`)
    expect(shown('flow_2')).toBe(`shop-old shop-secret mail-secret ${MASK} typed-secret`)
    expect(shown('flow_3')).toBe(text)
    // For an unknown flow all secrets are masked: too much is better than too little.
    expect(shown('flow_unknown')).toBe(Array(5).fill(MASK).join(' '))
    redactor.touch('flow_3', ['connection:mail'])
    expect(shown('flow_3')).toBe(text.replace('mail-secret', MASK))
    redactor.set('connection:mail', ['mail-new'], 3)
    expect(redactor.for('flow_3').redactText('mail-secret mail-new')).toBe(`${MASK} ${MASK}`)
  })

  it('keeps what its runs bring along to itself', () => {
    const redactor = new Redactor()
    for (const flowId of ['flow_1', 'flow_2']) redactor.touch(flowId, [])
    redactor.remember('old-secret', 'flow_1', 1)
    expect(redactor.for('flow_1').redactText('old-secret')).toBe(MASK)
    expect(redactor.for('flow_2').redactText('old-secret')).toBe('old-secret')
    redactor.forget(2)
    expect(redactor.for('flow_1').redactText('old-secret')).toBe('old-secret')
  })

  it('is not hidden from who sent it', () => {
    const redactor = redactorOf('one-secret', 'two-secret')
    redactor.touch('flow_1', [])
    const error = { message: 'one-secret two-secret' }
    const reply = (request: string) => redactor.redactReply(error, 'flow_1', () => JSON.stringify(request)).message
    expect(reply('nothing')).toBe(`${MASK} ${MASK}`)
    expect(reply('guesses: one-secrex one-secret')).toBe(`one-secret ${MASK}`)
    expect(reply(base64('two-secret'))).toBe(`${MASK} two-secret`)
  })
})

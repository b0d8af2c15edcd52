import { describe, expect, it } from 'vitest'
import { parseChallenges, parseParameters } from './challenges.ts'

const read = (header: string) =>
  parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])

describe('WWW-Authenticate', () => {
  it('holds one challenge or several, in one header or in several that were joined', () => {
    expect(read('Basic realm="a, b"')).toEqual([['basic', { realm: 'a, b' }]])
    expect(read('Digest realm="x", nonce=abc , qop="auth,auth-int", Basic realm=y, Negotiate')).toEqual([
      ['digest', { realm: 'x', nonce: 'abc', qop: 'auth,auth-int' }],
      ['basic', { realm: 'y' }],
      ['negotiate', {}],
    ])
    expect(read('Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"')).toEqual([
      ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }],
      ['basic', { realm: 'simple' }],
    ])
  })

  it('may hold a token68, odd spaces, empty elements and no quotes', () => {
    expect(read('Negotiate YIIJ/vw+==, Digest realm=r,nonce=n')).toEqual([
      ['negotiate', { 'yiij/vw+': '' }],
      ['digest', { realm: 'r', nonce: 'n' }],
    ])
    expect(read(', ,Digest\trealm = "r" ,, NONCE\t=\t"n"')).toEqual([['digest', { realm: 'r', nonce: 'n' }]])
  })

  it('counts the first of two values, and reads a quoted text without an end to the end', () => {
    expect(read('Digest nonce="a", nonce="b"')).toEqual([['digest', { nonce: 'a' }]])
    expect(read('Digest nonce="a, realm=b')).toEqual([['digest', { nonce: 'a, realm=b' }]])
    expect(read('Digest nonce="a\\')).toEqual([['digest', { nonce: 'a' }]])
  })

  it.each(['', '"', '=', '=====', '","', 'realm="x"', '"Digest realm', 'x'.repeat(60_000), '\u00ff\u0000'])(
    'that is none of this (%#) does no harm',
    (header) => {
      expect(parseChallenges(header).length).toBeLessThan(2)
    },
  )

  it('ends after 20 challenges, and keeps names of objects apart from values', () => {
    expect(parseChallenges('Digest, '.repeat(10_000))).toHaveLength(20)
    expect(parseChallenges('Digest __proto__=x')[0]!.parameters.get('__proto__')).toBe('x')
  })

  it('has the same parameters as Authentication-Info', () => {
    expect(parseParameters('nextnonce="n2", qop=auth').get('nextnonce')).toBe('n2')
    expect(parseParameters('').size).toBe(0)
  })
})

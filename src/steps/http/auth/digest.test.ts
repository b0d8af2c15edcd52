// The examples of RFC 2617 and RFC 7616, and what servers send beside them.
import { describe, expect, it } from 'vitest'
import type { DigestChallenge } from '../../../engine/ports/connections.ts'
import { answerChallenge, chooseChallenge, unansweredHint } from './digest.ts'

const challenge = (more: Partial<DigestChallenge>): DigestChallenge => ({
  realm: 'r',
  nonce: 'n',
  opaque: null,
  algorithm: null,
  qop: 'auth',
  userhash: false,
  stale: false,
  ...more,
})

const GET = { method: 'GET', target: '/dir/index.html', bodyHash: '' }
const OF_RFC_7616 = {
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
}
const CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

describe('the answer', () => {
  it('is that of RFC 2617, section 3.5', () => {
    const asked = challenge({
      realm: 'testrealm@host.com',
      nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
      opaque: '5ccc069c403ebaf9f0171e9517f40e41',
    })
    const user = { username: 'Mufasa', password: 'Circle Of Life' }
    expect(answerChallenge(user, asked, GET, 1, '0a4f113b').value).toBe(
      'Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", ' +
        'uri="/dir/index.html", response="6629fae49393a05397450978507c4ef1", ' +
        'opaque="5ccc069c403ebaf9f0171e9517f40e41", qop=auth, nc=00000001, cnonce="0a4f113b"',
    )
  })

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('is that of RFC 7616, section 3.9.1, with %s', (algorithm, proof) => {
    const asked = challenge({ ...OF_RFC_7616, algorithm })
    const answer = answerChallenge({ username: 'Mufasa', password: 'Circle of Life' }, asked, GET, 1, CNONCE)
    expect(answer.proof).toBe(proof)
    expect(answer.value).toContain(`algorithm=${algorithm}, response="${proof}"`)
  })

  it('is that of RFC 7616, section 3.9.2, as its erratum 4897 corrects it', () => {
    const asked = challenge({
      realm: 'api@example.org',
      nonce: '5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK',
      algorithm: 'SHA-512-256',
      userhash: true,
    })
    const user = { username: 'J\u00e4s\u00f8n Doe', password: 'Secret, or not?' }
    const request = { method: 'GET', target: '/doe.json', bodyHash: '' }
    const { value } = answerChallenge(user, asked, request, 1, 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v')
    expect(value).toContain('username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"')
    expect(value).toContain('response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"')
    expect(value).toContain('userhash=true')
  })

  it('has no count and no client nonce for a server of RFC 2069', () => {
    const asked = challenge({ qop: null })
    const { value } = answerChallenge({ username: 'me', password: 'pw' }, asked, GET, 1, 'c')
    expect(value).not.toMatch(/qop|nc=|cnonce/)
  })

  it('writes a name beyond ASCII in the form of RFC 8187, and escapes quotes', () => {
    const value = (username: string) => answerChallenge({ username, password: '' }, challenge({}), GET, 1, 'c').value
    expect(value("J\u00e4s'")).toContain("username*=UTF-8''J%C3%A4s%27,")
    expect(value('a"b\\c')).toContain('username="a\\"b\\\\c",')
  })

  it('counts in eight hexadecimal digits', () => {
    expect(answerChallenge({ username: '', password: '' }, challenge({}), GET, 4_294, 'c').value).toContain(
      'nc=000010c6',
    )
  })
})

describe('a challenge that cannot be answered', () => {
  it.each([
    ['Digest realm=r, nonce=n, qop="auth"', null],
    ['Digest realm=r, nonce=n, algorithm=SHA-9', /algorithm or a quality of protection/],
    ['Basic realm="x"', /asks for Basic.*kind basic/],
    ['Negotiate', /another kind/],
    ['', /another kind/],
  ])('says what to do (%#)', (header, hint) => {
    const said = unansweredHint(header)
    if (hint) expect(said).toMatch(hint)
    else expect(said).toBeNull()
  })
})

describe('the chosen challenge', () => {
  it('is the strongest that can be answered, wherever it is', () => {
    const header =
      'Basic realm="b", Digest realm="m", nonce="1", algorithm=MD5, qop="auth", ' +
      'Digest realm="s", nonce="2", algorithm=SHA-256-sess, qop="auth-int, auth", Digest realm="x", nonce="3", algorithm=SHA-9, qop="auth"'
    expect(chooseChallenge(header)).toEqual(
      challenge({ realm: 's', nonce: '2', algorithm: 'SHA-256-sess', qop: 'auth' }),
    )
  })

  it('takes the integrity of the body only where nothing else is offered', () => {
    expect(chooseChallenge('Digest realm=r, nonce=n, qop="auth-int"')?.qop).toBe('auth-int')
    expect(chooseChallenge('Digest realm=r, nonce=n')?.qop).toBeNull()
  })

  it.each([
    '',
    'Basic realm="x"',
    'Digest',
    'Digest realm="x"',
    'Digest nonce="x"',
    'Digest realm="x", nonce="y", qop="other"',
    'Digest realm="x", nonce="y", algorithm="MD5, x=y"',
    `Digest realm="x", nonce="${'n'.repeat(5000)}"`,
    'Digest realm="x", nonce="a\u0001b"',
  ])('is none for challenge %#', (header) => {
    expect(chooseChallenge(header)).toBeNull()
  })
})

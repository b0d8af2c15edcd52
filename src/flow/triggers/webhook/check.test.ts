import { describe, expect, it } from 'vitest'
import { stepKinds } from '../../../steps/index.ts'
import { publishIssues, validate } from '../../validate/validate.ts'

const issues = (trigger: object) =>
  publishIssues(
    validate({ name: 'F', trigger: { kind: 'webhook', ...trigger }, steps: [] }, stepKinds, {
      connections: new Map([['shop', { kind: 'custom', fields: new Set(['secret']) }]]),
      env: new Set(),
      config: new Set(),
    }),
  ).map(({ path, message }) => `${path} ${message}`)

const CUSTOM = {
  kind: 'signature',
  scheme: 'custom',
  algorithm: 'sha512',
  encoding: 'hex',
  header: 'X-Sig',
  secret: '{{ connections.shop.secret }}',
  signed: "{{ webhook.headers['x-ts'] }}.{{ webhook.rawBody }}",
  timestamp: "{{ webhook.headers['x-ts'] }}",
  tolerance: 60,
}

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(CUSTOM).filter(([name]) => !names.includes(name)))

describe('the scheme custom', () => {
  it('takes a signature described part by part, by a secret or a public key', () => {
    expect(issues({ auth: CUSTOM })).toEqual([])
    expect(issues({ auth: { ...without('secret'), algorithm: 'ed25519', publicKey: 'ab' } })).toEqual([])
  })

  it('names what is missing, and what does not belong there', () => {
    expect(issues({ auth: { kind: 'signature', scheme: 'custom' } })).toEqual([
      '/trigger/auth/algorithm algorithm is missing.',
      '/trigger/auth/encoding encoding is missing.',
      '/trigger/auth/header header is missing.',
      '/trigger/auth/signed signed is missing.',
      '/trigger/auth/secret secret is missing.',
    ])
    expect(issues({ auth: { ...CUSTOM, algorithm: 'rsa-sha256' } })).toEqual([
      '/trigger/auth/publicKey publicKey is missing.',
      '/trigger/auth/secret The algorithm rsa-sha256 is verified with publicKey, not with secret; remove it.',
    ])
    expect(issues({ auth: { ...CUSTOM, algorithm: 'md5' } })[0]).toContain('must be one of sha1, sha256')
    expect(issues({ auth: without('timestamp') })).toEqual([
      '/trigger/auth/tolerance tolerance needs timestamp: the signed time that it is about.',
    ])
    expect(issues({ auth: { kind: 'signature', scheme: 'github', signed: 'x' } })).toEqual([
      '/trigger/auth/secret secret is missing.',
      '/trigger/auth/signed signed belongs to the scheme custom; remove it.',
    ])
  })

  it('reads the request in signed and timestamp only', () => {
    expect(issues({ auth: { ...CUSTOM, secret: '{{ webhook.body.x }}' } })[0]).toContain(
      '/trigger/auth/secret webhook is not',
    )
    expect(issues({ auth: { ...CUSTOM, signed: '{{ steps.x }}' } })[0]).toContain('/trigger/auth/signed')
    expect(issues({ auth: { ...CUSTOM, signed: '{{ fields.secret }}{{ url }}' } })).toHaveLength(2)
  })
})

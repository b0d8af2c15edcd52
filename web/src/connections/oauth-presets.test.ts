import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseHostRule } from '../../../src/operations/connections/host-rules.ts'
import { fromPreset, OAUTH_PRESETS, PART } from './oauth-presets.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/connections.md'), 'utf8')

describe('the OAuth presets', () => {
  it('are twenty services, in the order of their names', () => {
    expect(new Set(OAUTH_PRESETS.map(({ id }) => id)).size).toBe(20)
    const names = OAUTH_PRESETS.map(({ service }) => service)
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')))
  })

  it.each(OAUTH_PRESETS)('$service has usable endpoints and hosts', (preset) => {
    const { fields, hosts } = fromPreset(preset, preset.part?.example)
    for (const url of [fields['authorizationUrl']!, fields['tokenUrl']!]) {
      expect(url).not.toMatch(/[{}\s]/)
      expect(new URL(url).protocol).toBe('https:')
      expect(new URL(url).hash).toBe('')
    }
    // The standard's own parameters are set at each authorization.
    const query = [...new URL(fields['authorizationUrl']!).searchParams.keys()]
    expect(query.filter((name) => /^(client_id|redirect_uri|response_type|scope|state|code_)/.test(name))).toEqual([])
    expect(hosts.length).toBeGreaterThan(0)
    for (const host of hosts) expect(parseHostRule(host), host).not.toBeNull()
    if (preset.part) expect(preset.part.example).toMatch(PART)
  })

  it('are listed in the guide', () => {
    expect(OAUTH_PRESETS.filter(({ service }) => !guide.includes(service)).map(({ id }) => id)).toEqual([])
  })
})

it.each(['evil.example/', 'a b', 'x@y', 'shop.myshopify.com/x?', '', '-'])(
  'the part %j, which could lead elsewhere, is not filled in',
  (part) => {
    const shopify = OAUTH_PRESETS.find(({ id }) => id === 'shopify')!
    expect(fromPreset(shopify, part).fields['tokenUrl']).toBe(shopify.tokenUrl)
  },
)

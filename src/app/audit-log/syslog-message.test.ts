import { describe, expect, it } from 'vitest'
import type { StoredEntry } from '../../operations/ports/audit-log/chain.ts'
import { syslogMessage } from './syslog-message.ts'

const entry: StoredEntry = {
  id: 'aud_1',
  at: Date.UTC(2026, 10, 17, 9),
  actor: 'ada@example.com',
  actorId: null,
  action: 'flow.publish',
  target: { kind: 'flow', id: 'flow_1', name: 'Orders' },
  details: '{"version":2}',
  chain: 'main',
  seq: 7,
  prev: 'aa',
  hash: 'bb',
}
const shown = (change: Partial<StoredEntry>, most = 65_536, host = 'host') =>
  syslogMessage({ ...entry, ...change }, host, 42, most).toString()

describe('a message of syslog', () => {
  it('has the form of RFC 5424', () => {
    expect(shown({})).toBe(
      '<109>1 2026-11-17T09:00:00.000Z host millrace 42 flow.publish ' +
        '[millrace@32473 id="aud_1" chain="main" seq="7" hash="bb" actor="ada@example.com" action="flow.publish" targetKind="flow" target="flow_1"] ' +
        '\u{feff}{"chain":"main","seq":7,"prev":"aa","id":"aud_1","at":"2026-11-17T09:00:00.000Z","actor":"ada@example.com","actorId":null,' +
        '"action":"flow.publish","target":{"kind":"flow","id":"flow_1","name":"Orders"},"details":{"version":2},"hash":"bb"}',
    )
    expect(shown({ action: 'token.refused' })).toMatch(/^<108>1 /)
    expect(shown({}, 65_536, 'ho st\n\u00e4')).toContain(' host millrace ')
    expect(shown({}, 65_536, '\u00e4')).toContain('Z - millrace ')
  })

  it('cannot be left by what a name holds', () => {
    const message = shown({ actor: `a"]\\ \n<109>1 \u0085${'x'.repeat(1000)}\\` })
    expect(message).toContain(' actor="a\\"\\]\\\\  <109>1  xxx')
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(message).not.toMatch(/[\u0000-\u001f]/)
    expect(message.slice(0, message.indexOf('\u{feff}'))).toMatch(/x{480,}" action="flow.publish"/)
    // A pair that is cut in the middle is no character.
    expect(shown({ actor: `${'x'.repeat(499)}\u{1f600}` })).toContain('x\u{fffd}" ')
  })

  it('is cut at the end of a character', () => {
    const most = 400
    const cut = syslogMessage({ ...entry, details: `{"a":"${'\u00e4'.repeat(300)}"}` }, 'host', 42, most)
    expect(cut.length).toBeLessThanOrEqual(most)
    expect(cut.length).toBeGreaterThan(most - 4)
    expect(cut.toString()).not.toContain('\u{fffd}')
  })
})

// What every database must do for those who come in: one suite, run by each database's own small test file.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../engine/ids.ts'
import type { AuditEntry, AuditStore } from '../operations/ports.ts'

export interface AccessStores {
  audit: AuditStore
  close(): Promise<void>
}

let time = Date.UTC(2026, 0, 1)
const ids = createIds(
  () => time,
  (size) => new Uint8Array(size).fill(7),
)

export function accessContract(name: string, open: () => Promise<AccessStores>): void {
  describe(name, () => {
    let stores: AccessStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    describe('the audit log', () => {
      const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
        id: ids.next('aud'),
        at: time,
        actor: 'ada@example.com',
        actorId: 'usr_1',
        action: 'flow.publish',
        target: { kind: 'flow', id: 'flow_1', name: 'Orders' },
        details: { version: 2 },
        ...change,
      })

      it('gives back entries as they were added, newest first, page by page', async () => {
        const entries = [
          entry(),
          entry({ action: 'user.sign_in_failed', actorId: null, target: null, details: {} }),
          entry({ target: { kind: 'connection', id: 'shop', name: null } }),
        ]
        for (const one of entries) await stores.audit.add(one)
        const first = await stores.audit.list({ limit: 2, cursor: null })
        const rest = await stores.audit.list({ limit: 2, cursor: first.nextCursor })
        expect([...first.items, ...rest.items]).toEqual(entries.toReversed())
        expect(rest.nextCursor).toBeNull()
      })

      it('deletes its old end, a few at a time', async () => {
        time += 1000
        const recent = entry()
        await stores.audit.add(recent)
        expect(await stores.audit.deleteOlderThan(time, 2)).toBe(2)
        expect(await stores.audit.deleteOlderThan(time, 2)).toBe(1)
        expect(await stores.audit.deleteOlderThan(time, 2)).toBe(0)
        expect((await stores.audit.list({ limit: 50, cursor: null })).items).toEqual([recent])
      })
    })
  })
}

// The behaviour that every database must have: secrets, which no store keeps readably, and a flow's keys.
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../engine/ports/run-journal.ts'
import type { KeyValueOperation } from '../../engine/step-kind.ts'
import {
  BY_WEBHOOK,
  entry,
  ids,
  newFlow,
  newRun,
  page,
  running,
  STORE_SECRET,
  type Stores,
  storeClock,
  webhook,
} from './stores.testkit.ts'

export function secretContract(stores: () => Stores, open: () => Promise<Stores>): void {
  describe("a flow's keys", () => {
    const operate = (op: KeyValueOperation['op'], key: string, value: unknown = null, ttlMs: number | null = null) =>
      stores().runs.operate('flow_keys', { op, key, value, ttlMs }, storeClock.time)

    it('adds a key once, however many try at the same time', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => operate('add', 'first', i)))
      const outputs = results.map((result) => (result as { output: { added: boolean; value: number } }).output)
      const winner = outputs.filter(({ added }) => added)
      expect(winner).toHaveLength(1)
      for (const { value } of outputs) expect(value).toBe(winner[0]!.value)
    })

    it('loses no increment of those that come at once', async () => {
      await Promise.all(Array.from({ length: 25 }, () => operate('increment', 'count', 2)))
      expect(await operate('get', 'count')).toEqual({ output: { value: 50 } })
      expect(await operate('increment', 'count', 'x')).toMatchObject({ error: { code: 'expression_failed' } })
    })

    it('forgets a key after its time, keeps the time of a counter, and deletes', async () => {
      await operate('set', 'short', { a: 1 }, 1000)
      await operate('set', 'counter', 1, 1000)
      await operate('increment', 'counter')
      expect(await operate('get', 'short')).toEqual({ output: { value: { a: 1 } } })
      storeClock.time += 1000
      expect(await operate('get', 'short')).toEqual({ output: { value: null } })
      expect(await operate('get', 'counter')).toEqual({ output: { value: null } })
      expect(await operate('add', 'short', 2)).toEqual({ output: { added: true, value: 2 } })
      expect(await operate('delete', 'short')).toEqual({ output: { deleted: true } })
      expect(await operate('delete', 'short')).toEqual({ output: { deleted: false } })
    })

    it.each([
      ['a NUL', 'a\u0000b'],
      ['half a character', 'a\ud800b'],
      ['5,000 characters', 'k'.repeat(5000)],
      ['a secret', `key ${STORE_SECRET}`],
      ['nothing', ''],
    ])('takes a key of %s', async (_what, key) => {
      const value = { text: `é \u0000 \ud800 ${STORE_SECRET}` }
      await operate('set', key, value)
      await operate('set', `${key}.`, 'other')
      expect(await operate('get', key)).toEqual({ output: { value } })
    })

    it('operates in the write that journals the step, and not for a claim that was lost', async () => {
      const run = newRun('flow_keys')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const counted = (): JournalEntry =>
        entry('n', { operation: { op: 'increment', key: 'runs', value: null, ttlMs: null } })
      const first = counted()
      expect(
        await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries: [first] }),
      ).toBe(true)
      expect(first).toMatchObject({ output: { value: 1 }, outcome: 'done', status: 'succeeded' })
      await stores().runs.cancel(run.id, storeClock.time, { code: 'cancelled', message: 'x' })
      const late = { ...running, startedAt: storeClock.time, entries: [counted()] }
      expect(await stores().journal.record(claimed!.claim, late)).toBe(false)
      expect(await operate('get', 'runs')).toEqual({ output: { value: 1 } })
    })
  })

  describe('secrets', () => {
    const hidden = (value: unknown) => expect(JSON.stringify(value)).not.toContain('c4nary')
    const webhookWithSecret = () => ({
      ...webhook({ key: STORE_SECRET, n: 1 }),
      headers: Object.assign(Object.create(null), { 'x-key': `Bearer ${STORE_SECRET}` }),
    })

    it('shows a run without them and hands it to the next claim as it was', async () => {
      const run = newRun('flow_secret', { webhook: webhookWithSecret() })
      await stores().runs.accept(run)
      const shown = await stores().runs.get(run.id)
      hidden(shown)
      expect(shown?.webhook).toMatchObject({
        body: { key: '[secret]', n: 1 },
        headers: { 'x-key': 'Bearer [secret]' },
        rawBody: '{"key":"[secret]","n":1}',
      })
      hidden((await stores().deliveries.list({ flowId: 'flow_secret', outcome: null }, page)).items)
      expect((await stores().journal.claim(run.id, storeClock.time))?.webhook).toEqual(run.webhook)
    })

    it('shows steps without them and hands them to the next claim as they were', async () => {
      const run = newRun('flow_secret')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const error = { code: 'x', message: `at ${STORE_SECRET}` }
      const entries = [
        entry('plain'),
        entry('output', { seq: 2, output: { echo: STORE_SECRET } }),
        entry('decision', { seq: 3, decision: STORE_SECRET, outcome: null, status: 'running' }),
        entry('error', { seq: 4, error, outcome: 'failed', status: 'failed' }),
        entry('shown', { seq: 5, input: [STORE_SECRET], logs: [`log ${STORE_SECRET}`] }),
        entry('derived', { seq: 6, output: { reversed: 'terces' }, shown: { output: '[secret]' } }),
      ]
      await stores().journal.record(claimed!.claim, {
        ...running,
        startedAt: storeClock.time,
        entries,
        error,
      })
      const shown = await stores().runs.steps(run.id)
      hidden(shown)
      hidden(await stores().runs.get(run.id))
      expect(shown[1]).toEqual({ ...entries[1], output: { echo: '[secret]' } })
      expect(shown[4]).toMatchObject({ input: ['[secret]'], logs: ['log [secret]'] })
      expect(JSON.stringify(shown)).not.toContain('terces')
      const again = await stores().journal.claim(run.id, storeClock.time)
      const asShown = { shown: { output: { echo: '[secret]' } } }
      expect(again?.journal.slice(0, 4)).toEqual([entries[0], { ...entries[1], ...asShown }, ...entries.slice(2, 4)])
      // An output that is written again stays hidden.
      expect(again?.journal[5]).toEqual(entries[5])
    })

    it('keeps deliveries, samples and step results without them', async () => {
      const flowId = 'flow_secret_inbox'
      await stores().deliveries.add({
        id: ids.next('dlv'),
        flowId,
        receivedAt: storeClock.time,
        outcome: 'rejected',
        code: 'bad_request',
        message: `not ${STORE_SECRET}`,
        status: 400,
        runId: null,
        event: null,
        webhook: webhookWithSecret(),
      })
      await stores().samples.add(
        { id: ids.next('smp'), flowId, receivedAt: storeClock.time, webhook: webhookWithSecret() },
        3,
      )
      await stores().samples.setStepResult(flowId, 'a', { echo: STORE_SECRET }, storeClock.time)
      const inbox = (await stores().deliveries.list({ flowId, outcome: null }, page)).items
      expect(inbox[0]).toMatchObject({ message: 'not [secret]', webhook: { body: { key: '[secret]' } } })
      hidden(inbox)
      hidden(await stores().samples.list(flowId))
      expect((await stores().samples.stepResults(flowId))['a']).toEqual({ echo: '[secret]' })
    })

    it('knows the documents that hold sealed values, and the keys that are needed', async () => {
      const sealed = (keyId: string) => `sealed:${keyId}.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA`
      const document = (keyId: string) => JSON.stringify({ token: sealed(keyId) })
      const flow = { ...newFlow(), draft: document('aaaaaaaa') }
      await stores().flows.create(flow)
      const publish = (revision: number) =>
        stores().flows.publish(flow.id, {
          revision,
          publishedAt: storeClock.time,
          publishedBy: 'me',
          trigger: BY_WEBHOOK,
        })
      await publish(1)
      const replace = (draft: string) =>
        stores().flows.replaceDraft(flow.id, {
          name: 'A',
          draft,
          updatedAt: storeClock.time,
          updatedBy: null,
          expectedRevision: null,
        })
      await replace(document('bbbbbbbb'))
      await publish(2)
      await replace(document('cccccccc'))
      const documents = (await stores().flows.sealedDocuments()).filter(({ flowId }) => flowId === flow.id)
      expect(documents.map((one) => one.document).sort()).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map(document))
      const inUse = await stores().vaultRecords.keyIdsInUse()
      expect(inUse).toEqual(expect.arrayContaining(['bbbbbbbb', 'cccccccc']))
      expect(inUse).not.toContain('aaaaaaaa')
    })

    it('needs the keys of runs until they end, and those of the keys of flows', async () => {
      const own = await open()
      const inUse = () => own.vaultRecords.keyIdsInUse()
      const cancel = (id: string) => own.runs.cancel(id, storeClock.time, { code: 'cancelled', message: 'x' })
      const [queued, parked] = [newRun('flow_keys', { webhook: webhook(STORE_SECRET) }), newRun('flow_keys')]
      for (const run of [queued, parked]) await own.runs.accept(run)
      expect(await inUse()).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)])
      await cancel(queued.id)
      expect(await inUse()).toEqual([])
      const { claim } = (await own.journal.claim(parked.id, storeClock.time))!
      const entries = [entry('a', { output: STORE_SECRET })]
      await own.journal.record(claim, {
        ...running,
        status: 'waiting',
        resumeAt: storeClock.time,
        startedAt: storeClock.time,
        entries,
      })
      expect(await inUse()).toHaveLength(1)
      await cancel(parked.id)
      expect(await inUse()).toEqual([])
      await own.runs.operate('flow_keys', { op: 'set', key: 'k', value: STORE_SECRET, ttlMs: null }, storeClock.time)
      expect(await inUse()).toHaveLength(1)
      await own.close()
    })

    it('keeps one text to check the key by', async () => {
      expect(await stores().vaultRecords.check()).toBeNull()
      await stores().vaultRecords.setCheck('sealed:1', ['a'])
      await stores().vaultRecords.setCheck('sealed:2', ['b', 'a'])
      expect(await stores().vaultRecords.check()).toEqual({ sealed: 'sealed:2', keyIds: ['b', 'a'] })
    })
  })
}

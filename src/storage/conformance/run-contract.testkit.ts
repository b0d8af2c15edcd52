// The behaviour that every database must have: runs and their journal.
import { describe, expect, it } from 'vitest'
import { entry, newRun, page, running, type Stores, storeClock, webhook } from './stores.testkit.ts'

export function runContract(stores: () => Stores): void {
  describe('runs', () => {
    it('gives back what a delivery brought, byte for byte', async () => {
      const body = { text: 'é 𝄞 \u0000 \ud800 {{7*7}}', ['__proto__']: 1 }
      const run = newRun('flow_bytes', { webhook: webhook(JSON.parse(JSON.stringify(body))) })
      await stores().runs.accept(run)
      const stored = await stores().runs.get(run.id)
      expect(stored?.webhook?.rawBody).toBe(run.webhook!.rawBody)
      expect(JSON.stringify(stored?.webhook?.body)).toBe(run.webhook!.rawBody)
      expect(stored?.webhook?.queryAll['a']).toEqual(['1', '2'])
      expect(stored?.webhook?.query['a']).toBe('2')
      expect(stored).toMatchObject({ status: 'queued', version: 1, test: false, startedAt: null })
    })

    it('starts one run per dedupe key, however many come at once', async () => {
      const dedupe = { key: 'k1', expiresAt: storeClock.time + 1000 }
      const runs = Array.from({ length: 20 }, () => newRun('flow_dedupe'))
      const results = await Promise.all(runs.map((run) => stores().runs.accept(run, dedupe)))
      const started = results.filter((result) => result.duplicateOf === null)
      expect(started).toHaveLength(1)
      const first = runs[results.indexOf(started[0]!)]!.id
      for (const { duplicateOf } of results) if (duplicateOf !== null) expect(duplicateOf).toBe(first)
      const { items } = await stores().runs.list(
        { flowId: 'flow_dedupe', status: null, since: null, until: null },
        page,
      )
      expect(items.map((run) => run.id)).toEqual([first])
    })

    it('reads no more of bodies and of what steps did than it is asked for', async () => {
      const run = newRun('flow_bounded', { webhook: webhook({ text: 'x'.repeat(100) }) })
      await stores().runs.accept(run)
      const { claim } = (await stores().journal.claim(run.id, storeClock.time))!
      const large = { text: 'y'.repeat(100) }
      const entries = [
        entry('a', { seq: 1, output: large }),
        entry('b', { seq: 2, input: { n: 'b' }, output: { n: 'b' } }),
        entry('c', { seq: 3, input: null, output: { text: 'z'.repeat(40) } }),
      ]
      await stores().journal.record(claim, { ...running, startedAt: storeClock.time, entries })
      expect((await stores().runs.get(run.id, 99))?.webhook).toMatchObject({
        body: null,
        rawBody: '',
        bodyOmitted: true,
      })
      expect((await stores().runs.get(run.id, 999))?.webhook).toEqual(run.webhook)
      const [delivery] = (await stores().deliveries.list({ flowId: run.flowId, outcome: null }, page, 99)).items
      expect(delivery?.webhook).toMatchObject({ body: null, bodyOmitted: true })
      expect((await stores().deliveries.get(delivery!.id, 99))?.webhook.bodyOmitted).toBe(true)
      const shown = await stores().runs.steps(run.id, 60)
      expect(shown.map(({ id, output, omitted }) => [id, output, omitted])).toEqual([
        ['a', null, ['output']],
        ['b', { n: 'b' }, undefined],
        ['c', null, ['output']],
      ])
      expect(await stores().runs.stepsPage(run.id, { under: '', after: -1, limit: 9 })).toEqual(entries)
    })

    it('takes a dedupe key again after its window, and keeps the keys of flows apart', async () => {
      await stores().runs.accept(newRun('flow_window'), { key: 'k', expiresAt: storeClock.time + 1000 })
      expect(await stores().runs.accept(newRun('flow_other'), { key: 'k', expiresAt: storeClock.time + 1000 })).toEqual(
        {
          duplicateOf: null,
        },
      )
      const later = newRun('flow_window', { createdAt: storeClock.time + 1000 })
      expect(await stores().runs.accept(later, { key: 'k', expiresAt: storeClock.time + 2000 })).toEqual({
        duplicateOf: null,
      })
    })

    it('journals outcomes under a claim and gives them back to the next claim', async () => {
      const run = newRun('flow_journal')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      expect(claimed).toMatchObject({ id: run.id, attempt: 1, journal: [], webhook: { body: { n: 1 } } })
      const entries = [
        entry('a'),
        entry('b/c', {
          seq: 2,
          status: 'waiting',
          outcome: null,
          resumeAt: storeClock.time + 5,
          output: null,
          decision: 3,
        }),
      ]
      expect(
        await stores().journal.record(claimed!.claim, {
          ...running,
          status: 'waiting',
          resumeAt: storeClock.time + 5,
          startedAt: storeClock.time,
          entries,
        }),
      ).toBe(true)
      const again = await stores().journal.claim(run.id, storeClock.time + 9)
      expect(again?.journal).toEqual(entries)
      expect(again?.startedAt).toBe(storeClock.time)
      expect(await stores().runs.steps(run.id)).toEqual(entries)
    })

    it('journals every character, and the latest of several entries of a step', async () => {
      const run = newRun('flow_characters')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const text = 'é 𝄞 \u0000 \ud800 "quoted\\" {a,b} \n NULL'
      const entries = [
        entry('a', { status: 'running', outcome: null, output: null }),
        entry('b', { seq: 2, output: [text, { [text]: text }], logs: [text], error: { code: 'x', message: text } }),
        entry('a', { output: { text } }),
      ]
      await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries })
      const again = await stores().journal.claim(run.id, storeClock.time)
      expect(again?.journal).toEqual([entries[2], entries[1]])
    })

    it('journals a value as the JSON that is given with it', async () => {
      const run = newRun('flow_texts')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const entries = [entry('a', { input: { n: 1 }, output: { n: 2 } }), entry('b', { seq: 2, output: { n: 3 } })]
      const texts = new Map<unknown, string>([
        [entries[0]!.input, '{"n":"one"}'],
        [entries[0]!.output, `{"n":"${'two'.repeat(9)}"}`],
      ])
      await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries, texts })
      const [a, b] = await stores().runs.steps(run.id)
      expect(a).toMatchObject({ input: { n: 'one' }, output: { n: 'two'.repeat(9) } })
      expect(b).toMatchObject({ output: { n: 3 } })
    })

    it('records what many runs come to at once, each for itself', async () => {
      const runs = Array.from({ length: 30 }, () => newRun('flow_many'))
      await Promise.all(runs.map((run) => stores().runs.accept(run)))
      const claims = await Promise.all(runs.map((run) => stores().journal.claim(run.id, storeClock.time)))
      await stores().runs.cancel(runs[7]!.id, storeClock.time, { code: 'cancelled', message: 'x' })
      const recorded = await Promise.all(
        claims.map((claimed, i) =>
          stores().journal.record(claimed!.claim, {
            ...running,
            startedAt: storeClock.time,
            entries: [entry('n', { output: i })],
          }),
        ),
      )
      expect(recorded).toEqual(runs.map((_, i) => i !== 7))
      for (const [i, run] of runs.entries())
        expect((await stores().runs.steps(run.id)).map(({ output }) => output)).toEqual(i === 7 ? [] : [i])
    })

    it('lets a claim that was taken over change nothing', async () => {
      const run = newRun('flow_fence')
      await stores().runs.accept(run)
      const first = await stores().journal.claim(run.id, storeClock.time)
      expect(await stores().journal.record(first!.claim, { ...running, startedAt: storeClock.time, entries: [] })).toBe(
        true,
      )
      const second = await stores().journal.claim(run.id, storeClock.time)
      expect(second!.claim.epoch).toBeGreaterThan(first!.claim.epoch)
      expect(
        await stores().journal.record(second!.claim, {
          ...running,
          startedAt: storeClock.time,
          entries: [entry('new')],
        }),
      ).toBe(true)
      expect(
        await stores().journal.record(first!.claim, {
          ...running,
          status: 'succeeded',
          finishedAt: storeClock.time,
          startedAt: storeClock.time,
          entries: [entry('late')],
        }),
      ).toBe(false)
      expect((await stores().runs.get(run.id))?.status).toBe('running')
      expect((await stores().runs.steps(run.id)).map((step) => step.path)).toEqual(['new'])
    })

    it('never changes a finished run', async () => {
      const run = newRun('flow_finished')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const end = {
        ...running,
        status: 'succeeded',
        finishedAt: storeClock.time,
        startedAt: storeClock.time,
        entries: [entry('a')],
      } as const
      expect(await stores().journal.record(claimed!.claim, end)).toBe(true)
      expect(await stores().journal.record(claimed!.claim, { ...end, status: 'failed' })).toBe(false)
      expect(await stores().journal.claim(run.id, storeClock.time)).toBeNull()
      expect(await stores().runs.cancel(run.id, storeClock.time, { code: 'cancelled', message: 'x' })).toEqual([])
      expect((await stores().runs.get(run.id))?.status).toBe('succeeded')
    })

    it('cancels many runs at once, each once, with those that they wait for', async () => {
      const calling = newRun('flow_many')
      const called = newRun('flow_called', { parent: { run: calling.id, step: 'a', waits: true } })
      const others = [newRun('flow_many'), newRun('flow_other'), newRun('flow_left')]
      for (const run of [calling, called, ...others]) await stores().runs.accept(run)
      const chosen = [others[1]!.id, calling.id, others[0]!.id, 'run_none']
      const cancel = () => stores().runs.cancel(chosen, storeClock.time, { code: 'cancelled', message: 'x' })
      const ids = [calling, called, others[0]!, others[1]!].map(({ id }) => id)
      expect((await cancel()).map(({ id }) => id).sort()).toEqual(ids.sort())
      expect(await cancel()).toEqual([])
      for (const id of ids) expect((await stores().runs.get(id))?.status).toBe('cancelled')
      expect((await stores().runs.get(others[2]!.id))?.status).toBe('queued')
    })

    it('cancels what is under way, with its open steps, and fences the process that ran it', async () => {
      const run = newRun('flow_cancel')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const open = entry('slow', { status: 'running', outcome: null, finishedAt: null, output: null })
      await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries: [open] })
      expect(await stores().runs.cancel(run.id, storeClock.time + 1, { code: 'cancelled', message: 'x' })).toEqual([
        { id: run.id, flowId: run.flowId },
      ])
      expect(await stores().runs.get(run.id)).toMatchObject({
        status: 'cancelled',
        finishedAt: storeClock.time + 1,
        error: { code: 'cancelled' },
      })
      expect((await stores().runs.steps(run.id))[0]).toMatchObject({
        status: 'cancelled',
        finishedAt: storeClock.time + 1,
      })
      expect(
        await stores().journal.record(claimed!.claim, {
          ...running,
          startedAt: storeClock.time,
          entries: [entry('late')],
        }),
      ).toBe(false)
    })

    it('finds what is unfinished, page by page, and what is due', async () => {
      storeClock.time += 100_000
      const queued = newRun('flow_open')
      const waiting = newRun('flow_open')
      for (const run of [queued, waiting]) await stores().runs.accept(run)
      const claimed = await stores().journal.claim(waiting.id, storeClock.time)
      await stores().journal.record(claimed!.claim, {
        ...running,
        status: 'waiting',
        resumeAt: storeClock.time + 50,
        startedAt: storeClock.time,
        entries: [],
      })
      const open = await stores().runs.active('queued', null, 1000)
      expect(open.map((run) => run.id)).toContain(queued.id)
      expect(open.map((run) => run.id)).not.toContain(waiting.id)
      expect(await stores().runs.active('queued', queued.id, 1000)).toEqual([])
      expect((await stores().runs.due(storeClock.time + 49, 100)).runs.map((run) => run.id)).not.toContain(waiting.id)
      const version = { flowId: 'flow_open', version: 1 }
      expect(await stores().runs.waitingVersions()).toContainEqual(version)
      expect((await stores().runs.waiting(version, null, 1000)).map((run) => run.id)).toEqual([waiting.id])
      expect(await stores().runs.waiting(version, waiting.id, 1000)).toEqual([])
      expect(await stores().runs.waiting({ ...version, version: 2 }, null, 1000)).toEqual([])
      const draft = newRun('flow_open', { version: null, document: '{}' })
      for (const run of [newRun('flow_open', { version: 2 }), newRun('flow_opened', { version: 1 }), draft]) {
        await stores().runs.accept(run)
        const { claim } = (await stores().journal.claim(run.id, storeClock.time))!
        const parked = {
          ...running,
          status: 'waiting' as const,
          resumeAt: storeClock.time + 99,
          startedAt: storeClock.time,
          entries: [],
        }
        await stores().journal.record(claim, parked)
      }
      expect((await stores().runs.waitingVersions()).filter(({ flowId }) => flowId.startsWith('flow_open'))).toEqual([
        version,
        { flowId: 'flow_open', version: 2 },
        { flowId: 'flow_opened', version: 1 },
      ])
      expect((await stores().runs.due(storeClock.time + 49, 100)).nextAt).toBe(storeClock.time + 50)
      expect((await stores().runs.due(storeClock.time + 50, 100)).runs.map((run) => run.id)).toContain(waiting.id)
    })

    it('counts one more attempt of what a dead process left running', async () => {
      const run = newRun('flow_attempt')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries: [] })
      expect(await stores().runs.countRecovered()).toBeGreaterThanOrEqual(1)
      expect((await stores().journal.claim(run.id, storeClock.time))?.attempt).toBe(2)
    })

    it('lists by flow, status and time, newest first', async () => {
      storeClock.time += 10_000
      const old = newRun('flow_list')
      await stores().runs.accept(old)
      storeClock.time += 10_000
      const recent = newRun('flow_list')
      await stores().runs.accept(recent)
      const list = async (filter: object) =>
        (
          await stores().runs.list({ flowId: 'flow_list', status: null, since: null, until: null, ...filter }, page)
        ).items.map((run) => run.id)
      expect(await list({})).toEqual([recent.id, old.id])
      expect(await list({ since: storeClock.time - 5000 })).toEqual([recent.id])
      expect(await list({ until: storeClock.time - 5000 })).toEqual([old.id])
      expect(await list({ status: 'failed' })).toEqual([])
      await stores().runs.cancel(old.id, storeClock.time, { code: 'cancelled', message: 'x' })
      expect(await list({ status: 'cancelled' })).toEqual([old.id])
    })
  })
}

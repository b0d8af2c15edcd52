import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

const STEPS = [
  { id: 'note', kind: 'set', vars: { at: '{{ schedule.at }}', report: "{{ schedule.input.report ?? 'none' }}" } },
]
const scheduled = (trigger: object, steps: object[] = STEPS) => ({
  name: 'Nightly report',
  trigger: { kind: 'schedule', ...trigger },
  steps,
})

/** Resolves with the next run of a flow that has ended. */
async function nextRun(flowId: string): Promise<string> {
  const events = await openEvents(`${millrace.url}/api/v1/flows/${flowId}/events`)
  const { data } = await events.next(({ type, data: { status } }) => type === 'run' && status === 'succeeded')
  await events.close()
  return data.id
}

describe('a flow with a schedule', () => {
  it('runs at its planned time, and tells of it', { timeout: 30_000 }, async () => {
    const { flow } = await millrace.publish(scheduled({ every: 10, input: { report: 'daily' } }))
    const runs = nextRun(flow.id)
    const before = (await millrace.api('GET', `/flows/${flow.id}/schedule`)).body
    expect(before).toMatchObject({ published: true, paused: false, timezone: 'UTC', last: [] })
    expect(before.next).toHaveLength(10)
    const planned = before.next[0].at
    const run = await millrace.run(await runs)
    expect(run).toMatchObject({
      status: 'succeeded',
      version: 1,
      webhook: null,
      trigger: { kind: 'schedule', at: planned },
      schedule: { at: planned, missed: 0, input: { report: 'daily' } },
      vars: { at: planned, report: 'daily' },
    })
    expect(Date.parse(run.createdAt) - Date.parse(planned)).toBeGreaterThanOrEqual(0)
    const { last } = (await millrace.api('GET', `/flows/${flow.id}/schedule`)).body
    expect(last.at(-1)).toEqual({ at: planned, run: run.id, status: 'succeeded' })
    const replay = await millrace.api('POST', `/runs/${run.id}/replay`, {})
    await millrace.runEnded(replay.body.id)
    expect(replay.body).toMatchObject({ replayOf: run.id, schedule: { at: planned } })
    const times = (await millrace.api('GET', `/flows/${flow.id}/schedule`)).body.last
    expect(times.map(({ run: of }: { run: string }) => of)).not.toContain(replay.body.id)
    await millrace.api('DELETE', `/flows/${flow.id}`)
  })

  it('runs at once when asked, with its own input or a given one', async () => {
    const { flow } = await millrace.publish(scheduled({ cron: '0 0 1 1 *', input: { report: 'yearly' } }))
    for (const [given, report] of [
      [{}, 'yearly'],
      [{ input: { report: 'now' } }, 'now'],
      [{ input: null }, 'none'],
    ] as const) {
      const answer = await millrace.api('POST', `/flows/${flow.id}/runs`, given)
      // A run that reaches nothing outside may have ended by then.
      expect(answer).toMatchObject({ status: 202, body: { status: expect.stringMatching(/^(queued|succeeded)$/) } })
      const run = await millrace.runEnded(answer.body.id)
      expect(run).toMatchObject({ status: 'succeeded', vars: { report }, trigger: { kind: 'schedule', manual: true } })
    }
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items[0]).toMatchObject({ action: 'flow.run', target: { id: flow.id } })
  })

  it('has no webhook, unless its draft or its live version has', async () => {
    const { flow } = await millrace.publish(scheduled({ cron: '0 0 1 1 *' }, []))
    expect(flow.webhook).toBeNull()
    const webhook = { name: 'Nightly report', trigger: { kind: 'webhook' }, steps: [] }
    const changed = (await millrace.api('PUT', `/flows/${flow.id}`, webhook)).body
    const { id } = changed.webhook
    const post = () =>
      fetch(`${millrace.url}/api/v1/webhooks/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    expect((await post()).status).toBe(404)
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    expect((await post()).status).toBe(200)
    expect((await millrace.api('GET', `/flows/${flow.id}/schedule`)).body.code).toBe('wrong_trigger')
    const back = (await millrace.api('PUT', `/flows/${flow.id}`, scheduled({ every: 60 }, []))).body
    expect(back.webhook.id).toBe(id)
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    expect((await post()).status).toBe(404)
    expect((await millrace.api('GET', `/flows/${flow.id}`)).body.webhook).toBeNull()
    expect((await millrace.api('GET', `/flows/${flow.id}/schedule`)).body.published).toBe(true)
  })

  it('refuses what its trigger does not allow', async () => {
    const draft = (await millrace.api('POST', '/flows', scheduled({ cron: '30 2 * * *', timezone: 'Europe/Berlin' })))
      .body
    expect((await millrace.api('POST', `/flows/${draft.id}/runs`, {})).body.code).toBe('not_published')
    expect((await millrace.api('GET', `/flows/${draft.id}/schedule`)).body).toMatchObject({
      published: false,
      timezone: 'Europe/Berlin',
      last: [],
    })
    const warned = await millrace.api('POST', `/flows/${draft.id}/publish`)
    expect(warned.body.warnings).toMatchObject([{ path: '/trigger/cron', code: 'unusual_time' }])
    const hook = await millrace.publish({ name: 'Hook', trigger: { kind: 'webhook' }, steps: [] })
    const refused = await millrace.api('POST', `/flows/${hook.flow.id}/runs`, {})
    expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_trigger' } })
    const broken = (await millrace.api('POST', '/flows', scheduled({ cron: '0 0 31 2 *' }))).body
    expect((await millrace.api('GET', `/flows/${broken.id}/schedule`)).status).toBe(422)
    expect((await millrace.api('POST', `/flows/${broken.id}/publish`)).body.issues).toMatchObject([
      { path: '/trigger/cron', code: 'never_fires' },
    ])
  })

  it('is tested, whole and step by step, with a given time or now', async () => {
    const { id } = (await millrace.api('POST', '/flows', scheduled({ every: 60, input: { report: 'daily' } }))).body
    const schedule = { at: '2027-03-28T01:00:00.000Z', missed: 3 }
    const given = await millrace.api('POST', `/flows/${id}/test`, { schedule })
    const run = await millrace.runEnded(given.body.id)
    expect(run).toMatchObject({
      test: true,
      trigger: { kind: 'schedule', manual: true },
      schedule: { ...schedule, input: { report: 'daily' } },
      vars: { at: schedule.at, report: 'daily' },
    })
    const step = await millrace.api('POST', `/flows/${id}/steps/note/test`, { schedule: { input: { report: 'x' } } })
    expect(step.body).toMatchObject({ status: 'succeeded', output: { report: 'x' } })
  })
})

// Tests the pages of runs and deliveries: what happened, as it happens, and what can be done about it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

/** A page that executes this text sets a mark. */
const HOSTILE = '<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>'

let ui: Ui
let upstream: Upstream
let page: Page

const documentOf = (name: string, steps: object[] = [], trigger: object = {}) => ({
  name,
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const get = (id: string, path: string, more: object = {}) => ({
  id,
  kind: 'http',
  method: 'GET',
  url: `{{ env.UP }}${path}`,
  ...more,
})
const row = (name: string) => page.locator('tbody tr').filter({ hasText: name })
const card = (id: string) => page.locator(`[data-card="${id}"]`)
const panel = () => page.getByRole('region', { name: 'Details' })
const ended = async (post: Promise<{ body: { id: string } }>, states?: string[]) =>
  ui.millrace.runEnded((await post).body.id, states)

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const status = Number(/\/status\/(\d+)/.exec(request.url)?.[1] ?? 200)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ note: HOSTILE, path: request.url }))
  })
  ui = await startUi({ MILLRACE_ENV_UP: upstream.url })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

describe('without any runs', () => {
  it('the list says how the first comes about, with the line to send', async () => {
    await page.goto('/runs')
    await page.getByText('No runs yet').waitFor()
    await page.getByRole('link', { name: 'Go to flows' }).waitFor()
    await expectAccessible(page)
    const { flow } = await ui.millrace.publish(documentOf('First'))
    await page.reload()
    await page.getByText(`curl ${flow.webhook.url}`).waitFor()
    await page.goto('/inbox')
    await page.getByText('No deliveries yet').waitFor()
    await page.getByText(`curl ${flow.webhook.url}`).waitFor()
  })
})

describe('the list of runs', () => {
  it('shows a run as it arrives, and what becomes of it', async () => {
    const { flow, post } = await ui.millrace.publish(documentOf('Waits', [{ id: 'rest', kind: 'wait', seconds: 3600 }]))
    await page.goto('/runs')
    await page.getByText('No runs yet').waitFor()
    const run = await ended(post({ n: 1 }), ['waiting'])
    await row('Waits').getByText('Waiting').waitFor()
    await ui.millrace.api('POST', `/runs/${run.id}/cancel`)
    await row('Waits').getByText('Cancelled', { exact: true }).waitFor()
    expect(await row('Waits').getByRole('link').getAttribute('href')).toBe(`/runs/${run.id}`)
    await ui.millrace.api('DELETE', `/flows/${flow.id}`)
    await page.reload()
    await row('Deleted flow').waitFor()
  })

  it('keeps its filters in the address, and lets go of runs that leave them', async () => {
    const { post } = await ui.millrace.publish(documentOf('Filtered', [{ id: 'rest', kind: 'wait', seconds: 3600 }]))
    const other = await ui.millrace.publish(documentOf('Other'))
    await page.goto('/runs?status=waiting')
    await page.getByText('No runs match').waitFor()
    await ended(other.post({}))
    const run = await ended(post({}), ['waiting'])
    await row('Filtered').getByText('Waiting').waitFor()
    expect(await row('Other').count()).toBe(0)
    await ui.millrace.api('POST', `/runs/${run.id}/cancel`)
    await page.getByText('No runs match').waitFor()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Cancelled' }).click()
    await page.waitForURL('**/runs?status=cancelled')
    await row('Filtered').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL(/\/runs$/)
    await row('Other').waitFor()
  })

  it('holds still while it is paused, and counts what is new', async () => {
    const { post } = await ui.millrace.publish(documentOf('Held'))
    await page.goto('/runs')
    await row('Other').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await ended(post({}))
    await ended(post({}))
    await page.getByRole('button', { name: '2 new runs' }).waitFor()
    expect(await row('Held').count()).toBe(0)
    await page.getByRole('button', { name: '2 new runs' }).click()
    await row('Held').nth(1).waitFor()
    await page.getByRole('button', { name: 'Live' }).waitFor()
  })

  it('pages back to older runs, and holds still while it is scrolled', async () => {
    const { flow, post } = await ui.millrace.publish(documentOf('Many'))
    for (let i = 0; i < 60; i++) await post({ i })
    await page.goto(`/runs?flow=${flow.id}`)
    // Rows that cannot be seen are not drawn, but count; so does the head.
    const rows = (count: number) => page.locator(`table[aria-rowcount="${count + 1}"]`)
    await rows(50).waitFor()
    await page.getByRole('button', { name: 'Older runs' }).click()
    await rows(60).waitFor()
    expect(await page.getByRole('button', { name: 'Older runs' }).count()).toBe(0)
    await row('Many').last().scrollIntoViewIfNeeded()
    await ended(post({}))
    await page.getByRole('button', { name: '1 new run' }).click()
    await rows(61).waitFor()
  })

  it('replays a run from its row; the link to it stays in its place when the replay begins', async () => {
    const held = { when: '{{ webhook.body.hold }}', steps: [{ id: 'rest', kind: 'wait', seconds: 3600 }] }
    const { post } = await ui.millrace.publish(
      documentOf('Again', [{ id: 'which', kind: 'branch', cases: [held] }], { concurrency: 1 }),
    )
    const run = await ended(post({}))
    const { id: first } = await ended(post({ hold: true }), ['waiting'])
    await page.goto('/runs')
    const menu = row('Again')
      .filter({ has: page.locator(`[href="/runs/${run.id}"]`) })
      .getByRole('button')
    await menu.hover()
    await menu.click()
    await page.getByRole('menuitem', { name: 'On version 1, as before' }).click()
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(run.id))
    await page.getByText('has not begun').waitFor()
    const link = page.getByRole('link', { name: `…${run.id.slice(-8)}` })
    const before = (await link.boundingBox())!
    await ui.millrace.api('POST', `/runs/${first}/cancel`)
    await page.locator('header').getByText('Succeeded').first().waitFor()
    const after = (await link.boundingBox())!
    // The time since the start is in front of it too, and moves it by a digit.
    expect(Math.abs(after.x - before.x)).toBeLessThan(before.width / 2)
    expect(after.y).toBe(before.y)
    await link.click()
    await page.waitForURL(`**/runs/${run.id}`)
  })
})

describe('a failed run', () => {
  let runId: string
  let flowId: string

  beforeAll(async () => {
    const { flow, post } = await ui.millrace.publish(
      documentOf('Orders', [
        get('order', '/orders/7'),
        {
          id: 'big',
          kind: 'branch',
          cases: [
            { name: 'Large', when: '{{ true }}', steps: [get('tell', '/status/502')] },
            { when: '{{ false }}', steps: [{ id: 'quiet', kind: 'set', vars: { a: 1 } }] },
          ],
        },
        { id: 'note', kind: 'set', vars: { done: true } },
      ]),
    )
    runId = (await ended(post({ comment: HOSTILE }, { 'x-hostile': HOSTILE }, '?q=%3Cscript%3E'))).id
    flowId = flow.id
  })

  it('is opened from the list at the step that failed, with the reason and what to do', async () => {
    await page.goto('/runs?status=failed')
    await row('Orders').getByText('replied 502').waitFor()
    await row('Orders').getByRole('link').click()
    await page.waitForURL(`**/runs/${runId}`)
    await panel().getByRole('heading', { name: 'tell' }).waitFor()
    await panel().getByRole('alert').getByText('http_5xx').waitFor()
    await panel().getByText('add a retry to the step').waitFor()
    await panel()
      .getByRole('treeitem', { name: /status/ })
      .first()
      .waitFor()
    await panel().getByRole('tab', { name: 'Input' }).click()
    await page.waitForURL(`**/runs/${runId}?step=big%2Ftell&tab=input`)
    await panel().getByText('/status/502').waitFor()
  })

  it('leads to its step in the editor', async () => {
    await page.goto(`/runs/${runId}`)
    const link = page.getByRole('link', { name: 'Open tell in the editor' })
    expect(await link.getAttribute('href')).toBe(`/flows/${flowId}?step=tell`)
    await link.click()
    await page.waitForURL(`**/flows/${flowId}?step=tell`)
    await page.getByRole('textbox', { name: 'Id of the step' }).waitFor()
  })

  it('shows the way it went on the canvas, in step with the timeline', async () => {
    await page.goto(`/runs/${runId}`)
    await card('tell')
      .getByText(/^502 · /)
      .waitFor()
    expect(await card('order').getAttribute('data-outcome')).toBe('succeeded')
    expect(await card('tell').getAttribute('data-outcome')).toBe('failed')
    expect(await card('quiet').getAttribute('data-outcome')).toBeNull()
    await card('order').click()
    await page.waitForURL(`**/runs/${runId}?step=order`)
    const selected = page.getByRole('treeitem', { selected: true }).filter({ hasText: 'order' })
    await selected.first().waitFor()
    await card('note').click()
    await panel().getByText('it did not get there').waitFor()
  })

  it('shows what the webhook brought as text, and nothing of it is run', async () => {
    await page.goto(`/runs/${runId}?trigger=true`)
    await panel().getByText('comment').waitFor()
    await panel()
      .getByRole('tab', { name: /Headers/ })
      .click()
    await panel().getByText('x-hostile').waitFor()
    await panel().getByRole('tab', { name: /Query/ }).click()
    await panel().getByText('<script>').waitFor()
    await panel().getByRole('tab', { name: 'Original request' }).click()
    await panel().getByText('onerror').first().waitFor()
    await panel().getByText('Raw').click()
    await panel().locator('.cm-content').getByText('onerror').waitFor()
    await page.goto(`/runs/${runId}?step=big%2Ftell`)
    await panel().getByText('onerror').first().waitFor()
    expect(await page.locator('img[src="x"], main script').count()).toBe(0)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  })

  it('is replayed from one of its steps, and what came before is not done again', async () => {
    await page.goto(`/runs/${runId}`)
    await panel().getByRole('heading', { name: 'tell' }).waitFor()
    const asked = upstream.received.filter(({ url }) => url === '/orders/7').length
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Replay from tell').waitFor()
    await page.getByRole('menuitem', { name: 'On version 1, as before' }).last().click()
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(runId))
    await page.locator('header').getByText('Failed').first().waitFor()
    const replayed = await ui.millrace.run(new URL(page.url()).pathname.split('/')[2]!)
    expect(replayed.replayOf).toBe(runId)
    expect(upstream.received.filter(({ url }) => url === '/orders/7')).toHaveLength(asked)
  })

  it('says why it cannot be replayed', async () => {
    await page.goto(`/runs/${runId}`)
    await ui.millrace.api('POST', `/flows/${flowId}/unpublish`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('menuitem', { name: 'On the published version' }).first().click()
    await page.getByText('The run could not be replayed').waitFor()
    await page.getByText('The flow is not published').waitFor()
    await ui.millrace.api('POST', `/flows/${flowId}/publish`)
  })

  it('is told apart from a run that never was', async () => {
    await page.goto('/runs/run_nope')
    await page.getByText('The run could not be loaded').waitFor()
    await page.getByText('retention').waitFor()
  })
})

describe('a run under way', () => {
  it('is followed live, and cancelled', async () => {
    const { post } = await ui.millrace.publish(
      documentOf('Pauses', [get('before', '/before'), { id: 'rest', kind: 'wait', seconds: 3600 }]),
    )
    const run = await ended(post({}), ['waiting'])
    await page.goto(`/runs/${run.id}?step=rest`)
    await panel().getByText('Goes on').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Finished steps are not undone').waitFor()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('header').getByText('Cancelled').first().waitFor()
    await panel().getByText('Cancelled').waitFor()
    expect((await ui.millrace.run(run.id)).status).toBe('cancelled')
  })

  it('shows its steps as they begin and end, without being asked again', async () => {
    const { post } = await ui.millrace.publish(
      documentOf('Grows', [
        { id: 'rest', kind: 'wait', callback: {} },
        { id: 'last', kind: 'set', vars: { grown: true } },
      ]),
    )
    const run = await ended(post({}), ['waiting'])
    await page.goto(`/runs/${run.id}`)
    await page.getByRole('treeitem', { name: /^rest Waiting/ }).waitFor()
    await ui.millrace.api('POST', `/runs/${run.id}/callbacks/rest/answer`, { body: {} })
    await page.getByRole('treeitem', { name: /^last Succeeded/ }).waitFor()
    await page.locator('header').getByText('Succeeded').first().waitFor()
    expect(await card('last').getAttribute('data-outcome')).toBe('succeeded')
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  })
})

describe('a loop of 300 rounds', () => {
  let runId: string

  beforeAll(async () => {
    const { post } = await ui.millrace.publish(
      documentOf('Batch', [
        {
          id: 'all',
          kind: 'loop',
          each: '{{ webhook.body.items }}',
          onError: 'continue',
          concurrency: 20,
          steps: [
            get('send', '/status/{{ loop.item }}'),
            { id: 'keep', kind: 'set', vars: { last: '{{ loop.index }}' } },
          ],
        },
      ]),
    )
    const items = Array.from({ length: 300 }, (_, i) => (i === 7 || i === 250 ? 500 : 200))
    runId = (await ended(post({ items }))).id
  })

  it('is one row with its count, and its failed rounds come first', async () => {
    await page.goto(`/runs/${runId}?step=all`)
    await page.getByRole('treeitem', { name: /^all 300 rounds 2 failed Succeeded/ }).waitFor()
    const rounds = panel()
      .locator('button span')
      .filter({ hasText: /^Round \d+$/ })
    await rounds.first().waitFor()
    expect((await rounds.allTextContents()).slice(0, 3)).toEqual(['Round 8', 'Round 251', 'Round 1'])
    // Only a part of the rounds is drawn.
    expect(await rounds.count()).toBeLessThan(100)
    await panel().getByRole('switch', { name: 'Failed first' }).press('Space')
    await panel()
      .getByRole('button', { name: /Round 2\b/ })
      .waitFor()
    expect(await card('send').textContent()).toContain('2 of 300 failed')
  })

  it('leads from round to round at the same step', async () => {
    await page.goto(`/runs/${runId}?step=all`)
    await panel()
      .getByRole('button', { name: /Round 251/ })
      .click()
    await page.waitForURL(/step=all%5B250%5D$/)
    await panel().getByRole('button', { name: /send/ }).click()
    await page.waitForURL(/step=all%5B250%5D%2Fsend$/)
    await panel().getByText('http_500').waitFor()
    await panel().getByRole('button', { name: 'Previous round' }).click()
    await page.waitForURL(/step=all%5B249%5D%2Fsend$/)
    await panel().getByText('Succeeded').waitFor()
    await panel().getByRole('button', { name: 'Next failed' }).click()
    await page.waitForURL(/step=all%5B250%5D%2Fsend$/)
    await page.getByRole('treeitem', { name: /^Round 251 of 300 Failed/ }).waitFor()
    expect(await card('send').textContent()).toContain('500')
  })
})

describe('a loop whose steps are more than a run shows', () => {
  it('reads what comes after it, and the steps of a round when it is looked at', async () => {
    const { post } = await ui.millrace.publish(
      documentOf('Long', [
        {
          id: 'all',
          kind: 'loop',
          while: '{{ loop.index < 5200 }}',
          max: 6000,
          steps: [{ id: 'keep', kind: 'set', vars: { at: '{{ loop.index }}' } }],
        },
        { id: 'after', kind: 'fail', message: 'After it all' },
      ]),
    )
    const run = await ended(post({}))
    await page.goto(`/runs/${run.id}`)
    await panel().getByRole('heading', { name: 'after' }).waitFor()
    await panel().getByText('After it all').waitFor()
    await page.goto(`/runs/${run.id}?step=all%5B5150%5D%2Fkeep`)
    await panel().getByText('Round 5,151').waitFor()
    await panel().getByRole('treeitem', { name: /at/ }).getByText('5150').waitFor()
    await page.getByRole('treeitem', { name: /^Round 5,151/ }).waitFor()
  })
})

describe('the inbox', () => {
  let flowId: string

  beforeAll(async () => {
    const { flow, post } = await ui.millrace.publish(
      documentOf('Guarded', [], {
        auth: { kind: 'header', name: 'X-Key', value: 'open-sesame-123' },
        when: "{{ webhook.body.type != 'ping' }}",
        dedupe: { key: '{{ webhook.body.id }}' },
      }),
    )
    flowId = flow.id
    const key = { 'X-Key': 'open-sesame-123' }
    await post({ id: 1 }, { 'X-Key': 'wrong-key-123' })
    await post({ id: 1, note: HOSTILE }, key)
    await post({ id: 1 }, key)
    await post({ type: 'ping' }, key)
  })

  const inboxPanel = () => page.getByRole('region', { name: 'Selected delivery' })

  it('lists what came in, with the reason, and new ones as they come', async () => {
    await page.goto(`/inbox?flow=${flowId}`)
    await row('Rejected').getByText('unauthorized').waitFor()
    await row('Rejected').getByText('401').waitFor()
    await row('Duplicate').getByText('Repeats an earlier delivery').waitFor()
    await row('Filtered').getByText('Does not match the trigger').waitFor()
    await row('Accepted').getByText('Started a run').waitFor()
    await fetch(`${ui.url}/api/v1/webhooks/${(await ui.millrace.api('GET', `/flows/${flowId}`)).body.webhook.id}`, {
      method: 'POST',
    })
    await row('Rejected').nth(1).waitFor()
  })

  it('shows why a delivery was rejected and what the caller got', async () => {
    await page.goto(`/inbox?flow=${flowId}&outcome=rejected`)
    await row('Guarded').last().getByRole('link').click()
    await page.waitForURL(/delivery=dlv_/)
    await inboxPanel().getByText('unauthorized').waitFor()
    await inboxPanel().getByText('Reply').waitFor()
    await inboxPanel().getByRole('tab', { name: 'Body' }).click()
    await inboxPanel().getByText('The body of a rejected delivery is not kept.').waitFor()
    const sample = inboxPanel().getByRole('button', { name: 'Use as sample' })
    expect(await sample.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => !url.search.includes('delivery'))
  })

  it('keeps a delivery as a sample of its flow, and leads to the trigger', async () => {
    await page.goto(`/inbox?flow=${flowId}&outcome=accepted`)
    await row('Guarded').first().getByRole('link').first().click()
    await inboxPanel().getByText('onerror').waitFor()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    await inboxPanel().getByRole('button', { name: 'Copy as cURL' }).click()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(line).toContain(`curl http://localhost:${ui.millrace.port}/api/v1/webhooks/`)
    expect(line).not.toContain('open-sesame-123')
    await inboxPanel().getByRole('button', { name: 'Use as sample' }).click()
    await inboxPanel().getByText('Kept as the latest sample').waitFor()
    const [sample] = (await ui.millrace.api('GET', `/flows/${flowId}/samples`)).body.items
    expect(sample.webhook.body).toEqual({ id: 1, note: HOSTILE })
    await inboxPanel().getByRole('link', { name: 'Open in the editor' }).click()
    await page.waitForURL(`**/flows/${flowId}?trigger=true`)
  })
})

describe('somebody who may only read', () => {
  it('sees runs and deliveries, and is offered nothing that would be refused', async () => {
    const invitation = await ui.millrace.api('POST', '/invitations', { role: 'viewer' })
    const guest = await ui.visitor()
    const code = new URL(invitation.body.url).hash.replace('#code=', '')
    const accepted = await guest.request.post('/api/auth/accept-invitation', {
      headers: { origin: ui.url },
      data: { code, email: 'vera@example.com', name: 'Vera', password: 'quiet river stone lamp' },
    })
    expect(accepted.ok()).toBe(true)
    await guest.goto('/runs?status=failed')
    await guest.locator('tbody tr').filter({ hasText: 'Orders' }).first().getByRole('link').click()
    const replay = guest.getByRole('button', { name: 'Replay' })
    await replay.waitFor()
    expect(await replay.getAttribute('aria-disabled')).toBe('true')
    await replay.click({ force: true })
    expect(await guest.getByRole('menuitem').count()).toBe(0)
    await guest.goto('/inbox?outcome=accepted')
    await guest.locator('tbody tr').first().getByRole('link').first().click()
    const sample = guest.getByRole('button', { name: 'Use as sample' })
    await sample.waitFor()
    expect(await sample.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('with the keyboard alone', () => {
  it('a run is found, opened, and looked through', async () => {
    await page.goto('/runs?status=failed')
    await row('Orders').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs/run_*')
    const timeline = page.getByRole('tree', { name: 'Timeline' })
    await timeline.focus()
    await page.keyboard.press('Home')
    await page.waitForURL(/trigger=true/)
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(/step=/)
    await page.keyboard.press('End')
    await page.getByRole('treeitem', { selected: true }).first().waitFor()
  })
})

// Tests the page of failures: from the list of causes to all runs replayed, and a replay with changes.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PublishedFlow } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const CAUSES = [400, 401, 403, 404, 500, 502, 503]
let ui: Ui
let page: Page
let upstream: Upstream
let isUp = false
let flow: PublishedFlow
const runs: string[] = []

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    response.writeHead(isUp ? 200 : Number(url.slice(1)), { 'content-type': 'application/json' })
    response.end('{}')
  })
  ui = await startUi({ MILLRACE_ENV_UP: upstream.url })
  page = await ui.owner()
  flow = await ui.millrace.publish({
    name: 'Order to the shop',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'send', kind: 'http', method: 'POST', url: '{{ env.UP }}/{{ webhook.body.status }}' }],
  })
  for (const status of [...CAUSES, ...CAUSES]) runs.push((await flow.post({ status })).body.id)
  for (const id of runs) await ui.millrace.runEnded(id)
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

const rows = () => page.locator('tbody tr')
const pictures = process.env['TEST_PICTURES']
const picture = async (name: string) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` })
}

describe('the page of failures', () => {
  it('shows each cause once, and the runs of one', async () => {
    await page.goto('/overview')
    await page.getByRole('link', { name: 'Failures' }).click()
    // The overview has rows of its own, and stays until the other page is there.
    await page.getByRole('button', { name: 'Replay all' }).waitFor()
    await rows().nth(6).waitFor()
    expect(await rows().count()).toBe(7)
    await picture('failures')
    await expectAccessible(page)
    await page.getByRole('link', { name: /503/ }).or(rows().last().getByRole('link')).first().click()
    await page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    await rows().nth(1).waitFor()
    expect(await rows().count()).toBe(2)
    await picture('failure')
    await expectAccessible(page)
  })

  it('mutes, resolves and opens a failure again', async () => {
    await page.getByRole('button', { name: 'Resolve or mute' }).click()
    await page.getByRole('menuitem', { name: 'Mute for an hour' }).click()
    await page.getByText(/^Muted until/).waitFor()
    await page.getByRole('button', { name: 'Change state' }).click()
    await page.getByRole('menuitem', { name: 'Open again' }).click()
    await page.getByText('Open', { exact: true }).waitFor()
  })

  it('replays all of them in three clicks, by keyboard alone', async () => {
    isUp = true
    await page.goto('/failures')
    const all = page.getByRole('button', { name: 'Replay all' })
    await all.focus()
    await page.keyboard.press('Enter')
    const start = page.getByRole('button', { name: 'Replay 14 runs' })
    await start.waitFor()
    await picture('replay-dialog')
    await expectAccessible(page)
    await start.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/replays/rpl_*')
    await page.getByText('14 succeeded, 0 failed').waitFor()
    await page.getByText('Done', { exact: true }).waitFor()
    await picture('replay')
    await expectAccessible(page)
    for (const id of runs) expect((await ui.millrace.run(id)).replayedAs?.status).toBe('succeeded')
  })

  it('fits a phone and the dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const [path, name] of [
      ['/failures', 'failures-phone'],
      [`/failures/${(await ui.millrace.api('GET', '/failures')).body.items[0].id}`, 'failure-phone'],
    ] as const) {
      await page.goto(path)
      await rows().first().waitFor()
      await picture(name)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      await expectAccessible(page)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
  })
})

describe('a replay with changes', () => {
  it('sends what was edited, and marks the run', async () => {
    await page.goto(`/runs/${runs[0]}`)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Replay with changes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay with changes' })
    const editor = dialog.getByRole('textbox', { name: 'Body' })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('{"status": 418')
    await dialog
      .getByText('not valid JSON')
      .or(dialog.getByRole('tab', { name: 'Body •' }))
      .first()
      .waitFor()
    await picture('replay-changes')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('edited for the replay').waitFor()
    await page.getByText('Replay of', { exact: true }).waitFor()
    await picture('edited-run')
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    expect(await ui.millrace.runEnded(id)).toMatchObject({ edited: true, webhook: { body: { status: 418 } } })
  })
})

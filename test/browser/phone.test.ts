// Tests the pages on a phone: everything has a name, nothing lies over another, and the first tap counts. That every page fits is
// tested in every-page.test.ts.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

let ui: Ui
let page: Page
let flow: string
let run: string

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner(PHONE)
  const published = await ui.millrace.publish({
    name: 'Orders of the whole northern region',
    tags: ['billing', 'north'],
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'prepare', kind: 'set', vars: { order: '{{ webhook.body }}' } },
      { id: 'refuse', kind: 'fail', message: 'The order has no customer number, so nothing can be sent for it.' },
    ],
  })
  flow = published.flow.id
  run = (await published.post({ order: 7 })).body.id
  await ui.millrace.runEnded(run)
})
afterAll(() => ui.stop())

/** What reaches beyond the screen and cannot be scrolled to inside anything. */
const beyond = () =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main *, nav *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .filter((element) => {
      for (let around = element.parentElement; around; around = around.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(around).overflowX) && around.getBoundingClientRect().right <= innerWidth + 1) return false
      return true
    })
    .map((element) => element.outerHTML.slice(0, 120))`)

/** A finger, which stays for some frames: what it touches may be drawn anew before it leaves. */
async function press(target: Locator): Promise<void> {
  await target.waitFor()
  const box = (await target.boundingBox())!
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const finger = await page.context().newCDPSession(page)
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

describe('at 390 pixels', () => {
  it('every place of the rail has a name', async () => {
    await page.goto('/flows')
    for (const name of ['Flows', 'Runs', 'Inbox', 'Connections', 'Settings'])
      await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name, exact: true }).waitFor()
  })

  it('the link of the page that is open is in sight, and so are buttons as a whole', async () => {
    for (const path of ['/settings/service', '/settings/audit', `/flows/${flow}/settings`, `/flows/${flow}/runs`]) {
      await page.goto(path)
      await page.locator('main nav [data-active]').waitFor()
      const inSight = `(() => { const { left, right } = document.querySelector('main nav [data-active]').getBoundingClientRect()
        return left >= 0 && right <= innerWidth })()`
      await expect.poll(async () => [path, await page.evaluate(inSight)]).toEqual([path, true])
    }
    await page.goto('/settings/keys')
    const rotate = page.getByRole('button', { name: 'Rotate' })
    expect(await rotate.evaluate((button) => button.scrollWidth <= button.clientWidth)).toBe(true)
  })

  it('the parts of a header do not lie over one another', async () => {
    for (const path of [`/runs/${run}`, `/flows/${flow}`]) {
      await page.goto(path)
      await page.locator('header h1').waitFor()
      const overlaps = await page.evaluate<string[]>(`(() => {
        const parts = [...document.querySelectorAll('header h1, header a, header button, header nav, header label')]
          .filter((part) => part.offsetWidth > 0)
        const boxes = parts.map((part) => part.getBoundingClientRect())
        return parts.flatMap((one, i) => parts.slice(i + 1).filter((other, j) => {
          const [a, b] = [boxes[i], boxes[i + 1 + j]]
          return !one.contains(other) && !other.contains(one) &&
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
        }).map((other) => one.textContent + ' / ' + other.textContent))
      })()`)
      expect(overlaps).toEqual([])
    }
  })

  it('the first tap on the actions of a run opens them', async () => {
    await page.goto('/runs')
    await press(page.getByRole('button', { name: /^Actions for the run/ }).first())
    await page.getByRole('menuitem', { name: 'Copy run id' }).waitFor()
  })

  it('a failed run is replayed', async () => {
    await page.goto(`/runs/${run}`)
    await page.getByText('The order has no customer number').first().waitFor()
    await page.getByRole('button', { name: 'Replay' }).tap()
    await page.getByRole('menuitem').first().tap()
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(run))
  })

  it('a delivery opens over the list, and closes again', async () => {
    await page.goto('/inbox')
    await page.locator('tr[data-delivery] a[data-row]').first().tap()
    await page.getByRole('region', { name: 'Selected delivery' }).getByText('Caller got').waitFor()
    expect(await beyond()).toEqual([])
    await page.getByRole('button', { name: /Close/ }).tap()
    await page.locator('tr[data-delivery] a[data-row]').first().waitFor()
  })
})

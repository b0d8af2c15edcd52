// Tests every page of the router in light, in dark and on a phone: accessible, nothing wider than the screen, no error in the console.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

let ui: Ui
let owner: Page
let stranger: Page
/** What the parameters of addresses stand for. */
const ids: Record<string, string> = {}

/** Where each page is, and what shows that its data is there. */
interface Visited {
  at: string
  shows: string
  by?: 'stranger'
}

const PAGES: Record<string, () => Visited[]> = {
  '/setup': () => [{ at: `/setup#code=${ids['code']}`, shows: 'already', by: 'stranger' }],
  '/invite': () => [{ at: `/invite#code=${ids['invitation']}`, shows: 'Password', by: 'stranger' }],
  '/sign-in': () => [{ at: '/sign-in', shows: 'Password', by: 'stranger' }],
  '/two-factor': () => [{ at: '/two-factor', shows: 'Your password' }],
  // Leads to another page.
  '/': () => [],
  '/overview': () => [{ at: '/overview?range=7d', shows: 'Success rate' }],
  '/flows': () => [{ at: '/flows', shows: 'Orders of the whole' }],
  '/flows/new': () => [{ at: '/flows/new', shows: 'Blank flow' }],
  '/flows/import': () => [{ at: '/flows/import', shows: 'Import' }],
  '/flows/$id': () => [
    { at: `/flows/${ids['flow']}`, shows: 'refuse' },
    { at: `/flows/${ids['flow']}?step=refuse`, shows: 'Message' },
    { at: `/flows/${ids['flow']}?trigger=true`, shows: 'Webhook URL' },
    { at: `/flows/${ids['flow']}?failure=true`, shows: 'What is done' },
    { at: `/flows/${ids['flow']}?publish=true`, shows: 'Versions' },
    { at: `/flows/${ids['flow']}?view=yaml`, shows: 'vars' },
    { at: `/flows/${ids['asking']}?step=approval`, shows: 'Add answer' },
  ],
  '/flows/$id/runs': () => [{ at: `/flows/${ids['flow']}/runs`, shows: 'Failed' }],
  '/flows/$id/inbox': () => [{ at: `/flows/${ids['flow']}/inbox`, shows: 'Accepted' }],
  '/flows/$id/versions': () => [{ at: `/flows/${ids['flow']}/versions`, shows: 'admin token' }],
  '/flows/$id/settings': () => [{ at: `/flows/${ids['flow']}/settings`, shows: 'Description' }],
  '/flows/$id/stats': () => [{ at: `/flows/${ids['flow']}/stats`, shows: 'Success rate' }],
  '/runs': () => [{ at: '/runs', shows: 'Orders of the whole' }],
  '/runs/$id': () => [
    { at: `/runs/${ids['run']}`, shows: 'The order has no customer number' },
    { at: `/runs/${ids['run']}?trigger=true`, shows: 'Original request' },
    { at: `/runs/${ids['waiting']}?step=approval`, shows: 'Regenerate URL' },
  ],
  '/approvals': () => [{ at: '/approvals', shows: 'Refund 80 EUR' }],
  '/failures': () => [{ at: '/failures', shows: 'The order has no customer number' }],
  '/failures/$id': () => [{ at: `/failures/${ids['failure']}`, shows: 'The order has no customer number' }],
  '/replays/$id': () => [{ at: `/replays/${ids['replay']}`, shows: '1 a second' }],
  '/inbox': () => [
    { at: '/inbox', shows: 'Orders of the whole' },
    { at: `/inbox?outcome=rejected&delivery=${ids['delivery']}`, shows: 'Reply' },
  ],
  '/connections': () => [{ at: '/connections', shows: 'crm' }],
  '/connections/-new': () => [{ at: '/connections/-new', shows: 'OAuth 2.0' }],
  '/connections/$name': () => [{ at: '/connections/crm', shows: 'In a step' }],
  // The frame of those below, and what leads to the first of them.
  '/settings': () => [],
  '/settings/': () => [],
  '/settings/profile': () => [{ at: '/settings/profile', shows: 'ada@example.com' }],
  '/settings/users': () => [{ at: '/settings/users', shows: 'ada@example.com' }],
  '/settings/tokens': () => [{ at: '/settings/tokens', shows: 'a script' }],
  '/settings/keys': () => [{ at: '/settings/keys', shows: 'Rotat' }],
  '/settings/alerts': () => [{ at: '/settings/alerts', shows: '3 deliveries rejected in a row' }],
  '/settings/audit': () => [{ at: '/settings/audit', shows: 'crm' }],
  '/settings/failures': () => [{ at: '/settings/failures', shows: 'Failure flow' }],
  '/settings/service': () => [{ at: '/settings/service', shows: 'MILLRACE_' }],
  $: () => [{ at: '/nowhere', shows: 'No page has the address /nowhere' }],
}

/** The paths of all routes that are made in routes.tsx. */
function routePaths(): string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../web/src/routes.tsx'), 'utf8')
  const routes = new Map<string, { parent: string; path: string | undefined }>()
  for (const [, name, parent, rest] of text.matchAll(
    /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),([\s\S]*?)\n\}\)/g,
  ))
    routes.set(name!, { parent: parent!, path: /^\s*path: '([^']*)'/m.exec(rest!)?.[1] })
  expect(routes.size).toBe(text.split('= createRoute(').length - 1)
  const whole = (name: string): string => {
    const route = routes.get(name)
    return route ? whole(route.parent) + (route.path ?? '') : ''
  }
  return [...routes].filter(([, { path }]) => path !== undefined).map(([name]) => whole(name))
}

beforeAll(async () => {
  ui = await startUi()
  ids['code'] = ui.setupCode()
  owner = await ui.owner({ reducedMotion: 'reduce' })
  stranger = await ui.visitor({ reducedMotion: 'reduce' })
  const { millrace } = ui
  const { flow, post } = await millrace.publish({
    name: 'Orders of the whole northern region',
    description: 'Keeps **orders**.',
    tags: ['billing', 'north'],
    trigger: { kind: 'webhook', accept: ['application/json'] },
    notes: [{ text: 'Ask the region first.', x: 300, y: 0 }],
    steps: [
      { id: 'prepare', kind: 'set', vars: { order: '{{ webhook.body }}' } },
      { id: 'refuse', kind: 'fail', message: 'The order has no customer number, so nothing can be sent for it.' },
    ],
  })
  ids['flow'] = flow.id
  ids['run'] = (await post({ order: 7 })).body.id
  await millrace.runEnded(ids['run']!)
  ids['failure'] = (await millrace.api('GET', '/failures')).body.items[0].id
  const replays = { filter: { failure: ids['failure'] }, pace: 1 }
  ids['replay'] = (await millrace.api('POST', '/replays', replays)).body.id
  await millrace.api('POST', `/replays/${ids['replay']}/pause`)
  await fetch(flow.webhook.url.replace(/^https?:\/\/[^/]+/, millrace.url), {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'a,b',
  })
  ids['delivery'] = (await millrace.api('GET', '/deliveries?outcome=rejected')).body.items[0].id
  const asking = await millrace.publish({
    name: 'Refunds of the whole northern region',
    trigger: { kind: 'webhook' },
    steps: [
      {
        id: 'approval',
        kind: 'wait',
        approval: {
          title: 'Refund 80 EUR to Wilhelmina Featherstonehaugh-Cholmondeley of the northern region?',
          text: 'Order **4711** came back.',
          answers: ['approve', 'reject', 'ask the northern region once more'],
          fields: [{ name: 'reason', label: 'Why' }],
        },
      },
    ],
  })
  ids['waiting'] = (await asking.post({})).body.id
  await millrace.runEnded(ids['waiting']!, ['waiting'])
  ids['asking'] = asking.flow.id
  await millrace.api('POST', '/connections', {
    name: 'crm',
    kind: 'oauth2',
    fields: { grant: 'client_credentials', tokenUrl: 'https://a.example/t', clientId: 'c', clientSecret: 'secret-x' },
  })
  const target = { kind: 'webhook', url: 'https://chat.example.com/alerts' }
  await millrace.api('POST', '/alerts', { rule: 'rejections', count: 3, flow: flow.id, target })
  await millrace.api('POST', '/tokens', { name: 'a script', scope: 'read' })
  ids['invitation'] = (await millrace.api('POST', '/invitations', { role: 'viewer' })).body.url.split('#code=')[1]
})
afterAll(() => ui.stop())

/** What reaches beyond the screen and cannot be scrolled to inside anything. */
const beyond = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .filter((element) => {
      for (let around = element.parentElement; around; around = around.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(around).overflowX) && around.getBoundingClientRect().right <= innerWidth + 1) return false
      return true
    })
    .map((element) => element.outerHTML.slice(0, 120))`)

async function wearing(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  // Some colors change gradually.
  await page.evaluate(`(async () => {
    do await new Promise(requestAnimationFrame)
    while (document.getAnimations().some(({ playState }) => playState === 'running'))
  })()`)
}

it('knows every page of the router', () => {
  expect(Object.keys(PAGES).toSorted()).toEqual([...new Set(routePaths())].toSorted())
})

let looks: (readonly ['light' | 'dark', typeof DESK])[] = [
  ['dark', DESK],
  ['dark', PHONE],
  ['light', PHONE],
  ['light', DESK],
]

/** Goes to an address as a link does, so that the application is loaded once. */
async function follow(page: Page, at: string): Promise<void> {
  if (page === stranger || page.url() === 'about:blank') {
    await page.goto(at)
    return
  }
  const push = (address: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`)
  // The page before could show the same text.
  await push('/between')
  await page.getByText('No page has the address /between').waitFor()
  await push(at)
}

describe.each(Object.keys(PAGES))('the page %s', (path) => {
  it('is accessible and fits, in light and dark, at 1280 and 390 pixels', async () => {
    for (const { at, shows, by } of PAGES[path]!()) {
      const page = by ? stranger : owner
      await follow(page, at)
      // There and back, since each change draws the whole page anew.
      looks = looks.toReversed()
      for (const [scheme, size] of looks) {
        await page.setViewportSize(size)
        await wearing(page, scheme)
        await page.getByText(shows).filter({ visible: true }).first().waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
        expect(await beyond(page)).toEqual([])
        // All but the colors is the same.
        await expectAccessible(page, scheme === 'dark' ? 'color-contrast' : undefined)
      }
    }
  })
})

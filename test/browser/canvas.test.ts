// Tests the canvas: how much of a flow it shows, how steps are found and chosen together, notes, and the way a run took.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const wait = (id: string) => ({ id, kind: 'wait', seconds: 1 })
const set = (id: string, value: unknown = 1) => ({ id, kind: 'set', vars: { [id]: value } })
const documentOf = (name: string, steps: object[], more: object = {}) => ({
  name,
  trigger: { kind: 'webhook' },
  steps,
  ...more,
})
const many = (count: number) => Array.from({ length: count }, (_, i) => wait(`step_${i + 1}`))

async function openFlow(document: object, on = page): Promise<string> {
  const { body } = await ui.millrace.api('POST', '/flows', document)
  await on.goto(`/flows/${body.id}`)
  await on.getByRole('textbox', { name: 'Name of the flow' }).waitFor()
  return body.id as string
}

const card = (id: string, on = page) => on.locator(`[data-card="${id}"]`)
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft

/** How many cards are in the canvas's frame as a whole. */
const cardsInSight = (on = page): Promise<number> =>
  on.evaluate(`(() => {
    const frame = document.querySelector('[data-canvas]').getBoundingClientRect()
    return [...document.querySelectorAll('[data-card]')].filter((card) => {
      const box = card.getBoundingClientRect()
      return box.top >= frame.top && box.bottom <= frame.bottom && box.left >= frame.left && box.right <= frame.right
    }).length
  })()`)

describe('the view', () => {
  it('shows the whole of a flow with 60 steps', async () => {
    await openFlow(documentOf('Long', many(60)))
    await card('trigger').waitFor()
    expect(await cardsInSight()).toBeLessThan(20)
    await page.getByRole('button', { name: 'Show the whole flow' }).click()
    await expect.poll(() => cardsInSight()).toBe(62)
  })

  it('moves lines along with the cards that make room, and neither where motion is not wanted', async () => {
    const moved = async (on: Page): Promise<string[]> => {
      await on.evaluate(`window.ran = []
        document.addEventListener('transitionrun', ({ target, propertyName }) => {
          if (target.closest('[data-canvas]') && ['d', 'transform'].includes(propertyName)) window.ran.push([propertyName,
            Number.parseFloat(getComputedStyle(target).transitionDuration) > 0.1])
        })`)
      await card('step_1', on).click()
      await on.keyboard.press('d')
      await card('step_4', on).waitFor()
      await expect.poll(() => on.evaluate('window.ran.some(([name]) => name === "d")')).toBe(true)
      const ran = (await on.evaluate('window.ran')) as [string, boolean][]
      return [...new Set(ran.filter(([, isSeen]) => isSeen).map(([name]) => name))].toSorted()
    }
    const three = documentOf('Moving', many(3))
    await openFlow(three)
    expect(await moved(page)).toEqual(['d', 'transform'])
    const still = await ui.owner({ reducedMotion: 'reduce' })
    await openFlow(three, still)
    expect(await moved(still)).toEqual([])
    await still.context().close()
  })

  it('has a map of a long flow, and none of a short one', async () => {
    await openFlow(documentOf('Long', many(60)))
    await page.getByRole('img', { name: 'Map of the flow' }).waitFor()
    await openFlow(documentOf('Short', many(3)))
    await card('step_3').waitFor()
    expect(await page.getByRole('img', { name: 'Map of the flow' }).count()).toBe(0)
  })

  it('finds a step by its name, and leads to it', async () => {
    await openFlow(
      documentOf('Long', [
        ...many(40),
        { ...set('total'), name: 'Add it up' },
        ...many(40).map(({ id }) => wait(`z_${id}`)),
      ]),
    )
    await card('trigger').focus()
    await page.keyboard.press('ControlOrMeta+f')
    await page.getByRole('combobox', { name: 'Find a step' }).fill('add it')
    await page.getByRole('option', { name: /total/ }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?step=total')
    await expect.poll(() => card('total').getAttribute('aria-current')).toBe('true')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Find a step' }).waitFor({ state: 'detached' })
  })
})

describe('several steps', () => {
  it('are chosen by Ctrl and Shift, copied into another flow, and deleted with one undo', async () => {
    const first = await openFlow(documentOf('From', [set('a'), set('b'), set('c', '{{ vars.b }}'), set('d')]))
    await card('a').click()
    await card('c').click({ modifiers: ['ControlOrMeta'] })
    await page.getByRole('toolbar', { name: 'Chosen steps' }).getByText('2 steps chosen').waitFor()
    await card('c').focus()
    await page.keyboard.press('ControlOrMeta+c')
    const clipboard: string = await page.evaluate('navigator.clipboard.readText()')
    expect(clipboard).toContain('id: a')
    expect(clipboard).toContain('id: c')
    expect(clipboard).not.toContain('id: b')

    const second = await openFlow(documentOf('To', [set('a')]))
    await card('a').click()
    await page.keyboard.press('ControlOrMeta+v')
    await card('c').waitFor()
    await saved()
    expect((await draftOf(second)).steps.map(({ id }: { id: string }) => id)).toEqual(['a', 'a_2', 'c'])

    await page.goto(`/flows/${first}`)
    await card('b').click()
    await card('d').click({ modifiers: ['Shift'] })
    await page.getByText('3 steps chosen').waitFor()
    await page.getByRole('toolbar', { name: 'Chosen steps' }).getByRole('button', { name: 'Delete' }).click()
    await card('b').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await card('d').waitFor()
    await saved()
    expect((await draftOf(first)).steps).toHaveLength(4)
  })

  it('are chosen by the keyboard alone', async () => {
    const id = await openFlow(documentOf('Keys', [set('a'), set('b'), set('c')]))
    await card('a').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 steps chosen').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('d')
    await card('b_2').waitFor()
    await page.keyboard.press('Escape')
    await saved()
    expect((await draftOf(id)).steps.map((step: { id: string }) => step.id)).toEqual(['a', 'b', 'a_2', 'b_2', 'c'])
  })
})

describe('notes', () => {
  it('are written beside a step, moved, kept, and taken back', async () => {
    const id = await openFlow(documentOf('Noted', [set('a'), set('b')]))
    await card('b').click()
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.getByRole('textbox', { name: 'Note 1' }).waitFor()
    await page.keyboard.type('Ask <b>Ada</b> first')
    await page.getByRole('button', { name: /^Move note 1/ }).focus()
    await page.keyboard.press('ArrowRight')
    await saved()
    const [note] = (await draftOf(id)).notes
    expect(note).toEqual({ text: 'Ask <b>Ada</b> first', step: 'b', x: 328, y: 0 })

    const handle = (await page.getByRole('button', { name: /^Move note 1/ }).boundingBox())!
    await page.mouse.move(handle.x + 20, handle.y + 8)
    await page.mouse.down()
    await page.mouse.move(handle.x + 60, handle.y + 68, { steps: 5 })
    await page.mouse.up()
    await expect.poll(async () => (await draftOf(id)).notes[0].y).toBeGreaterThan(20)
    await expectAccessible(page)

    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Note 1' }).inputValue()).toBe('Ask <b>Ada</b> first')
    await page.getByRole('button', { name: 'Delete note 1' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Note 1' }).waitFor({ state: 'detached' })
    await saved()
    expect(await draftOf(id)).not.toHaveProperty('notes')
  })

  it('that stay empty are not kept', async () => {
    const id = await openFlow(documentOf('Empty note', [set('a')]))
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.getByRole('textbox', { name: 'Note 1' }).waitFor()
    await card('a').click()
    await page.getByRole('textbox', { name: 'Note 1' }).waitFor({ state: 'detached' })
    await saved()
    expect(await draftOf(id)).not.toHaveProperty('notes')
  })
})

describe('the way a run took', () => {
  it('stands out on its canvas, and what it did not reach says so', async () => {
    const flow = documentOf(
      'Ways',
      [
        {
          id: 'big',
          kind: 'branch',
          cases: [{ when: '{{ webhook.body.total > 100 }}', steps: [set('tell')] }],
          otherwise: [set('small')],
        },
        set('done'),
      ],
      { notes: [{ text: 'Looked at, not edited', step: 'done', x: 320, y: 0 }] },
    )
    const { body } = await ui.millrace.api('POST', '/flows', flow)
    await ui.millrace.api('POST', `/flows/${body.id}/publish`)
    const answer = await fetch(body.webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"total": 500}',
    })
    const { id } = (await answer.json()) as { id: string }
    await page.goto(`/runs/${id}`)
    await page.locator('[data-card="tell"][data-taken="true"]').waitFor()
    await page.locator('[data-card="small"][data-taken="false"]').waitFor()
    expect(await page.getByRole('button', { name: /small.*not reached/ }).count()).toBe(1)
    expect(await page.locator('[data-canvas] g[data-taken="true"]').count()).toBe(7)
    expect(await page.locator('[data-canvas] g[data-taken="false"]').count()).toBe(4)
    await page.getByRole('textbox', { name: 'Note 1' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add a note' }).count()).toBe(0)
    await expectAccessible(page)
  })
})

import { describe, expect, it } from 'vitest'
import { shapesOf } from '../../../../src/flow/shape/data-shapes.ts'
import type { EditedFlow } from '../flow-tree.ts'
import { sampleFlow } from '../sample-flow.testkit.ts'
import { type PreviewMode, preview, previewContext, previewTree } from './preview.ts'
import { type SampleData, segments } from './sample-data.ts'

const data: SampleData = {
  shapes: shapesOf([], {}),
  webhook: { body: { id: 7, name: 'A b', lines: [{ id: 'l1' }] }, headers: { 'x-a': '1' } },
  steps: { order: { status: 200, body: { total: 120, lines: [{ id: 'l1', parts: 2 }] } } },
  env: ['API_URL', 'TOKEN'],
  config: { BASE_URL: 'https://api.example.com' },
  connections: [{ name: 'shop', fields: ['token'] }],
  flow: { id: 'flow_1', name: 'Orders', version: 3 },
  now: '2026-11-15T08:00:00.000Z',
}

const at = (path: string, over: Partial<SampleData> = {}, document: EditedFlow = sampleFlow()) =>
  previewContext(document, path, { ...data, ...over })
const value = (text: string, path = '/steps/3/vars/count', mode: PreviewMode = 'value') => {
  const result = preview(text, mode, at(path))
  return result?.kind === 'value' ? result.value : result
}
const shown = (text: string) =>
  segments(text)
    .map((part) => (part.unknown ? `<${part.text}>` : part.text))
    .join('')

describe('a template with the sample', () => {
  it('keeps the type of a single expression and inserts others as text', () => {
    expect(value('{{ steps.order.body.total }}')).toBe(120)
    expect(value('{{ steps.order.body.lines }}')).toEqual([{ id: 'l1', parts: 2 }])
    expect(value('Order {{ webhook.body.id }}: {{ steps.order.body.total.toFixed(2) }}')).toBe('Order 7: 120.00')
    expect(value('{{ webhook.body.id }}', '/steps/3/vars/count', 'text')).toBe('7')
    expect(value('{{ now() }} {{ flow.version }}')).toBe('2026-11-15T08:00:00.000Z 3')
    expect(preview('no template', 'text', at('/steps/0/url'))).toBe(null)
  })

  it('encodes what it inserts into a URL', () => {
    expect(value('https://x.example/{{ webhook.body.name }}', '/steps/0/url', 'url')).toBe('https://x.example/A%20b')
  })

  it('says what is wrong, and what to do', () => {
    expect(value('{{ webhook.body.usr }}')).toMatchObject({
      kind: 'error',
      message: "webhook.body.usr is missing; use `{{ webhook.body.usr ?? '' }}` if it may be",
    })
    expect(value('{{ webhook.body.id')).toMatchObject({ kind: 'error', message: 'This {{ is never closed' })
    expect(value('{{ webhook.body.id.trim() }}')).toMatchObject({ kind: 'error' })
  })
})

describe('what is not known yet', () => {
  it('says which step has to be tested, unless the template can do without', () => {
    expect(value('{{ steps.lines.count }}')).toEqual({ kind: 'later', reason: 'Test lines to see the value' })
    expect(value('{{ steps.lines?.count ?? steps.order.status }}')).toBe(200)
    expect(value('{{ steps.lines.count > 3 }}', '/steps/3/when', 'condition')).toMatchObject({ kind: 'later' })
  })

  it('says that a step failed before it gave anything', () => {
    const failed = at('/steps/1/cases/0/when', { steps: { order: { error: { code: 'dns_failed' } } } })
    expect(preview('{{ steps.order.body.total }}', 'value', failed)).toMatchObject({
      kind: 'later',
      reason: 'order failed when it was tested; test it again to see the value',
    })
    expect(preview('{{ steps.order.error.code }}', 'value', failed)).toEqual({ kind: 'value', value: 'dns_failed' })
  })

  it('asks for a test request while there is none', () => {
    expect(preview('{{ webhook.body.id }}', 'value', at('/steps/0/url', { webhook: null }))).toEqual({
      kind: 'later',
      reason: 'Send a test request to see the value',
    })
  })

  it('leaves hashes to the server', () => {
    expect(value('{{ sha256(webhook.body.name) }}')).toMatchObject({
      kind: 'later',
      reason: 'sha256() is computed when it runs',
    })
  })
})

describe('secrets', () => {
  it('stand in the result by their names', () => {
    expect(shown(value('Bearer {{ connections.shop.token }}') as string)).toBe('Bearer <connections.shop.token>')
    expect(shown(value('{{ env.API_URL }}/a b/{{ webhook.body.name }}', '/steps/0/url', 'url') as string)).toBe(
      '<env.API_URL>/a b/A%20b',
    )
    expect(shown(value('https://x.example/?t={{ env.TOKEN }}', '/steps/0/url', 'url') as string)).toBe(
      'https://x.example/?t=<env.TOKEN>',
    )
  })

  it('are not calculated with', () => {
    for (const text of ['{{ env.TOKEN.length }}', '{{ env.TOKEN == "x" }}', '{{ base64(env.TOKEN) }}'])
      expect(value(text)).toMatchObject({ kind: 'later', reason: 'Works with a secret: computed when it runs' })
    expect(value('https://{{ env.HOST }}/x', '/steps/0/url', 'url')).toMatchObject({ kind: 'error' })
    expect(value('https://{{ env.TOKEN }}/x', '/steps/0/url', 'url')).toMatchObject({ kind: 'later' })
  })
})

describe('plain variables', () => {
  it('are shown, and calculated with', () => {
    expect(value('{{ config.BASE_URL }}/a/{{ webhook.body.name }}', '/steps/0/url', 'url')).toBe(
      'https://api.example.com/a/A%20b',
    )
    expect(value('{{ config.BASE_URL.length }}')).toBe(23)
  })
})

describe('loops and variables', () => {
  it('take the first item of the list that the sample gives', () => {
    expect(value('{{ loop.item.id }}/{{ loop.index }}/{{ loop.count }}', '/steps/2/steps/0/url')).toBe('l1/0/1')
    expect(value('{{ loops.lines.item.parts }}', '/steps/2/steps/1/while')).toBe(2)
    expect(preview('{{ loop.item.id }}', 'value', at('/steps/2/steps/0/url', { steps: {} }))).toEqual({
      kind: 'later',
      reason: 'The first item of the loop is not known yet',
    })
  })

  it('take what a set step would set', () => {
    expect(value('{{ vars.part }}', '/trigger/response/error/body')).toMatchObject({ kind: 'later' })
    const flow = {
      ...sampleFlow(),
      steps: [{ id: 's', kind: 'set', vars: { a: '{{ webhook.body.id }}' } }, sampleFlow().steps[3]!],
    }
    expect(preview('{{ vars.a + 1 }}', 'value', at('/steps/1/vars/count', {}, flow))).toEqual({
      kind: 'value',
      value: 8,
    })
    expect(
      preview('{{ vars.a }}', 'value', at('/steps/1/vars/count', { steps: { s: { a: 'tested' } } }, flow)),
    ).toEqual({
      kind: 'value',
      value: 'tested',
    })
  })
})

describe('a tree', () => {
  const context = at('/steps/3/vars/count')

  it('is filled in whole, with names where values are not known', () => {
    const result = previewTree({ id: '{{ webhook.body.id }}', list: [1, '{{ steps.lines.count }}'] }, context)
    expect(result).toMatchObject({ kind: 'value', value: { id: 7 } })
    expect(shown((result as { value: { list: string[] } }).value.list[1]!)).toBe('<Test lines to see the value>')
    expect(previewTree({ a: 1 }, context)).toBe(null)
    expect(previewTree('{{ steps.lines.count }}', context)).toEqual({
      kind: 'later',
      reason: 'Test lines to see the value',
    })
  })

  it('fails with the first template that does', () => {
    expect(previewTree({ a: ['{{ webhook.body.usr }}'] }, context)).toMatchObject({ kind: 'error' })
  })
})

it('never evaluates what came in', () => {
  const hostile = at('/steps/0/url', { webhook: { body: { id: '{{ env.TOKEN }}', __proto__: { x: 1 } } } })
  expect(preview('{{ webhook.body.id }}', 'value', hostile)).toEqual({ kind: 'value', value: '{{ env.TOKEN }}' })
  expect(preview('{{ webhook.body.constructor }}', 'value', hostile)).toMatchObject({ kind: 'error' })
})

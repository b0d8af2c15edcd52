import { describe, expect, it } from 'vitest'
import { errorOf, sampleBindings } from './sample-bindings.testkit.ts'
import { compileTree, renderTree, treeReferences } from './tree-template.ts'
import { ExpressionError, TemplateSyntaxError } from './values/errors.ts'

const bindings = sampleBindings({
  webhook: { body: { id: 7, name: 'say "hi"\n', list: [1], proto: JSON.parse('{"__proto__":{"x":1}}') } },
})
const render = (value: unknown) => renderTree(compileTree(value), bindings)

describe('a tree', () => {
  it('is rendered string by string, keeping types', () => {
    const value = {
      id: '{{ webhook.body.id }}',
      text: 'Hi {{ webhook.body.name }}',
      list: ['{{ webhook.body.list }}', 1, null, true],
    }
    expect(render(value)).toEqual({ id: 7, text: 'Hi say "hi"\n', list: [[1], 1, null, true] })
  })

  it('takes keys literally', () => {
    expect(render({ '{{ webhook.body.id }}': 1 })).toEqual({ '{{ webhook.body.id }}': 1 })
  })

  it('is made anew each time', () => {
    const tree = compileTree({ list: [{ a: 1 }] })
    const first = renderTree(tree, bindings) as { list: { a: number }[] }
    first.list[0]!.a = 2
    first.list.push({ a: 3 })
    expect(renderTree(tree, bindings)).toEqual({ list: [{ a: 1 }] })
  })

  it('keeps __proto__ an ordinary key', () => {
    const rendered = render(JSON.parse('{"__proto__": {"polluted": "{{ webhook.body.id }}"}}')) as object
    expect(JSON.stringify(rendered)).toBe('{"__proto__":{"polluted":7}}')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(JSON.stringify(render({ a: '{{ webhook.body.proto }}' }))).toBe('{"a":{"__proto__":{"x":1}}}')
  })

  it('says where a string in it is wrong', () => {
    const error = errorOf(TemplateSyntaxError, () => compileTree({ a: [1, { b: 'x {{ 1 + }}' }] }))
    expect(error.path).toEqual(['a', '1', 'b'])
    expect(error.position).toBe(9)
    expect(errorOf(TemplateSyntaxError, () => compileTree('{{')).path).toEqual([])
  })

  it('lists the references of all its strings', () => {
    const tree = compileTree({ a: '{{ webhook.body.id }}', b: ['x', 'y {{ vars.x }} {{ steps.a.body }}'], c: 1 })
    expect(treeReferences(tree).map(({ path }) => path.join('.'))).toEqual([
      'webhook.body.id',
      'vars.x',
      'steps.a.body',
    ])
  })

  it('fails as a whole on a missing value', () => {
    expect(errorOf(ExpressionError, () => render({ a: '{{ webhook.body.nope }}' })).code).toBe('missing_value')
  })

  it('shares one budget among its strings', () => {
    const value = Array.from({ length: 40 }, () => "{{ 'x'.repeat(1000000) }}")
    expect(errorOf(ExpressionError, () => render(value)).code).toBe('expression_failed')
  })

  it('nested too deep is refused', () => {
    let value: unknown = 'x'
    for (let depth = 0; depth < 20_000; depth++) value = [value]
    expect(errorOf(TemplateSyntaxError, () => compileTree(value)).message).toContain('nested too deep')
  })
})

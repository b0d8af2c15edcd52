import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FlowTextError, formatFlowYaml, parseFlowText } from './flow-text.ts'

describe('flow text', () => {
  it('reads the same document from YAML and from JSON', () => {
    const yaml =
      'name: Order alerts\ntrigger:\n  kind: webhook\nsteps:\n  - { id: a, kind: set, vars: { x: "{{ 1 }}" } }\n'
    const document = {
      name: 'Order alerts',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'a', kind: 'set', vars: { x: '{{ 1 }}' } }],
    }
    expect(parseFlowText(yaml)).toEqual(document)
    expect(parseFlowText(JSON.stringify(document))).toEqual(document)
  })

  it('keeps text that looks like something else as text', () => {
    const values = [
      '1',
      '1e3',
      'true',
      'yes',
      'null',
      '~',
      '2026-11-15',
      '0x10',
      '',
      ' a ',
      '- x',
      'a: b',
      '# no',
      '{{ x }}',
      "it's",
      'a\nb\n',
      '\u0000\ud83d\ude00',
      '\u007f\u0085\u009b\u2028\ufeff\ufffe',
      'a\r\nb\t',
    ]
    expect(parseFlowText(formatFlowYaml(values))).toEqual(values)
  })

  it('loses nothing of any JSON document on the way to YAML and back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        // JSON turns -0 into 0.
        const document = JSON.parse(JSON.stringify(value))
        expect(parseFlowText(formatFlowYaml(document))).toEqual(document)
      }),
      { numRuns: 500 },
    )
  })

  it('says where the fault is', () => {
    expect(() => parseFlowText('name: x\nsteps: [\n')).toThrow(FlowTextError)
    try {
      parseFlowText('name: x\nname: y\n')
      expect.unreachable()
    } catch (error) {
      expect((error as FlowTextError).line).toBe(2)
    }
  })

  it.each(['a: &a [x]\nb: *a', 'a0: &a0 []\na1: &a1 [*a0, *a0]', 'a: &a [*a]'])('refuses the aliases of %j', (text) => {
    expect(() => parseFlowText(text)).toThrow('aliases such as *name are not allowed')
  })

  it.each([
    ['250 levels', `${'['.repeat(300)}${']'.repeat(300)}`],
    ['more than one document', 'a: 1\n---\nb: 2'],
    ['unknown scalar tag', 'a: !x 1'],
    ['duplicated mapping key', '{"a": 1, "\\u0061": 2}'],
    ['complex keys', '? [a]\n: 1'],
  ])('says "%s"', (message, text) => {
    expect(() => parseFlowText(text)).toThrow(FlowTextError)
    expect(() => parseFlowText(text)).toThrow(message)
  })

  it('reads a text without a document as null, and __proto__ as a key like any other', () => {
    expect(parseFlowText('# nothing\n')).toBeNull()
    expect(Object.keys(parseFlowText('__proto__: { a: 1 }') as object)).toEqual(['__proto__'])
  })
})

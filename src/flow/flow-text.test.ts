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
    ]
    expect(parseFlowText(formatFlowYaml(values))).toEqual(values)
  })

  it('loses nothing of any JSON document on the way to YAML and back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // -0 has no JSON form of its own.
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

  it('refuses aliases that multiply without end', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]',
    ].join('\n')
    expect(() => parseFlowText(bomb)).toThrow(FlowTextError)
  })
})

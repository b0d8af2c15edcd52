// `millrace test` of flows that are called, and of flows that call others: the calls end as the test says.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { formatFlowYaml } from '../../src/flow/flow-text.ts'
import { callCli } from '../harness/cli.ts'
import { temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true }))

async function faultsOf(flow: object, ...tests: object[]): Promise<string[][]> {
  writeFileSync(join(folder, 'a.yaml'), formatFlowYaml(flow))
  writeFileSync(join(folder, 'a.test.yaml'), formatFlowYaml({ tests }))
  const { json } = await callCli(['test', folder, '--json'])
  return json().tests.map(({ faults }: { faults: string[] }) => faults)
}

const call = (id: string, more: object = {}) => ({ id, kind: 'call', flow: 'other', ...more })
const calls = (...steps: object[]) => ({ name: 'Calls', trigger: { kind: 'webhook' }, steps })

it('gives a called flow its input, and compares its result', async () => {
  const steps = [{ id: 'twice', kind: 'set', vars: { twice: '{{ input.n * 2 }}' } }]
  const flow = { name: 'Twice', trigger: { kind: 'call', input: { type: 'object', required: ['n'] } }, steps }
  const [passed, rejected, wrong] = await faultsOf(
    flow,
    { name: 'twice', input: { n: 21 }, expect: { vars: { twice: 42 }, reply: { body: { twice: 42 } } } },
    { name: 'no n', input: {}, expect: { delivery: 'rejected', code: 'invalid_input' } },
    { name: 'wrong', input: { n: 1 }, expect: { vars: { twice: 3 } } },
  )
  expect([passed, rejected]).toEqual([[], []])
  expect(wrong).toEqual([expect.stringContaining('vars.twice')])
})

it('ends the calls of a step as the test says, also in loops, side by side and without waiting', async () => {
  const each = { id: 'each', kind: 'loop', each: '{{ [1, 2] }}', concurrency: 2, steps: [call('bill')] }
  const branches = [
    { name: 'a', steps: [call('a')] },
    { name: 'b', steps: [{ id: 'w', kind: 'wait', seconds: 60 }, call('b')] },
  ]
  const flow = calls(each, { id: 'both', kind: 'parallel', branches }, call('go', { wait: false }), call('no'))
  const results = { bill: { result: 7 }, a: { result: { x: 1 } }, b: {}, go: { result: 1 }, no: { error: 'closed' } }
  const outputs = { 'each[1]/bill': 7, a: { x: 1 }, b: null, go: { run: { $matches: '^run_' } } }
  const error = { code: 'failed', message: 'closed', step: 'no' }
  expect(
    await faultsOf(flow, { name: 'all', calls: results, expect: { status: 'failed', error, steps: outputs } }),
  ).toEqual([[]])
})

it('fails where a call has no stub, even if the flow handles the error', async () => {
  const [faults] = await faultsOf(calls(call('bill', { onError: 'continue' })), { name: 'no stub' })
  expect(faults).toEqual(['no stub answers the call of step bill'])
})

it('runs what a failed run leads to, and compares it', async () => {
  const flow = {
    name: 'Fails',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'oops', kind: 'fail', message: 'no such order' }],
    onFailure: [{ id: 'note', kind: 'set', vars: { why: '{{ error.message }} at {{ failed.step }}' } }],
  }
  const why = 'no such order at oops'
  const [passed, wrong] = await faultsOf(
    flow,
    { name: 'told', expect: { status: 'failed', onFailure: { status: 'succeeded', steps: { note: { why } } } } },
    { name: 'wrong', expect: { status: 'failed', onFailure: { steps: { note: { why: 'nothing' } } } } },
  )
  expect(passed).toEqual([])
  expect(wrong).toEqual([expect.stringContaining('onFailure.steps.note.why')])
})

it('calls the flow that a failed run leads to, as the test says', async () => {
  const flow = { ...calls({ id: 'oops', kind: 'fail', message: 'no' }), onFailure: { flow: 'tell-the-team' } }
  const [passed] = await faultsOf(flow, {
    name: 'told',
    calls: { flow: { result: 'ok' } },
    expect: { status: 'failed', onFailure: { status: 'succeeded', steps: { flow: 'ok' } } },
  })
  expect(passed).toEqual([])
})

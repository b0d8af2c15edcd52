import { expect, it } from 'vitest'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { sampleFlow } from '../../flow-model/sample-flow.testkit.ts'
import { callsFlows, withCalledFlows } from './called-flows.ts'

it('names the flows that are called in another way, in steps and for failed runs', () => {
  const call = { id: 'bill', kind: 'call', flow: 'flow_1' }
  const plain = sampleFlow()
  const flow: EditedFlow = { ...plain, steps: [call], onFailure: { flow: 'flow_1' } }
  const named = withCalledFlows(flow, (name) => (name === 'flow_1' ? 'tell' : name))
  expect(named).toEqual({ ...flow, steps: [{ ...call, flow: 'tell' }], onFailure: { flow: 'tell' } })
  expect(withCalledFlows(plain, () => 'x')).toEqual(plain)
  expect([callsFlows(flow), callsFlows(plain)]).toEqual([true, false])
})

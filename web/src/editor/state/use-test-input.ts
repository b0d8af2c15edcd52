// The input that tests of a called flow begin with. The browser keeps it: it is no part of the flow.
import { useCallback, useMemo, useState } from 'react'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { exampleInput } from '../../flow-model/input/input-schema.ts'

export interface TestInput {
  text: string
  setText(text: string): void
  /** Undefined while the text is not JSON. */
  value: unknown
  problem: string | null
}

const keyOf = (flowId: string): string => `millrace.test-input.${flowId}`

export function useTestInput(flowId: string, { trigger }: EditedFlow): TestInput {
  const [typed, setTyped] = useState<string | null>(() => sessionStorage.getItem(keyOf(flowId)))
  const schema = trigger['input']
  const text = typed ?? JSON.stringify(exampleInput(schema), null, 2)
  const setText = useCallback(
    (changed: string) => {
      setTyped(changed)
      sessionStorage.setItem(keyOf(flowId), changed)
    },
    [flowId],
  )
  return useMemo(() => ({ text, setText, ...parsed(text) }), [text, setText])
}

function parsed(text: string): Pick<TestInput, 'value' | 'problem'> {
  try {
    return { value: JSON.parse(text) as unknown, problem: null }
  } catch (error) {
    return { value: undefined, problem: `This is not JSON: ${(error as Error).message}` }
  }
}

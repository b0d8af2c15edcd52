import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { senderNameOf } from '../../flow-model/senders/find-senders.ts'
import { sampleWebhook } from '../../flow-model/senders/sender-sample.ts'

const NONE: readonly object[] = []

/** Events of the trigger's sender as the flow would get them, where they are wanted: until it has a sample of its own. */
export function useSenderSamples({ trigger }: EditedFlow, wanted: boolean, now: string): readonly object[] {
  const samples = useQuery(queries.sender(wanted ? senderNameOf(trigger) : null)).data?.samples
  return useMemo(
    () => (wanted && samples ? samples.map((sample) => sampleWebhook(sample, now)) : NONE),
    [samples, wanted, now],
  )
}

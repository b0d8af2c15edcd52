// The body of the sample in use, where it is too large to come along in the list of samples.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { urlOf } from '../../api/api-client.ts'
import type { Sample } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { type FetchedData, fetchLarge } from '../../ui/data/fetch-large.ts'

export interface LargeBody {
  url: string
  /** null while it is being fetched. */
  fetched: FetchedData | null
}

/** Returns null where the body came along. A body that is not JSON would have to be read as the service reads it: it is not fetched. */
export function useLargeBody(flowId: string, sample: Sample | null): LargeBody | null {
  const isOmitted = sample?.webhook.bodyOmitted === true
  const isJson = /json/i.test(sample?.webhook.headers['content-type'] ?? '')
  const url = urlOf(`/flows/${flowId}/samples/${sample?.id}/body`)
  const { data } = useQuery({
    queryKey: [...keys.samples(flowId), sample?.id, 'body'],
    queryFn: ({ signal }) => fetchLarge(url, signal),
    enabled: isOmitted && isJson,
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing what came with what there was would walk all of it.
    structuralSharing: false,
  })
  const fetched = isJson ? (data ?? null) : NOT_JSON
  return useMemo(() => (isOmitted ? { url, fetched } : null), [isOmitted, url, fetched])
}

const NOT_JSON: FetchedData = { problem: 'The body is too large to show. Tests use all of it.' }

/** The webhook with its body, as soon as that is there. */
export const withBody = (sample: Sample | null, large: LargeBody | null): Sample['webhook'] | null =>
  sample && large?.fetched && 'value' in large.fetched
    ? { ...sample.webhook, body: large.fetched.value }
    : (sample?.webhook ?? null)

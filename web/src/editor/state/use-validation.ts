// What publishing would say of the draft: the service knows connections, env and samples, so it is asked, a moment after each edit.
import { useEffect, useMemo, useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Validation } from '../../api/api-types.ts'
import type { FieldIssue } from '../../fields/field-context.tsx'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { type Found, stillTrue } from './still-true.ts'

const PAUSE_MS = 350

/** `data` is what the service is known to have of samples and results: whatever is new there, it is asked again. */
export function useValidation(flowId: string, document: EditedFlow, data: unknown): readonly FieldIssue[] {
  const [found, setFound] = useState<Found>({ document, issues: [] })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the service has is not read here
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => {
      api
        .post<Validation>('/flows/validate', document, { query: { flow: flowId }, signal: abort.signal })
        .then(({ issues: problems, warnings }) =>
          setFound({
            document,
            issues: [
              ...problems.map((issue) => ({ ...issue, warning: false })),
              ...warnings.map((issue) => ({ ...issue, warning: true })),
            ],
          }),
        )
        // What cannot be asked now is asked with the next edit; publishing asks in any case.
        .catch(() => {})
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [flowId, document, data])
  return useMemo(() => stillTrue(found, document), [found, document])
}

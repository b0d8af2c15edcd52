import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/api-client.ts'
import type { Approval } from '../api/api-types.ts'
import { keys } from '../api/queries.ts'
import { notifyDone } from '../ui/notify.tsx'

export interface GivenAnswer {
  answer: string
  fields: Record<string, unknown>
}

/** Answers an approval. Whether it went well or was too late, what is shown of it is read again. */
export function useAnswer({ id, run }: Pick<Approval, 'id' | 'run'>, onAnswered?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (given: GivenAnswer) => api.post(`/approvals/${id}`, given),
    onSuccess: (_answered, { answer }) => {
      notifyDone(`Answered: ${answer}`)
      onAnswered?.()
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.approvals }),
        client.invalidateQueries({ queryKey: keys.run(run), exact: true }),
      ]),
  })
}

import { useQuery } from '@tanstack/react-query'
import type { Sender } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { senderCalled, senderNameOf } from '../../flow-model/senders/find-senders.ts'
import { useEditor } from '../state/editor-context.tsx'

const NONE: never[] = []

/** The sender that the trigger names; null while it is not known. */
export function useSender(): { name: string | null; sender: Sender | null } {
  const name = senderNameOf(useEditor().document.trigger)
  const senders = useQuery({ ...queries.senders, enabled: name !== null }).data ?? NONE
  return { name, sender: senderCalled(senders, name) }
}

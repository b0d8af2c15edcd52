// What can be done to a flow from outside the editor.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { api } from '../api/api-client.ts'
import type { Flow, FlowDocument, FlowSummary, Published } from '../api/api-types.ts'
import { keys } from '../api/queries.ts'
import { browserZone, TRIGGER_KINDS } from '../step-kinds/trigger-kinds.ts'
import { download } from '../ui/download.ts'
import { plural } from '../ui/format.ts'
import { notifyDone, notifyFailure } from '../ui/notify.tsx'
import { withoutSealed } from './without-sealed.ts'

/** Returns a new flow whose trigger has this kind. */
export const blankOf = (kind: string): FlowDocument => ({
  name: 'Untitled flow',
  trigger: TRIGGER_KINDS.find((info) => info.kind === kind)!.blank(browserZone()) as FlowDocument['trigger'],
  steps: [],
})

export function useFlowActions() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMemo(() => {
    const changed = () => queryClient.invalidateQueries({ queryKey: keys.flows })

    /** Lists have flows without their drafts. */
    const read = ({ id }: FlowSummary) => api.get<Flow>(`/flows/${id}`)

    /** Saves a new draft and opens it. Text is taken as YAML or JSON. */
    const create = async (document: FlowDocument | string): Promise<void> => {
      const flow = await api.post<Flow>('/flows', document)
      queryClient.setQueryData(keys.flow(flow.id), flow)
      void changed()
      await navigate({ to: '/flows/$id', params: { id: flow.id } })
    }

    return {
      create,

      async createBlank(): Promise<void> {
        try {
          await create(blankOf('webhook'))
        } catch (error) {
          notifyFailure('The flow was not created', error)
        }
      },

      async duplicate(flow: FlowSummary): Promise<void> {
        try {
          const { document, count } = withoutSealed((await read(flow)).draft)
          await create({ ...document, name: `${flow.name} (copy)` })
          if (count) notifyDone(`${plural(count, 'secret')} stayed behind: type them into the copy again.`)
        } catch (error) {
          notifyFailure(`"${flow.name}" could not be duplicated`, error)
        }
      },

      async exportYaml(flow: FlowSummary): Promise<void> {
        try {
          const { formatFlowYaml } = await import('../../../src/flow/flow-text.ts')
          const { document, count } = withoutSealed((await read(flow)).draft)
          const note = count
            ? `# ${plural(count, 'secret')} left out: fill in the empty values before you publish.\n`
            : ''
          download(`${slug(flow.name)}.yaml`, note + formatFlowYaml(document), 'application/yaml')
        } catch (error) {
          notifyFailure(`"${flow.name}" could not be exported`, error)
        }
      },

      async setTags(flow: FlowSummary, tags: string[]): Promise<void> {
        const { draft, revision } = await read(flow)
        const { name, tags: _, ...rest } = draft
        await api.put(
          `/flows/${flow.id}`,
          { name, ...(tags.length > 0 && { tags }), ...rest },
          { headers: { 'if-match': String(revision) } },
        )
        await changed()
      },

      async publish(flow: FlowSummary): Promise<void> {
        const { version } = await api.post<Published>(`/flows/${flow.id}/publish`)
        await changed()
        notifyDone(`"${flow.name}" is published as version ${version}.`)
      },

      async unpublish(flow: FlowSummary): Promise<void> {
        await api.post(`/flows/${flow.id}/unpublish`)
        await changed()
      },

      async setPaused(flow: FlowSummary, paused: boolean): Promise<void> {
        try {
          queryClient.setQueryData(
            keys.flow(flow.id),
            await api.post<Flow>(`/flows/${flow.id}/${paused ? 'pause' : 'resume'}`),
          )
          await changed()
          notifyDone(
            paused ? `"${flow.name}" is paused: new runs wait until it is resumed.` : `"${flow.name}" is resumed.`,
          )
        } catch (error) {
          notifyFailure(`"${flow.name}" was not ${paused ? 'paused' : 'resumed'}`, error)
        }
      },

      async remove(flow: FlowSummary): Promise<void> {
        await api.delete(`/flows/${flow.id}`)
        await changed()
        notifyDone(`"${flow.name}" is deleted.`)
      },
    }
  }, [queryClient, navigate])
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '') || 'flow'

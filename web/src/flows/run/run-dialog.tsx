// Starts a run of a published flow that no webhook starts, with an input as its live version wants it.
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, api } from '../../api/api-client.ts'
import type { Flow, FlowDocument } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { inputFields, NotJson, parsedJson, type TypedInput, typedInput } from '../../flow-model/input/input-schema.ts'
import { triggerKind } from '../../step-kinds/trigger-kinds.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { type InputFaults, InputForm, JsonField } from './input-form.tsx'

export default function RunDialog({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const live = useQuery(queries.version(flow.id, flow.published!.version))
  return (
    <Modal opened onClose={onClose} title={`Run "${flow.name}"`} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      {live.data ? (
        <RunForm flow={flow} trigger={live.data.document.trigger} onClose={onClose} />
      ) : live.isError ? (
        <ErrorNote title="The flow could not be loaded" error={live.error} onRetry={() => void live.refetch()} />
      ) : (
        <Skeleton height={120} />
      )}
    </Modal>
  )
}

interface RunFormProps {
  flow: Flow
  trigger: FlowDocument['trigger']
  onClose: () => void
}

function RunForm({ flow, trigger, onClose }: RunFormProps) {
  const navigate = useNavigate()
  // A schedule's input is what its runs get, and not a schema.
  const isCalled = triggerKind(trigger)?.isCalled === true
  const fields = isCalled ? inputFields(trigger['input']) : null
  const [typed, setTyped] = useState<TypedInput>({})
  const [text, setText] = useState('')
  const start = useMutation({
    mutationFn: async () => {
      const input = fields ? typedInput(fields, typed) : text.trim() === '' ? undefined : parsedJson('', text)
      return api.post<{ id: string }>(`/flows/${flow.id}/runs`, input === undefined ? {} : { input })
    },
    onSuccess: ({ id }) => navigate({ to: '/runs/$id', params: { id } }),
  })
  const change = (changed: () => void) => {
    changed()
    // What was wrong is about what was typed before.
    if (start.isError) start.reset()
  }
  const faults = faultsOf(start.error, fields !== null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {flow.paused
            ? 'The flow is paused: the run waits until it is resumed.'
            : `A run of version ${flow.published!.version} begins at once.`}
        </Text>
        {fields ? (
          <InputForm fields={fields} typed={typed} onChange={(now) => change(() => setTyped(now))} faults={faults} />
        ) : (
          <JsonField
            label="Input"
            description={isCalled ? 'JSON; empty is null' : 'JSON; empty is the input of the schedule'}
            value={text}
            onChange={(now) => change(() => setText(now))}
            error={faults['']}
          />
        )}
        {start.isError && Object.keys(faults).length === 0 && (
          <ErrorNote title="The run could not be started" error={start.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={start.isPending}>
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Returns what is wrong by field, where every problem belongs to one. */
function faultsOf(error: unknown, byField: boolean): InputFaults {
  if (error instanceof NotJson) return { [error.field]: error.message }
  if (!byField || !(error instanceof ApiError) || error.code !== 'invalid_input') return {}
  return Object.fromEntries(
    error.issues.map(({ path, message }) => [path.split('/')[1] ?? '', aboutField(path, message)]),
  )
}

/** The field says already which one it is. */
const aboutField = (path: string, message: string): string =>
  message.startsWith(`${path} `) && path.lastIndexOf('/') === 0 ? `This ${message.slice(path.length + 1)}` : message

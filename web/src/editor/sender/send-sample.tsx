// Sends an event as the sender would, signed with the secret that only the server has.
import { Button, Select } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Sender, SentSample } from '../../api/api-types.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { useEditor } from '../state/editor-context.tsx'
import classes from './sender.module.css'

/** `live`: to the URL of the published flow, where it starts a run. */
export function SendSample({ sender, live = false }: { sender: Sender; live?: boolean }) {
  const { flow, sample, editor, readOnly } = useEditor()
  const [event, setEvent] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const chosen = event !== null && sender.events.includes(event) ? event : sender.events[0]!
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      await editor.flush()
      const { status, body } = await api.post<SentSample>(`/flows/${flow.id}/send-sample`, {
        event: chosen,
        test: !live,
      })
      if (status >= 400) setError(new Error(messageIn(body) ?? `The webhook answered ${status}.`))
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div className={classes.send}>
        <Select
          className={classes.event}
          aria-label="Event of the sample"
          size="xs"
          data={[...new Set(sender.events)]}
          value={chosen}
          onChange={setEvent}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
        />
        <Button
          size="xs"
          variant={sample && !live ? 'default' : 'filled'}
          leftSection={<IconSend size={14} />}
          loading={busy}
          disabled={readOnly}
          onClick={() => void send()}
        >
          Send a sample
        </Button>
      </div>
      {error !== null && (
        <ErrorNote
          title="The sample was not accepted"
          error={error}
          hint={`It is signed as ${sender.title} signs, and passes the same checks as a delivery.`}
        />
      )}
    </>
  )
}

const messageIn = (body: unknown): string | undefined => {
  const { message } = (body ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

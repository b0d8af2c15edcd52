// What the chosen sender needs, and what to do in its console.
import { Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment } from 'react'
import { api } from '../../api/api-client.ts'
import type { Sender, SenderField } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { useField, useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { TemplateField, ValueField } from '../../fields/template-field.tsx'
import { connectionField } from '../../flow-model/senders/find-senders.ts'
import { CopyLine } from '../../ui/copy-line.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useEditor } from '../state/editor-context.tsx'
import classes from './sender.module.css'

/** These are no secrets: they may be read by whoever reads the flow. */
const PLAIN = new Set(['publicKey', 'user', 'url'])

export function SenderFields({ sender }: { sender: Sender }) {
  return (
    <>
      {sender.fields.map((field) => (
        <GivenField key={field.name} field={field} title={sender.title} />
      ))}
      <OwnAuth title={sender.title} />
      <Console sender={sender} />
    </>
  )
}

function GivenField({ field, title }: { field: SenderField; title: string }) {
  const path = `/trigger/sender/${field.name}`
  const { value } = useField(path)
  const label = field.optional ? `${field.label} (optional)` : field.label
  return (
    <div>
      {field.fromHandshake ? (
        <HandedOver path={path} label={label} title={title} />
      ) : Array.isArray(value) ? (
        <ValueField path={path} label={label} description="any of these is accepted" multiline />
      ) : PLAIN.has(field.name) ? (
        <TemplateField path={path} label={label} multiline={field.name === 'publicKey'} optional quiet />
      ) : (
        <SecretField path={path} label={label} placeholder="Paste it, or {{ connections.name.field }}" />
      )}
      {!field.fromHandshake && <div className={classes.hint}>{field.hint}</div>}
    </div>
  )
}

const LOOK_EVERY_MS = 3_000

/** A secret that the sender hands over when it checks the URL: it is sealed into a connection. */
function HandedOver({ path, label, title }: { path: string; label: string; title: string }) {
  const { value, issues } = useField(path)
  const { connections, readOnly } = useFields()
  const client = useQueryClient()
  const target = connectionField(value)
  const known = connections.find(({ name }) => name === target?.connection)
  const arrived = target !== null && known?.secretFields.includes(target.field)
  useQuery({ ...queries.connections, retry: false, refetchInterval: arrived ? false : LOOK_EVERY_MS })
  const make = useMutation({
    mutationFn: (name: string) => api.post('/connections', { name, kind: 'custom', fields: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.connections }),
  })
  if (!target) return <SecretField path={path} label={label} />
  return (
    <FieldFrame label={label} issues={issues}>
      <div className={classes.note} role="status">
        {arrived ? (
          <span>
            <StatusDot status="ready" word="Arrived" />{' '}
            <Text size="xs" c="dimmed" span>
              <RelativeTime at={known!.updatedAt} />, kept in the connection {target.connection}
            </Text>
          </span>
        ) : (
          <>
            <StatusDot status="unconnected" word={`Waiting for ${title}`} />
            <Text size="xs" c="dimmed">
              {title} hands it over when it checks the URL. It is kept encrypted in the connection {target.connection}
              {known ? '.' : ', which does not exist yet.'}
            </Text>
            {!known && (
              <Button
                size="xs"
                variant="default"
                loading={make.isPending}
                disabled={readOnly}
                onClick={() => make.mutate(target.connection)}
              >
                Make the connection
              </Button>
            )}
            {make.isError && <ErrorNote title="The connection was not made" error={make.error} />}
          </>
        )}
      </div>
    </FieldFrame>
  )
}

/** What the flow says itself counts; whoever chooses a sender has to know that it is not verified as that sender then. */
function OwnAuth({ title }: { title: string }) {
  const { value, set, readOnly } = useField('/trigger/auth')
  if (value === undefined) return null
  return (
    <div className={classes.note}>
      <span>
        This flow has an authentication of its own, under “Who may call it”, which counts in place of {title}’s.
      </span>
      <Button size="xs" variant="default" disabled={readOnly} onClick={() => set(undefined)}>
        Verify as {title}
      </Button>
    </div>
  )
}

function Console({ sender: { title, console: steps, handshake } }: { sender: Sender }) {
  const { flow } = useEditor()
  return (
    <section aria-label={`In ${title}`}>
      <h3 className={classes.title}>In {title}</h3>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step}>
            <ConsoleStep text={step} url={flow.webhook!.url} />
          </li>
        ))}
      </ol>
      {flow.published === null && (
        <Text size="xs" c="dimmed" mt={8}>
          {handshake
            ? `${title} checks the URL, so publish the flow before you save it there: until then it replies 404.`
            : 'The URL replies 404 until the flow is published. Test requests already work.'}
        </Text>
      )}
    </section>
  )
}

/** The URL stands in a line of its own, where it can be copied. */
function ConsoleStep({ text, url }: { text: string; url: string }) {
  const parts = text.split('{url}')
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
    <Fragment key={index}>
      {index > 0 && <CopyLine value={url} label="Copy the webhook URL" />}
      {/* A comma after the URL would begin a line. */}
      {index > 0 ? part.replace(/^[\s,;:.]+/, '') : part}
    </Fragment>
  ))
}

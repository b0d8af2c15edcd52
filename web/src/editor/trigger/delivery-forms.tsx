import { Button, Switch, Text } from '@mantine/core'
import { PlainNumberField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes } from '../../fields/field-frame.tsx'
import { ConditionField, TemplateField } from '../../fields/template-field.tsx'

export function FilterForm() {
  return (
    <>
      <ConditionField
        path="/trigger/when"
        label="Only when"
        optional
        placeholder="{{ webhook.body.type == 'order.created' }}"
      />
      <Text size="xs" c="dimmed">
        Other deliveries get a success reply and appear in the inbox as filtered. They start no run.
      </Text>
    </>
  )
}

export function DuplicatesForm() {
  const dedupe = useField('/trigger/dedupe')
  if (dedupe.value === undefined)
    return (
      <>
        <Text size="xs" c="dimmed">
          Senders repeat a delivery when they got no reply. With a key that names the event, a second delivery of it
          starts nothing and gets the first run's id.
        </Text>
        <Button
          size="xs"
          variant="default"
          disabled={dedupe.readOnly}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => dedupe.set({ key: '' })}
        >
          Recognize duplicates
        </Button>
      </>
    )
  return (
    <>
      <TemplateField
        path="/trigger/dedupe/key"
        label="Key"
        mode="optional"
        placeholder="{{ webhook.headers['x-delivery-id'] }}"
      />
      <PlainNumberField path="/trigger/dedupe/window" label="Remembered for" placeholder="86400 s" suffix="s" />
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        disabled={dedupe.readOnly}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => dedupe.set(undefined)}
      >
        Start a run for every delivery
      </Button>
    </>
  )
}

export const keepsRejected = (inbox: unknown): boolean =>
  (inbox as { keepRejected?: unknown } | null | undefined)?.keepRejected === true

export function RejectedForm() {
  const inbox = useField('/trigger/inbox')
  return (
    <>
      <Switch
        size="xs"
        label="Keep rejected bodies"
        description="The inbox keeps the bodies of deliveries that were refused, so that they can be let in later."
        checked={keepsRejected(inbox.value)}
        disabled={inbox.readOnly}
        onChange={({ currentTarget }) => inbox.set(currentTarget.checked ? { keepRejected: true } : undefined)}
      />
      <IssueNotes issues={inbox.issues} />
      <Text size="xs" c="dimmed">
        Up to 64 KiB each, 200 of a flow, for 72 hours; encrypted where a body holds a known secret. Anyone who knows
        the URL can fill these places.
      </Text>
    </>
  )
}

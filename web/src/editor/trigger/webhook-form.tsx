// The settings of a webhook: how to reach it and what it got comes first, what it demands and replies after.

import { Anchor, Button, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/api-client.ts'
import type { Flow } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { PlainNumberField, SegmentField, TagsField } from '../../fields/choice-fields.tsx'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { AcceptedTypes } from '../incoming/accepted-types.tsx'
import { AUTH_WORDS, SenderAuth } from '../incoming/sender-auth.tsx'
import { XML_LISTS } from '../incoming/xml-lists.ts'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { SenderChoice } from '../sender/sender-choice.tsx'
import { SenderFields } from '../sender/sender-fields.tsx'
import { useSender } from '../sender/use-sender.ts'
import { useEditor } from '../state/editor-context.tsx'
import { DuplicatesForm, FilterForm, keepsRejected, RejectedForm } from './delivery-forms.tsx'
import { FirstRequest } from './first-request.tsx'
import { LabelsSection } from './labels-section.tsx'
import { ResponseForm } from './response-form.tsx'
import classes from './trigger.module.css'

export function WebhookForm() {
  const { flow, document } = useEditor()
  const { sender } = useSender()
  const { trigger } = document
  const own = (trigger['auth'] as { kind?: string } | undefined)?.kind
  const auth = own ?? 'none'
  const mode = (trigger['response'] as { mode?: string } | undefined)?.mode ?? 'immediate'
  if (!flow.webhook)
    return (
      <Text size="sm" c="dimmed" role="status">
        The webhook gets its URL as soon as the draft is saved.
      </Text>
    )
  return (
    <>
      <SenderChoice />
      {sender ? <SenderFields sender={sender} /> : <WebhookAddress />}
      <FirstRequest sender={sender} />
      <hr className={panel.divider} />
      <div className={panel.sections}>
        <Section
          title="Who may call it"
          summary={sender && own === undefined ? `as ${sender.title} proves itself` : (AUTH_WORDS[auth] ?? auth)}
          open={auth !== 'none'}
          holds={['/trigger/auth']}
        >
          {sender && own === undefined && (
            <Text size="xs" c="dimmed">
              {sender.title} is verified by its own scheme. What you choose here counts in its place.
            </Text>
          )}
          <SenderAuth path="/trigger/auth" />
        </Section>
        <Section
          title="What the caller gets"
          summary={mode === 'finished' ? 'when the run is finished' : 'at once'}
          holds={['/trigger/response']}
        >
          <ResponseForm />
        </Section>
        <Section
          title="Which deliveries start a run"
          summary={trigger['when'] === undefined ? 'all' : 'filtered'}
          holds={['/trigger/when']}
        >
          <FilterForm />
        </Section>
        <Section
          title="Duplicates"
          summary={
            trigger['dedupe'] !== undefined
              ? 'start one run'
              : sender
                ? `as ${sender.title} numbers events`
                : 'each starts a run'
          }
          holds={['/trigger/dedupe']}
        >
          <DuplicatesForm />
        </Section>
        <Section
          title="Limits"
          summary={limits(trigger)}
          holds={['/trigger/accept', '/trigger/parse', '/trigger/lists', '/trigger/ips', '/trigger/concurrency']}
        >
          <AcceptedTypes path="/trigger/accept" files />
          <SegmentField
            path="/trigger/parse"
            label="Bodies of XML types"
            fallback="text"
            options={[
              { value: 'text', label: 'Stay text' },
              { value: 'xml', label: 'Are parsed' },
            ]}
          />
          {(trigger['parse'] === 'xml' || trigger['lists'] !== undefined) && (
            <TagsField path="/trigger/lists" {...XML_LISTS} />
          )}
          <TagsField
            path="/trigger/ips"
            label="Allowed addresses"
            description="addresses or CIDR ranges"
            placeholder="any address"
          />
          <PlainNumberField
            path="/trigger/concurrency"
            label="Parallel runs"
            description="the others wait in line"
            placeholder="no limit"
          />
        </Section>
        <LabelsSection example="{{ webhook.body.order.id }}" />
        <Section
          title="Rejected deliveries"
          summary={keepsRejected(trigger['inbox']) ? 'with their bodies' : 'without their bodies'}
          holds={['/trigger/inbox']}
        >
          <RejectedForm />
        </Section>
        <Section title="Web address" summary={flow.webhook.id.slice(0, 6).concat('…')}>
          <RegenerateUrl />
        </Section>
      </div>
    </>
  )
}

function limits({ accept, parse, ips, concurrency }: Record<string, unknown>): string {
  const set = [
    accept && 'content types',
    parse && 'XML parsed',
    ips && 'addresses',
    typeof concurrency === 'number' && `${concurrency} at once`,
  ].filter(Boolean)
  return set.length ? set.join(', ') : 'JSON, from anywhere'
}

function WebhookAddress() {
  const { flow } = useEditor()
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Webhook URL
      </Text>
      <div className={classes.address}>
        <code title={flow.webhook!.url}>{flow.webhook!.url}</code>
        <CopyButton value={flow.webhook!.url} label="Copy the webhook URL" />
      </div>
      {flow.published === null && (
        <Text size="xs" c="dimmed" mt={4}>
          Replies 404 until the flow is published. Test requests already work.
        </Text>
      )}
    </div>
  )
}

function RegenerateUrl() {
  const { flow, readOnly } = useEditor()
  const queryClient = useQueryClient()
  const regenerate = async () => {
    const changed = await api.post<Flow>(`/flows/${flow.id}/webhook/regenerate`)
    queryClient.setQueryData(keys.flow(flow.id), changed)
  }
  return (
    <>
      <Text size="xs" c="dimmed">
        Anyone who knows the URL can reach the webhook. If it leaks, make a new one; see also{' '}
        <Anchor size="xs" href="/inbox">
          who called it
        </Anchor>
        .
      </Text>
      <ConfirmPopover
        title="Make a new URL?"
        confirm="Make a new URL"
        onConfirm={regenerate}
        target={(show) => (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} />}
            disabled={readOnly}
            style={{ alignSelf: 'flex-start' }}
            onClick={show}
          >
            New URL
          </Button>
        )}
      >
        The old URL stops working immediately. Give the new one to every sender.
      </ConfirmPopover>
    </>
  )
}

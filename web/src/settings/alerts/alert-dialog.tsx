// The form of an alert: what it is about, and who is told.
import { Button, Group, Modal, NumberInput, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ALERT_RULES, type AlertRule, MOST_OF, NUMBERS_OF } from '../../../../src/base/alert-rules.ts'
import type { Alert } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { type AlertDraft, draftOf, isAboutFlows, isScoped, numbersOf, requestOf } from './alert-draft.ts'
import { type SavedAlert, useSaveAlert } from './alert-queries.ts'
import { NUMBER_LABELS, RULE_HINTS, RULE_LABELS } from './alert-words.ts'

const MOST_ADDRESSES = 20

interface AlertDialogProps {
  /** null: a new one. */
  alert: Alert | null
  onSaved: (alert: SavedAlert) => void
  onClose: () => void
}

interface PartProps {
  draft: AlertDraft
  change: (part: Partial<AlertDraft>) => void
}

export function AlertDialog({ alert, onSaved, onClose }: AlertDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(alert))
  const save = useSaveAlert(alert?.id ?? null, onSaved)
  const change = (part: Partial<AlertDraft>) => setDraft((before) => ({ ...before, ...part }))
  const hasTarget = draft.kind === 'email' ? draft.to.length > 0 : draft.url.trim() !== ''
  return (
    <Modal
      opened
      onClose={onClose}
      title={alert ? 'Change alert' : 'New alert'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(requestOf(draft))
        }}
      >
        <Stack gap="md">
          <Select
            label="Tell when"
            description={RULE_HINTS[draft.rule]}
            data={ALERT_RULES.map((value) => ({ value, label: RULE_LABELS[value] }))}
            value={draft.rule}
            onChange={(value) => value && change({ rule: value as AlertRule })}
            allowDeselect={false}
            data-autofocus
          />
          <Numbers draft={draft} change={change} />
          {isAboutFlows(draft.rule) && <Scope draft={draft} change={change} />}
          <Target draft={draft} change={change} keepsSecret={alert?.target.kind === 'webhook'} />
          {save.isError && <ErrorNote title="The alert was not saved" error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!isScoped(draft) || !hasTarget}>
              {alert ? 'Save' : 'Create alert'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Numbers({ draft, change }: PartProps) {
  const { rule, numbers } = draft
  const names = numbersOf(rule)
  if (names.length === 0) return null
  return (
    <Group grow>
      {names.map((name) => (
        <NumberInput
          key={name}
          label={NUMBER_LABELS[name]}
          min={1}
          max={MOST_OF[name]}
          allowDecimal={false}
          allowNegative={false}
          required={NUMBERS_OF[rule]?.[name] === 'needed'}
          value={numbers[name]}
          onChange={(value) => change({ numbers: { ...numbers, [name]: value === '' ? '' : Number(value) } })}
        />
      ))}
    </Group>
  )
}

function Scope({ draft, change }: PartProps) {
  const flows = useQuery(queries.flows).data ?? []
  const { scope, flow } = draft
  const tags = [...new Set([...flows.flatMap((one) => one.tags), ...(draft.tag === null ? [] : [draft.tag])])].sort()
  const named = flows.map(({ id, name }) => ({ value: id, label: name }))
  const missing = flow !== null && flows.length > 0 && !flows.some(({ id }) => id === flow)
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="For"
        value={scope}
        onChange={(value) => change({ scope: value as AlertDraft['scope'] })}
        data={[
          { value: 'all', label: 'All flows' },
          { value: 'tag', label: 'By tag' },
          { value: 'flow', label: 'One flow' },
        ]}
      />
      {scope === 'tag' && (
        <Select
          label="Tag"
          searchable
          required
          data={tags}
          nothingFoundMessage="No flow has such a tag"
          value={draft.tag}
          onChange={(tag) => change({ tag })}
        />
      )}
      {scope === 'flow' && (
        <Select
          label="Flow"
          searchable
          required
          data={missing ? [...named, { value: flow, label: `Deleted flow (${flow})` }] : named}
          nothingFoundMessage="No flow of that name"
          value={flow}
          onChange={(value) => change({ flow: value })}
        />
      )}
    </Stack>
  )
}

function Target({ draft, change, keepsSecret }: PartProps & { keepsSecret: boolean }) {
  const { kind, url, secret, to } = draft
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Send by"
        value={kind}
        onChange={(value) => change({ kind: value as AlertDraft['kind'] })}
        data={[
          { value: 'webhook', label: 'Webhook' },
          { value: 'email', label: 'E-mail' },
        ]}
      />
      {kind === 'webhook' ? (
        <>
          <TextInput
            label="URL"
            type="url"
            required
            placeholder="https://chat.example.com/alerts"
            value={url}
            onChange={(event) => change({ url: event.currentTarget.value })}
            autoComplete="off"
          />
          <TextInput
            label="Secret"
            description={
              keepsSecret
                ? 'Signs the messages. Leave it empty to keep it as it is.'
                : 'Signs the messages. Leave it empty to get a new one, which is shown once.'
            }
            placeholder="whsec_…"
            value={secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
            autoComplete="off"
          />
        </>
      ) : (
        <TagsInput
          label="Addresses"
          description="Press Enter after each."
          required
          maxTags={MOST_ADDRESSES}
          value={to}
          onChange={(given) => change({ to: given.map((one) => one.trim()).filter((one) => one !== '') })}
          splitChars={[',', ';', ' ']}
          autoComplete="off"
        />
      )}
    </Stack>
  )
}

// What a flow is called and is for, and what can be done with it as a whole.
import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Flow, FlowDocument, Retention } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { PageBody } from '../../shell/page-header.tsx'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { FlowFrame } from '../flow-frame.tsx'
import { useFlowActions } from '../use-flow-actions.ts'
import classes from './flow-settings-page.module.css'
import { RetentionFields, saidRetention } from './retention-fields.tsx'

const route = getRouteApi('/signed-in/flows/$id/settings')

const LONGEST_DESCRIPTION = 4_000

export function FlowSettingsPage() {
  const { id } = route.useParams()
  return (
    <FlowFrame id={id}>
      {(flow) => (
        <PageBody narrow>
          <Stack gap="xl">
            <About key={flow.revision} flow={flow} />
            <Webhook flow={flow} />
            <Whole flow={flow} />
          </Stack>
        </PageBody>
      )}
    </FlowFrame>
  )
}

function About({ flow }: { flow: Flow }) {
  const readOnly = !useMay('flows:write')
  const queryClient = useQueryClient()
  const [name, setName] = useState(flow.draft.name)
  const [description, setDescription] = useState(flow.draft.description ?? '')
  const [slug, setSlug] = useState(flow.draft.slug ?? '')
  const [retention, setRetention] = useState(flow.draft.retention ?? {})
  const [view, setView] = useState<'write' | 'preview'>(flow.draft.description ? 'preview' : 'write')
  const save = useMutation({
    mutationFn: () =>
      api.put<Flow>(`/flows/${flow.id}`, described(flow.draft, { name: name.trim(), slug, description, retention }), {
        headers: { 'if-match': String(flow.revision) },
      }),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.flow(flow.id), saved)
      void queryClient.invalidateQueries({ queryKey: keys.flows, exact: true })
    },
  })
  const isSame =
    name.trim() === flow.draft.name &&
    slug === (flow.draft.slug ?? '') &&
    description === (flow.draft.description ?? '') &&
    JSON.stringify(saidRetention(retention)) === JSON.stringify(saidRetention(flow.draft.retention ?? {}))
  const isSlug = slug === '' || SLUG.test(slug)
  return (
    <Stack gap="sm">
      <TextInput
        label="Name"
        value={name}
        maxLength={200}
        readOnly={readOnly}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        label="Slug"
        description="A short name that the API, the command line and other flows can use in place of the id"
        placeholder={suggestedSlug(name)}
        value={slug}
        maxLength={64}
        readOnly={readOnly}
        error={isSlug ? null : 'Small letters, digits and -, please.'}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
      />
      <div>
        <Group justify="space-between" mb={4}>
          <Text size="sm" fw={500} id="flow-description">
            Description
          </Text>
          <SegmentedControl
            size="xs"
            aria-label="How to show the description"
            value={view}
            onChange={(chosen) => setView(chosen as typeof view)}
            data={[
              { value: 'write', label: 'Write' },
              { value: 'preview', label: 'Preview' },
            ]}
          />
        </Group>
        {view === 'write' ? (
          <Textarea
            aria-labelledby="flow-description"
            placeholder="What the flow is for, who to ask about it. Markdown."
            autosize
            minRows={5}
            maxRows={20}
            maxLength={LONGEST_DESCRIPTION}
            readOnly={readOnly}
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        ) : (
          <div className={classes.preview}>
            {description.trim() ? <Markdown text={description} /> : <Text c="dimmed">There is no description.</Text>}
          </div>
        )}
      </div>
      <RetentionFields value={retention} readOnly={readOnly} onChange={setRetention} />
      {save.isError && <ErrorNote title="The flow could not be saved" error={save.error} />}
      {!readOnly && (
        <Group>
          <Button
            disabled={isSame || !isSlug || name.trim() === ''}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            Save
          </Button>
          <Text size="xs" c="dimmed">
            Saved to the draft. It goes live with the next version.
          </Text>
        </Group>
      )}
    </Stack>
  )
}

const SLUG = /^[a-z0-9-]{1,64}$/

const suggestedSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 64)

interface AboutFlow {
  name: string
  slug: string
  description: string
  retention: Retention
}

/** In the order in which one reads it in YAML. */
function described(draft: FlowDocument, { name, slug, description, retention }: AboutFlow): FlowDocument {
  const { name: _name, slug: _slug, description: _description, retention: _retention, ...rest } = draft
  return {
    name,
    ...(slug === '' ? {} : { slug }),
    ...(description === '' ? {} : { description }),
    ...saidRetention(retention),
    ...rest,
  }
}

function Webhook({ flow }: { flow: Flow }) {
  if (!flow.webhook) return null
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Webhook URL
      </Text>
      <CopyLine value={flow.webhook.url} label="Copy the webhook URL" />
      <Text size="xs" c="dimmed" mt={4}>
        {flow.published ? 'It answers with the published version.' : 'Answers 404 until the flow is published.'}
      </Text>
    </div>
  )
}

function Whole({ flow }: { flow: Flow }) {
  const mayWrite = useMay('flows:write')
  const actions = useFlowActions()
  const navigate = useNavigate()
  const remove = async () => {
    await actions.remove(flow)
    await navigate({ to: '/flows' })
  }
  return (
    <Group>
      <Button variant="default" onClick={() => void actions.exportYaml(flow)}>
        Export as YAML
      </Button>
      {mayWrite && (
        <Button variant="default" onClick={() => void actions.duplicate(flow)}>
          Duplicate
        </Button>
      )}
      {mayWrite && flow.published && (
        <Button variant="default" onClick={() => void actions.setPaused(flow, !flow.paused)}>
          {flow.paused ? 'Resume' : 'Pause'}
        </Button>
      )}
      {mayWrite && flow.published && (
        <ConfirmPopover
          title={`Unpublish "${flow.name}"?`}
          confirm="Unpublish"
          onConfirm={() => actions.unpublish(flow)}
          target={(ask) => (
            <Button variant="default" onClick={ask}>
              Unpublish
            </Button>
          )}
        >
          Its webhook answers 404 at once. Runs under way are finished; the draft and all versions stay.
        </ConfirmPopover>
      )}
      {mayWrite && (
        <ConfirmPopover
          title={`Delete "${flow.name}"?`}
          confirm="Delete flow"
          onConfirm={remove}
          target={(ask) => (
            <Button variant="default" onClick={ask}>
              Delete…
            </Button>
          )}
        >
          Its webhook answers 404 at once, runs under way are cancelled, and the draft, all versions, inbox, samples and
          stored keys are gone. Finished runs stay in the history until their time is up. This cannot be undone.
        </ConfirmPopover>
      )}
    </Group>
  )
}

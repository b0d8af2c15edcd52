// What is done with failed runs of flows that do not say it themselves.
import { Anchor, Select, Skeleton, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/api-client.ts'
import type { FailureFlow } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyDone } from '../ui/notify.tsx'
import { GuideLink } from '../ui/text/guide-link.tsx'
import { SettingsPage, SettingsPart } from './section.tsx'

export function FailureSettingsPage() {
  const failureFlow = useQuery(queries.failureFlow)
  return (
    <SettingsPage
      title="Failed runs"
      lead={
        <>
          What is done when a run has failed. A flow can have steps or a flow of its own for that: “When a run fails”,
          below its steps. <GuideLink page="flows#when-a-run-fails">More in the guide</GuideLink>
        </>
      }
    >
      {failureFlow.isPending && <Skeleton height={80} />}
      {failureFlow.isError && (
        <ErrorNote
          title="The failure flow could not be loaded"
          error={failureFlow.error}
          onRetry={() => void failureFlow.refetch({ cancelRefetch: true })}
        />
      )}
      {failureFlow.data && (
        <SettingsPart title="Failure flow">
          <FailureFlowChoice flow={failureFlow.data.flow} />
        </SettingsPart>
      )}
    </SettingsPage>
  )
}

const NONE = 'none'

function FailureFlowChoice({ flow }: { flow: FailureFlow['flow'] }) {
  const isOwner = useMay('admin')
  const client = useQueryClient()
  const callable = useQuery({ ...queries.callableFlows, enabled: isOwner })
  const change = useMutation({
    mutationFn: (id: string | null) => api.put<FailureFlow>('/settings/failure-flow', { flow: id }),
    onSuccess: (changed) => {
      client.setQueryData(keys.failureFlow, changed)
      notifyDone(changed.flow ? `${changed.flow.name} is the failure flow` : 'There is no failure flow now')
    },
  })
  if (!isOwner)
    return (
      <Text>
        {flow ? (
          <>
            <FlowLink flow={flow} /> is called for failed runs of flows that have nothing of their own.
          </>
        ) : (
          'None: nothing is done for flows that have nothing of their own.'
        )}{' '}
        Owners can change it.
      </Text>
    )
  const flows = callable.data?.items ?? []
  const known = flows.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Select
        label="Called for failed runs of flows that have nothing of their own"
        description="A published flow with the trigger call. It gets the error, the run, the flow, and what the run began with."
        maw={420}
        searchable
        nothingFoundMessage="No flow like this can be called"
        data={[
          { value: NONE, label: 'None' },
          ...known,
          ...(flow && !flows.some(({ id }) => id === flow.id) ? [{ value: flow.id, label: flow.name }] : []),
        ]}
        value={flow?.id ?? NONE}
        disabled={change.isPending}
        onChange={(chosen) =>
          chosen !== null && chosen !== (flow?.id ?? NONE) && change.mutate(chosen === NONE ? null : chosen)
        }
      />
      {flow && (
        <Text size="sm" c="dimmed" mt={8}>
          Open <FlowLink flow={flow} />
        </Text>
      )}
      {callable.isSuccess && flows.length === 0 && (
        <Text size="sm" c="dimmed" mt={8}>
          No flow can be called yet: make one whose trigger is “Call”, and publish it.
        </Text>
      )}
      {(change.isError || callable.isError) && (
        <ErrorNote
          title={change.isError ? 'The failure flow could not be changed' : 'The flows could not be loaded'}
          error={change.error ?? callable.error}
        />
      )}
    </>
  )
}

function FlowLink({ flow: { id, name } }: { flow: NonNullable<FailureFlow['flow']> }) {
  return (
    <Anchor size="sm" underline="always" renderRoot={(props) => <Link {...props} to="/flows/$id" params={{ id }} />}>
      {name}
    </Anchor>
  )
}

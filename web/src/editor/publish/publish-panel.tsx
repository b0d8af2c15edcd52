// Publishing: what would change, what stands in its way, and the versions before.
import { Button, Group, Text, Tooltip } from '@mantine/core'
import { IconRocket } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/api-client.ts'
import type { Flow, Published } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { allSteps, ON_FAILURE } from '../../flow-model/flow-tree.ts'
import { useFlowActions } from '../../flows/use-flow-actions.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { plural } from '../../ui/format.ts'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { ClosePanel } from '../panel/side-panel.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { ChangeList } from './change-list.tsx'
import { FirstDelivery } from './first-delivery.tsx'
import { ProblemList } from './problem-list.tsx'
import { useLiveChanges } from './use-live-version.ts'
import { VersionList } from './version-list.tsx'

export function PublishPanel() {
  const { flow, open, search, issues, document, readOnly, editor, setNotice } = useEditor()
  const queryClient = useQueryClient()
  const changes = useLiveChanges()
  const errors = issues.filter(({ warning }) => !warning)
  const warnings = issues.filter(({ warning }) => warning)
  const publish = useMutation({
    mutationFn: async () => {
      if (!(await editor.flush())) throw new Error('The draft could not be saved. Look at the top of the page.')
      return api.post<Published>(`/flows/${flow.id}/publish`)
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.flows }),
  })
  const view = search.view ? { view: search.view } : {}
  const isUnchanged = changes !== null && changes.length === 0
  return (
    <>
      <div className={panel.head}>
        <IconRocket size={17} aria-hidden="true" />
        <h2 className={panel.title}>{readOnly ? 'Versions' : 'Publish'}</h2>
        <span className={panel.kind}>
          {flow.published ? `version ${flow.published.version} is live` : 'nothing is live yet'}
        </span>
        <div className={panel.tools}>
          <ClosePanel onClose={() => open(view)} />
        </div>
      </div>
      <div className={panel.scroll} data-panel-body>
        <div className={panel.content}>
          {publish.isSuccess && isUnchanged && flow.published && (
            <>
              <Text role="status" fw={500}>
                Version {publish.data.version} is live.{flow.webhook && ' Send it a delivery:'}
              </Text>
              {flow.webhook && <FirstDelivery url={flow.webhook.url} publishedAt={flow.published.publishedAt} />}
            </>
          )}
          {errors.length > 0 && (
            <div>
              <Text fw={500} mb={4}>
                {plural(errors.length, 'problem')} to fix first
              </Text>
              <ProblemList issues={errors} />
            </div>
          )}
          {publish.isError && <ErrorNote title="The flow could not be published" error={publish.error} />}
          <div>
            <Text fw={500} mb={4}>
              {changes ? (isUnchanged ? 'No changes' : plural(changes.length, 'change')) : 'First version'}
            </Text>
            {changes && isUnchanged ? null : changes ? (
              <ChangeList
                changes={changes}
                onOpen={({ path, subject }) => {
                  const other = path === ON_FAILURE ? { failure: true as const } : { step: subject }
                  open({ ...(path === '/trigger' ? { trigger: true as const } : other), ...view })
                }}
              />
            ) : (
              <Text size="sm" c="dimmed">
                The trigger and {plural(allSteps(document).length, 'step')} go live.
              </Text>
            )}
          </div>
          {warnings.length > 0 && (
            <div>
              <Text fw={500} mb={4}>
                {plural(warnings.length, 'warning')}
              </Text>
              <ProblemList issues={warnings} />
            </div>
          )}
          {flow.published && <hr className={panel.divider} />}
          {flow.published && (
            <Section title="Versions" summary={`${flow.published.version} so far`}>
              <VersionList
                flow={flow}
                document={document}
                readOnly={readOnly}
                beforeRestore={() => editor.flush()}
                onRestored={(restored, version) => {
                  queryClient.setQueryData(keys.flow(flow.id), restored)
                  editor.adopt(restored, `Restore version ${version}`)
                  setNotice({ message: `The draft is version ${version} now`, undo: () => editor.undo() })
                }}
              />
            </Section>
          )}
          {flow.published && (
            <Group gap={8}>
              <Pause />
              <Unpublish />
            </Group>
          )}
        </div>
      </div>
      {!readOnly && (
        <div className={panel.foot}>
          <Group className={panel.testing} wrap="nowrap">
            <Button
              style={{ flex: 'none' }}
              disabled={errors.length > 0 || isUnchanged}
              loading={publish.isPending}
              onClick={() => publish.mutate()}
            >
              {flow.published ? `Publish version ${flow.published.version + 1}` : 'Publish'}
            </Button>
            <Text size="xs" c="dimmed">
              Goes live at once. Runs under way keep their version.
            </Text>
          </Group>
        </div>
      )}
    </>
  )
}

function Pause() {
  const { flow, readOnly } = useEditor()
  const { setPaused } = useFlowActions()
  return (
    <Tooltip label={flow.paused ? 'Waiting runs begin, in order' : 'New runs wait; runs under way go on'}>
      <Button variant="default" size="xs" disabled={readOnly} onClick={() => void setPaused(flow, !flow.paused)}>
        {flow.paused ? 'Resume' : 'Pause'}
      </Button>
    </Tooltip>
  )
}

function Unpublish() {
  const { flow, readOnly } = useEditor()
  const queryClient = useQueryClient()
  const unpublish = async () => {
    queryClient.setQueryData(keys.flow(flow.id), await api.post<Flow>(`/flows/${flow.id}/unpublish`))
    await queryClient.invalidateQueries({ queryKey: keys.flows })
  }
  return (
    <ConfirmPopover
      title="Unpublish the flow?"
      confirm="Unpublish"
      onConfirm={unpublish}
      target={(show) => (
        <Button variant="default" size="xs" disabled={readOnly} style={{ alignSelf: 'flex-start' }} onClick={show}>
          Unpublish
        </Button>
      )}
    >
      Nothing starts it from now on; a webhook replies 404. Runs in progress continue, and the draft stays.
    </ConfirmPopover>
  )
}

// Replays a run with changes: parts of the delivery, and results of steps to take as given. Only what was changed is sent, so
// that what is masked here stays as it is stored.
import { Alert, Button, Group, Modal, Select, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Run } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { type ChangedPart, changesOf, partsOf } from '../model/replay-parts.ts'
import type { useReplayRun } from './use-run-actions.ts'

interface ReplayChangesProps {
  run: Run
  /** The step to begin with, if one is looked at. */
  step: { path: string; id: string } | null
  replay: ReturnType<typeof useReplayRun>
  onClose: () => void
}

const FROM_START = ''

export default function ReplayChanges({ run, step, replay, onClose }: ReplayChangesProps) {
  const parts = partsOf(run)
  const [texts, setTexts] = useState<Partial<Record<ChangedPart, string>>>({})
  const [version, setVersion] = useState('same')
  const [from, setFrom] = useState(FROM_START)
  const versions = useQuery(queries.versions(run.flowId)).data ?? []
  const { changes, problem } = changesOf(parts, texts)
  const places = [...new Map([...run.steps.filter(isTopLevel), ...(step ? [step] : [])].map((at) => [at.path, at]))]
  const submit = () =>
    replay.mutate({
      id: run.id,
      version: /^\d+$/.test(version) ? Number(version) : (version as 'same'),
      ...(from !== FROM_START && { from }),
      ...changes,
    })
  return (
    <Modal opened onClose={onClose} title="Replay with changes" size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          The new run is marked as edited. Parts that you leave as they are stay as they were delivered, secrets
          included; what you change is taken as you write it.
        </Text>
        <Tabs defaultValue={parts[0]!.part} keepMounted={false}>
          <Tabs.List>
            {parts.map(({ part, label }) => (
              <Tabs.Tab key={part} value={part}>
                {label}
                {texts[part] !== undefined && ' •'}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {parts.map(({ part, label, text, mode, help }) => (
            <Tabs.Panel key={part} value={part} pt="sm">
              {help && (
                <Text size="xs" c="dimmed" mb="xs">
                  {help}
                </Text>
              )}
              <CodeEditor
                label={label}
                mode={mode}
                value={texts[part] ?? text}
                onChange={(value) =>
                  setTexts((held) => {
                    const { [part]: _before, ...others } = held
                    return value === text ? others : { ...others, [part]: value }
                  })
                }
                minHeight={180}
                maxHeight={320}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        <Group grow align="flex-end">
          <Select
            label="Version"
            value={version}
            onChange={(value) => value && setVersion(value)}
            allowDeselect={false}
            data={[
              {
                value: 'same',
                label: run.version === null ? 'The draft as it was' : `Version ${run.version}, as before`,
              },
              { value: 'published', label: 'The published version' },
              { value: 'draft', label: 'The draft' },
              ...versions.map((one) => ({ value: String(one.version), label: `Version ${one.version}` })),
            ]}
          />
          <Select
            label="Begin"
            value={from}
            onChange={(value) => value !== null && setFrom(value)}
            allowDeselect={false}
            data={[
              { value: FROM_START, label: 'With the first step' },
              ...places.map(([path]) => ({ value: path, label: `With ${path}` })),
            ]}
          />
        </Group>
        {replay.isError && <ErrorNote title="The run could not be replayed" error={replay.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
          <Button onClick={submit} loading={replay.isPending} disabled={problem !== null}>
            Replay
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const isTopLevel = ({ path }: { path: string }): boolean => !/[/[#]/.test(path)

// Asks how runs are to be replayed, and says how many there are before it begins.
import { Button, Checkbox, Group, Modal, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { failureQueries, type ReplayChoice, useStartReplays } from './failure-queries.ts'
import classes from './failures.module.css'

interface ReplayDialogProps {
  filter: ReplayChoice['filter']
  /** What is replayed, in a sentence. */
  children: ReactNode
  onClose: () => void
}

const DEFAULT_PACE = 50
const MOST_PACE = 1000

export function ReplayDialog({ filter, children, onClose }: ReplayDialogProps) {
  const [from, setFrom] = useState<ReplayChoice['from']>('failed')
  const [version, setVersion] = useState<ReplayChoice['version']>('same')
  const [pace, setPace] = useState(DEFAULT_PACE)
  const [again, setAgain] = useState(false)
  const navigate = useNavigate()
  const request: ReplayChoice = { filter, from, version, pace, again }
  // How they are replayed does not change how many there are.
  const preview = useQuery(
    failureQueries.preview({ filter, again, from: 'failed', version: 'same', pace: DEFAULT_PACE }),
  )
  const start = useStartReplays((job) => void navigate({ to: '/replays/$id', params: { id: job.id } }))
  const total = preview.data?.total
  return (
    <Modal opened onClose={onClose} title="Replay failed runs" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (total) start.mutate(request)
        }}
      >
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {children}
          </Text>
          <div className={classes.preview} role="status">
            {preview.data && (
              <Text size="sm">
                <b>{plural(preview.data.total, 'run')}</b> will be replayed.
                {preview.data.alreadyReplayed > 0 &&
                  ` ${preview.data.alreadyReplayed.toLocaleString('en')} of them were replayed with success before${again ? '' : ' and are left out'}.`}
              </Text>
            )}
            {preview.isPending && <Text size="sm">Counting the runs…</Text>}
          </div>
          {preview.isError && <ErrorNote error={preview.error} />}
          <Select
            label="Begin"
            value={from}
            onChange={(value) => value && setFrom(value as ReplayChoice['from'])}
            allowDeselect={false}
            data={[
              { value: 'failed', label: 'With the step that failed' },
              { value: 'start', label: 'With the first step' },
            ]}
          />
          <Select
            label="Version"
            value={version}
            onChange={(value) => value && setVersion(value as ReplayChoice['version'])}
            allowDeselect={false}
            data={[
              { value: 'same', label: 'The version of each run' },
              { value: 'published', label: 'The published version' },
              { value: 'draft', label: 'The draft' },
            ]}
          />
          <NumberInput
            label="Replays per second"
            value={pace}
            onChange={(value) => setPace(Math.min(MOST_PACE, Math.max(1, Math.round(Number(value) || 1))))}
            min={1}
            max={MOST_PACE}
          />
          <Checkbox
            label="Also runs that were replayed with success before"
            checked={again}
            onChange={(event) => setAgain(event.currentTarget.checked)}
          />
          {start.isError && <ErrorNote title="The replay could not be started" error={start.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            {/* While the runs are counted it can have the focus, and does nothing. */}
            <Button type="submit" loading={start.isPending} disabled={total === 0} data-autofocus>
              {total ? `Replay ${plural(total, 'run')}` : 'Replay'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

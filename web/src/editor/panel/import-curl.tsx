// Takes a pasted curl command as the settings of the step, and lists what it could not take over.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { type NotTaken, parseCurl } from '../../../../src/flow/curl/parse-curl.ts'
import type { StepPlace } from '../model/flow-tree.ts'
import { useEdits } from '../use-edits.ts'
import classes from './panel.module.css'

export function ImportCurl({ place, onClose }: { place: StepPlace; onClose: () => void }) {
  const edits = useEdits()
  const [text, setText] = useState('')
  const [notTaken, setNotTaken] = useState<NotTaken[] | null>(null)
  const parsed = text.trim() === '' ? undefined : parseCurl(text)
  const take = () => {
    if (!parsed) return
    const { id, kind, name, onError, retry } = place.step
    const common = Object.fromEntries(
      Object.entries({ id, kind, name, onError, retry }).filter(([, value]) => value !== undefined),
    )
    edits.replace(place, { ...(common as typeof place.step), ...parsed.settings }, `Import curl into ${id}`)
    if (parsed.notTaken.length) setNotTaken(parsed.notTaken)
    else onClose()
  }
  if (notTaken)
    return (
      <div className={classes.case} role="status">
        <Text fw={500}>Imported, except for</Text>
        <NotTakenList list={notTaken} />
        <Group justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </div>
    )
  return (
    <div className={classes.case}>
      <Textarea
        label="curl command"
        autosize
        minRows={3}
        maxRows={12}
        autoFocus
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        placeholder={"curl https://api.example.com/orders -H 'Authorization: Bearer …'"}
        value={text}
        error={parsed === null ? 'This is not a curl command.' : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {parsed && parsed.notTaken.length > 0 && (
        <Stack gap={4}>
          <Text size="xs" c="dimmed">
            These will not be taken over:
          </Text>
          <NotTakenList list={parsed.notTaken} />
        </Stack>
      )}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" disabled={!parsed} onClick={take}>
          Replace the settings
        </Button>
      </Group>
    </div>
  )
}

function NotTakenList({ list }: { list: NotTaken[] }) {
  return (
    <dl className={classes.facts}>
      {list.map(({ what, reason }) => (
        <div key={what} style={{ display: 'contents' }}>
          <dd>{what}</dd>
          <dt>{reason}</dt>
        </div>
      ))}
    </dl>
  )
}

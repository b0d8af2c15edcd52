// The planned time that Test flow and Test step take: now, or one of choice, by the clock of the schedule.
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { instantOf } from '../../../../src/flow/triggers/schedule/local-time.ts'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { zoneOf } from './schedule-presets.ts'
import classes from './trigger.module.css'

export function ScheduleTest() {
  const { document, tests } = useEditor()
  const zone = zoneOf(document.trigger)
  const [local, setLocal] = useState('')
  const take = (text: string) => {
    setLocal(text)
    const at = text === '' ? null : instantOf(text, zone)
    tests.setAt(at === null ? null : new Date(at).toISOString())
  }
  return (
    <FieldFrame label="Planned time in tests" description={local === '' ? 'now, unless you choose one' : zone}>
      <Group gap="xs">
        <TextInput
          type="datetime-local"
          aria-label="Planned time in tests"
          className={classes.moment}
          value={local}
          onChange={({ currentTarget }) => take(currentTarget.value)}
        />
        {local !== '' && (
          <Button size="xs" variant="default" onClick={() => take('')}>
            Now
          </Button>
        )}
      </Group>
    </FieldFrame>
  )
}

// Whether a list follows what happens, and what waits while it does not.
import { Button, Tooltip } from '@mantine/core'
import { IconArrowUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { memo } from 'react'
import { formatCount, plural } from '../ui/format.ts'
import classes from './live-toggle.module.css'

interface LiveToggleProps {
  paused: boolean
  onChange: (paused: boolean) => void
}

export const LiveToggle = memo(function LiveToggle({ paused, onChange }: LiveToggleProps) {
  return (
    <Tooltip label={paused ? 'Follow what happens again' : 'Hold the list still'}>
      <Button
        size="xs"
        variant="default"
        aria-pressed={paused}
        leftSection={paused ? <IconPlayerPlay size={13} /> : <span className={classes.dot} aria-hidden="true" />}
        rightSection={paused ? null : <IconPlayerPause size={13} />}
        onClick={() => onChange(!paused)}
      >
        {paused ? 'Paused' : 'Live'}
      </Button>
    </Tooltip>
  )
})

interface UnseenProps {
  count: number
  /** There are more than were counted. */
  atLeast: boolean
  /** What one of them is called. */
  one: string
  many: string
  onShow: () => void
}

export function Unseen({ count, atLeast, one, many, onShow }: UnseenProps) {
  return (
    <div className={classes.unseen} aria-live="polite">
      {count > 0 && (
        <Button size="xs" leftSection={<IconArrowUp size={13} />} onClick={onShow}>
          {atLeast ? `More than ${formatCount(count)} new ${many}` : plural(count, `new ${one}`, `new ${many}`)}
        </Button>
      )}
    </div>
  )
}

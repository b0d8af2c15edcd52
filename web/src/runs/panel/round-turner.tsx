// Which round is looked at, and how to go to another without losing the step.
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import type { RoundList } from '../model/rounds.ts'
import { type RoundPlace, roundPath } from '../model/step-path.ts'
import classes from './panel.module.css'

interface RoundTurnerProps {
  place: RoundPlace
  rounds: RoundList
  /** What follows the round in the path: `/send`. */
  rest: string
  onSelect: (path: string) => void
}

export function RoundTurner({ place, rounds, rest, onSelect }: RoundTurnerProps) {
  const go = (index: number) => onSelect(roundPath({ ...place, index }) + rest)
  const nextFailed = rounds.failed.find((index) => index > place.index) ?? rounds.failed[0]
  return (
    <div className={classes.rounds}>
      <span>
        Round {(place.index + 1).toLocaleString('en')}{' '}
        <span className={classes.dim}>
          of {rounds.total.toLocaleString('en')} in {place.loop}
        </span>
      </span>
      {nextFailed !== undefined && nextFailed !== place.index && (
        <Button size="xs" variant="subtle" onClick={() => go(nextFailed)}>
          Next failed
        </Button>
      )}
      <Tooltip label="Previous round">
        <ActionIcon
          size="sm"
          aria-label="Previous round"
          disabled={place.index === 0}
          onClick={() => go(place.index - 1)}
        >
          <IconChevronLeft size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Next round">
        <ActionIcon
          size="sm"
          aria-label="Next round"
          disabled={place.index + 1 >= rounds.total}
          onClick={() => go(place.index + 1)}
        >
          <IconChevronRight size={15} />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}

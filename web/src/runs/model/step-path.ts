// Where a step stands in its run: `big/tell` inside a branch, `all[3]/send` in the fourth round of a loop,
// `all#2[3]/send` in that of the loop's second attempt.

export interface Parent {
  /** The path of the branch or loop around. */
  path: string
  /** Which attempt of it ran the step. */
  attempt: number
  /** Null in a branch. */
  round: number | null
}

export interface RoundPlace {
  loop: string
  attempt: number
  index: number
}

const CONTAINER = /^(.*?)(?:#(\d+))?(?:\[(\d+)\])?$/s

/** The branch or loop around a step; null at the top of the flow. */
export function parentOf(path: string): Parent | null {
  const end = path.lastIndexOf('/')
  if (end < 0) return null
  const place = containerOf(path.slice(0, end))
  return { path: place.path, attempt: place.attempt, round: place.round }
}

function containerOf(text: string): Parent {
  // Only the last segment may lose its marks: those before it belong to the path.
  const start = text.lastIndexOf('/') + 1
  const [, name, attempt, round] = CONTAINER.exec(text.slice(start))!
  return {
    path: text.slice(0, start) + name,
    attempt: attempt === undefined ? 1 : Number(attempt),
    round: round === undefined ? null : Number(round),
  }
}

export const roundPath = ({ loop, attempt, index }: RoundPlace): string =>
  `${loop}${attempt === 1 ? '' : `#${attempt}`}[${index}]`

/** The round that a path such as `all[3]` names; null for that of a step. */
export function roundOf(path: string): RoundPlace | null {
  const place = containerOf(path)
  return place.round === null ? null : { loop: place.path, attempt: place.attempt, index: place.round }
}

/** The rounds that a path leads through, by the path of their loop. */
export function roundsAlong(path: string): Map<string, RoundPlace> {
  const rounds = new Map<string, RoundPlace>()
  for (let rest: string | null = path; rest !== null; ) {
    const round: RoundPlace | null = roundOf(rest)
    if (round) rounds.set(round.loop, round)
    const end: number = rest.lastIndexOf('/')
    rest = end < 0 ? null : rest.slice(0, end)
  }
  return rounds
}

/** The id of the step at a path; of a round, that of its loop. */
export function stepIdOf(path: string): string {
  return containerOf(path.slice(path.lastIndexOf('/') + 1)).path
}

import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function RunLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/runs/${id}`} size="sm">
      {shortId(id)}
    </Anchor>
  )
}

/** The beginning of an id is its time, which ids of one day share. */
export const shortId = (id: string): string => `…${id.slice(-8)}`

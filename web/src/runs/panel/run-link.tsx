import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { shortId } from '../model/short-id.ts'

export function RunLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/runs/${id}`} size="sm">
      {shortId(id)}
    </Anchor>
  )
}

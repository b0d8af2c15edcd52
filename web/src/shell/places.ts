// The places of the rail, in their order.
import { IconArrowsSplit2, IconPlayerPlay } from '@tabler/icons-react'

export const PLACES = [
  { to: '/flows', label: 'Flows', icon: IconArrowsSplit2, foot: false },
  { to: '/runs', label: 'Runs', icon: IconPlayerPlay, foot: false },
] as const

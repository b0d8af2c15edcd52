// How each step kind looks and what it is for; a kind that is not listed still has a form and a card.
import {
  IconAlertOctagon,
  IconArrowBackUp,
  IconArrowsSplit2,
  IconClock,
  IconCode,
  IconDatabase,
  IconPlayerStop,
  type IconProps,
  IconPuzzle,
  IconRepeat,
  IconVariable,
  IconWorld,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

interface KindLook {
  icon: ComponentType<IconProps>
  /** What one uses it for, in the menu of kinds. */
  purpose: string
}

const LOOKS: Record<string, KindLook> = {
  http: { icon: IconWorld, purpose: 'Call any API' },
  branch: { icon: IconArrowsSplit2, purpose: 'Go one way or another' },
  loop: { icon: IconRepeat, purpose: 'Repeat for each item, or while a condition holds' },
  wait: { icon: IconClock, purpose: 'Pause for a time, or until a moment' },
  code: { icon: IconCode, purpose: 'Run JavaScript or TypeScript' },
  set: { icon: IconVariable, purpose: 'Keep values under names' },
  store: { icon: IconDatabase, purpose: 'Remember values between runs' },
  respond: { icon: IconArrowBackUp, purpose: 'Answer the waiting caller now' },
  stop: { icon: IconPlayerStop, purpose: 'End the run as succeeded' },
  fail: { icon: IconAlertOctagon, purpose: 'End the run as failed' },
}

export const kindLook = (kind: string): KindLook => LOOKS[kind] ?? { icon: IconPuzzle, purpose: '' }

export function KindIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const { icon: Icon } = kindLook(kind)
  return <Icon size={size} aria-hidden="true" />
}

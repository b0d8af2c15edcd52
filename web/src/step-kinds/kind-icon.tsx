// The icon of a step kind.
import {
  IconAlertOctagon,
  IconArrowBackUp,
  IconArrowsSplit,
  IconArrowsSplit2,
  IconBraces,
  IconClock,
  IconCode,
  IconCornerDownLeft,
  IconCornerDownRight,
  IconDatabase,
  IconPlayerStop,
  type IconProps,
  IconPuzzle,
  IconRepeat,
  IconSquareRounded,
  IconVariable,
  IconWebhook,
  IconWorld,
  IconX,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { stepKind } from './index.ts'
import type { IconName } from './step-kind.ts'

const ICONS: Record<IconName, ComponentType<IconProps>> = {
  'alert-octagon': IconAlertOctagon,
  'arrow-back-up': IconArrowBackUp,
  'arrows-split': IconArrowsSplit,
  'arrows-split-2': IconArrowsSplit2,
  braces: IconBraces,
  clock: IconClock,
  code: IconCode,
  'corner-down-left': IconCornerDownLeft,
  'corner-down-right': IconCornerDownRight,
  database: IconDatabase,
  'player-stop': IconPlayerStop,
  puzzle: IconPuzzle,
  repeat: IconRepeat,
  'square-rounded': IconSquareRounded,
  variable: IconVariable,
  world: IconWorld,
  x: IconX,
}

interface KindIconProps {
  kind: string
  size?: number
}

export function KindIcon({ kind, size = 16 }: KindIconProps) {
  const Icon = ICONS[stepKind(kind).icon]
  return <Icon size={size} aria-hidden="true" />
}

/** In the picture of a template, which begins with its trigger. */
export function TrailIcon({ kind, size = 16 }: KindIconProps) {
  const Icon = kind === 'webhook' ? IconWebhook : ICONS[stepKind(kind).trailIcon]
  return <Icon size={size} aria-hidden="true" />
}

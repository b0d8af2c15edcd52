// One icon per step kind, the same on cards, in lists and in runs.
import {
  IconArrowsSplit,
  IconBraces,
  IconClock,
  IconCode,
  IconCornerDownLeft,
  IconDatabase,
  IconPlayerStop,
  type IconProps,
  IconRepeat,
  IconSquareRounded,
  IconWebhook,
  IconWorld,
  IconX,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

const ICONS: Record<string, ComponentType<IconProps>> = {
  webhook: IconWebhook,
  http: IconWorld,
  branch: IconArrowsSplit,
  loop: IconRepeat,
  wait: IconClock,
  code: IconCode,
  set: IconBraces,
  store: IconDatabase,
  respond: IconCornerDownLeft,
  stop: IconPlayerStop,
  fail: IconX,
}

export function KindIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const Icon = ICONS[kind] ?? IconSquareRounded
  return <Icon size={size} aria-hidden="true" />
}

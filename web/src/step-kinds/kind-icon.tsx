// The icon of a step kind, in the colour of the kind.
import {
  IconAlertOctagon,
  IconArrowBackUp,
  IconArrowsDown,
  IconArrowsSplit,
  IconArrowsSplit2,
  IconBraces,
  IconCalendarTime,
  IconClock,
  IconCode,
  IconCornerDownLeft,
  IconCornerDownRight,
  IconDatabase,
  IconPhoneIncoming,
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
import type { ComponentType, CSSProperties } from 'react'
import { stepKind } from './index.ts'
import classes from './kind-icon.module.css'
import type { IconName } from './step-kind.ts'

const ICONS: Record<IconName, ComponentType<IconProps>> = {
  'alert-octagon': IconAlertOctagon,
  'arrow-back-up': IconArrowBackUp,
  'arrows-down': IconArrowsDown,
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

/** From this size on it stands on a tile; smaller ones stand in lines of text. */
const TILE_FROM = 16

export function KindIcon({ kind, size = 16 }: KindIconProps) {
  const { icon, color: colors } = stepKind(kind)
  const Icon = ICONS[icon]
  const color = { '--kind': `light-dark(${colors.light}, ${colors.dark})` } as CSSProperties
  if (size < TILE_FROM) return <Icon size={size} className={classes.icon} style={color} aria-hidden="true" />
  return (
    <span className={classes.tile} style={color} aria-hidden="true">
      <Icon size={size - 1} className={classes.icon} />
    </span>
  )
}

/** Those of trigger kinds; another one is shown as a webhook. */
const TRIGGER_ICONS = new Map<string, ComponentType<IconProps>>([
  ['webhook', IconWebhook],
  ['schedule', IconCalendarTime],
  ['call', IconPhoneIncoming],
])

/** The trigger's, in the accent. */
export function TriggerIcon({ kind }: { kind: string }) {
  return (
    <span className={classes.tile} aria-hidden="true">
      <TriggerMark kind={kind} size={15} className={classes.icon} />
    </span>
  )
}

/** The trigger's, in the color of the text around it. */
export function TriggerMark({ kind, size = 16, className }: KindIconProps & { className?: string | undefined }) {
  const Icon = TRIGGER_ICONS.get(kind) ?? IconWebhook
  return <Icon size={size} className={className} aria-hidden="true" />
}

/** In the picture of a template. */
export function TrailIcon({ kind, size = 16 }: KindIconProps) {
  const { trailIcon, color } = stepKind(kind)
  const Icon = ICONS[trailIcon]
  return <Icon size={size} color={`light-dark(${color.light}, ${color.dark})`} aria-hidden="true" />
}

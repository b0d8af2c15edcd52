// The places of the rail, in their order.
import {
  IconAlertTriangle,
  IconArrowsSplit2,
  IconChartBar,
  IconInbox,
  IconPlayerPlay,
  IconPlugConnected,
  IconSettings,
  IconUserQuestion,
} from '@tabler/icons-react'

export const PLACES = [
  { to: '/overview', label: 'Overview', icon: IconChartBar, foot: false },
  { to: '/flows', label: 'Flows', icon: IconArrowsSplit2, foot: false },
  { to: '/runs', label: 'Runs', icon: IconPlayerPlay, foot: false },
  { to: '/approvals', label: 'Waiting for you', icon: IconUserQuestion, foot: false },
  { to: '/failures', label: 'Failures', icon: IconAlertTriangle, foot: false },
  { to: '/inbox', label: 'Inbox', icon: IconInbox, foot: false },
  { to: '/connections', label: 'Connections', icon: IconPlugConnected, foot: false },
  { to: '/settings', label: 'Settings', icon: IconSettings, foot: true },
] as const

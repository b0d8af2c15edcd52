// The parts of one flow, on every page of it.
import { Link } from '@tanstack/react-router'
import { useActiveInView } from '../shell/use-active-in-view.ts'
import classes from './flow-tabs.module.css'

const TABS = [
  { to: '/flows/$id', label: 'Build' },
  { to: '/flows/$id/runs', label: 'Runs' },
  { to: '/flows/$id/inbox', label: 'Inbox' },
  { to: '/flows/$id/stats', label: 'Statistics' },
  { to: '/flows/$id/versions', label: 'Versions' },
  { to: '/flows/$id/settings', label: 'Settings' },
] as const

export function FlowTabs({ id }: { id: string }) {
  const row = useActiveInView()
  return (
    <nav ref={row} className={classes.tabs} aria-label="Parts of the flow">
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ id }}
          className={classes.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'data-active': true }}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

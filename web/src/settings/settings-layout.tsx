// The settings have a rail of their own, which offers to each role what it may see.
import { Text } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useUser } from '../api/session.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useActiveInView } from '../shell/use-active-in-view.ts'
import classes from './settings-layout.module.css'

const SECTIONS = [
  { to: '/settings/profile', label: 'Profile', needs: null },
  { to: '/settings/users', label: 'Users', needs: 'admin' },
  { to: '/settings/tokens', label: 'API tokens', needs: 'admin' },
  { to: '/settings/keys', label: 'Encryption keys', needs: 'admin' },
  { to: '/settings/audit', label: 'Audit log', needs: 'admin' },
  { to: '/settings/alerts', label: 'Alerts', needs: 'flows:write' },
  { to: '/settings/failures', label: 'Failed runs', needs: 'flows:read' },
  { to: '/settings/service', label: 'Service', needs: null },
] as const

export function SettingsLayout() {
  const scopes = useUser()?.scopes ?? []
  const isOpen = ({ needs }: (typeof SECTIONS)[number]) => needs === null || scopes.includes(needs)
  const { pathname } = useLocation()
  const row = useActiveInView()
  const section = SECTIONS.find(({ to }) => pathname.startsWith(to))
  return (
    <>
      <PageHeader title="Settings" />
      <div className={classes.split}>
        <nav ref={row} aria-label="Settings" className={classes.nav}>
          {SECTIONS.filter(isOpen).map(({ to, label }) => (
            <Link key={to} to={to} className={classes.entry} activeProps={{ 'data-active': true }}>
              {label}
            </Link>
          ))}
        </nav>
        <div className={classes.content}>
          {section && !isOpen(section) ? (
            <Text c="dimmed">
              Only {section.needs === 'admin' ? 'owners' : 'editors and owners'} can open “{section.label}”. Ask an
              owner for what you need.
            </Text>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
    </>
  )
}

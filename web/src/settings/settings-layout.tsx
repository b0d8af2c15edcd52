// The settings have a rail of their own; what only owners may see is offered to owners only.
import { Text } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useMay } from '../api/session.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useActiveInView } from '../shell/use-active-in-view.ts'
import classes from './settings-layout.module.css'

const SECTIONS = [
  { to: '/settings/profile', label: 'Profile', owners: false },
  { to: '/settings/users', label: 'Users', owners: true },
  { to: '/settings/tokens', label: 'API tokens', owners: true },
  { to: '/settings/keys', label: 'Encryption keys', owners: true },
  { to: '/settings/audit', label: 'Audit log', owners: true },
  { to: '/settings/failures', label: 'Failed runs', owners: false },
  { to: '/settings/service', label: 'Service', owners: false },
] as const

export function SettingsLayout() {
  const isOwner = useMay('admin')
  const { pathname } = useLocation()
  const row = useActiveInView()
  const section = SECTIONS.find(({ to }) => pathname.startsWith(to))
  return (
    <>
      <PageHeader title="Settings" />
      <div className={classes.split}>
        <nav ref={row} aria-label="Settings" className={classes.nav}>
          {SECTIONS.filter(({ owners }) => isOwner || !owners).map(({ to, label }) => (
            <Link key={to} to={to} className={classes.entry} activeProps={{ 'data-active': true }}>
              {label}
            </Link>
          ))}
        </nav>
        <div className={classes.content}>
          {section?.owners && !isOwner ? (
            <Text c="dimmed">Only owners can open “{section.label}”. Ask an owner for what you need.</Text>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
    </>
  )
}

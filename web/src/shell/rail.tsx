import { Menu, Tooltip, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconApi,
  IconBook,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { queries } from '../api/queries.ts'
import { useMayAny, useUser } from '../api/session.ts'
import { Mark } from '../brand/mark.tsx'
import { commandKey } from './command-key.ts'
import { PLACES } from './places.ts'
import classes from './rail.module.css'
import { showOverlay } from './show-overlay.ts'
import { useSignOut } from './use-sign-out.ts'

export function Rail() {
  return (
    <nav className={classes.rail} aria-label="Places">
      <Link to="/" className={classes.brand} aria-label="Millrace">
        <Mark size={22} />
        <span className={classes.word}>Millrace</span>
      </Link>
      <Entry
        label="Search"
        hint={`${commandKey} K`}
        icon={<IconSearch size={17} />}
        onClick={() => showOverlay('palette')}
      />
      {PLACES.filter(({ foot }) => !foot).map((place) =>
        place.to === '/approvals' ? <ApprovalsPlace key={place.to} {...place} /> : <Place key={place.to} {...place} />,
      )}
      <div className={classes.space} />
      {PLACES.filter(({ foot }) => foot).map((place) => (
        <Place key={place.to} {...place} />
      ))}
      <div className={classes.desktop}>
        <SchemeToggle />
      </div>
      <UserMenu />
    </nav>
  )
}

function Place({ to, label, icon: Icon, open = null }: (typeof PLACES)[number] & { open?: string | null }) {
  return (
    <Tip label={label}>
      {/* Where the word is hidden it would have no name. */}
      <Link
        to={to}
        className={classes.entry}
        activeProps={{ 'data-active': true }}
        aria-label={open === null ? label : `${label}, ${open} open`}
      >
        <Icon size={17} aria-hidden="true" />
        <span className={classes.word}>{label}</span>
        {open !== null && <span className={classes.badge} data-open={open} aria-hidden="true" />}
      </Link>
    </Tip>
  )
}

/** With the words beside or below the icons the tips would say the same twice. */
const WITHOUT_WORDS = '(min-width: 641px) and (max-width: 1000px)'

function Tip({ label, children }: { label: string; children: ReactElement }) {
  const needed = useMediaQuery(WITHOUT_WORDS)
  if (!needed) return children
  return (
    <Tooltip label={label} position="right">
      {children}
    </Tooltip>
  )
}

/** A stream of events for the rail alone would take one of the six connections that a browser has per host. */
const LOOK_EVERY_MS = 10_000

/** With the number of open approvals. */
function ApprovalsPlace(place: (typeof PLACES)[number]) {
  const enabled = useMayAny('approvals', 'runs:data')
  const approvals = useInfiniteQuery({ ...queries.approvals, enabled, refetchInterval: LOOK_EVERY_MS })
  const count = approvals.data?.pages.flatMap(({ items }) => items).length ?? 0
  return <Place {...place} open={count === 0 ? null : `${count}${approvals.hasNextPage ? '+' : ''}`} />
}

interface EntryProps {
  label: string
  icon: ReactNode
  hint?: string
  onClick?: () => void
}

function Entry({ label, icon, hint, ...rest }: EntryProps) {
  return (
    <Tip label={label}>
      <UnstyledButton className={classes.entry} aria-label={label} {...rest}>
        {icon}
        <span className={classes.word}>{label}</span>
        {hint && <span className={classes.hint} data-hint={hint} aria-hidden="true" />}
      </UnstyledButton>
    </Tip>
  )
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  return (
    <Entry
      label={dark ? 'Light theme' : 'Dark theme'}
      icon={dark ? <IconSun size={17} /> : <IconMoon size={17} />}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    />
  )
}

function UserMenu() {
  const user = useUser()
  const navigate = useNavigate()
  const signOut = useSignOut()
  if (!user) return null
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={classes.entry} aria-label={`You: ${user.name}`}>
          <IconUser size={17} aria-hidden="true" />
          <span className={classes.word}>{user.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.email} ({user.role})
        </Menu.Label>
        <Menu.Item leftSection={<IconUser size={15} />} onClick={() => navigate({ to: '/settings/profile' })}>
          Profile and password
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconBook size={15} />} component="a" href="/docs" target="_blank">
          Guide
        </Menu.Item>
        <Menu.Item leftSection={<IconApi size={15} />} component="a" href="/api/docs" target="_blank">
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={15} />} onClick={() => showOverlay('keys')}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

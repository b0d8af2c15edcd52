import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import {
  IconArrowsSplit2,
  IconBook,
  IconKeyboard,
  IconLogout,
  IconMoon,
  type IconProps,
  IconSearch,
  IconSun,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { queries } from '../api/queries.ts'
import { useCommands } from './commands.ts'
import { showKeyHelp } from './key-help.tsx'
import { PLACES } from './places.ts'
import { useSignOut } from './use-sign-out.ts'

export function CommandPalette() {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  const here = useCommands()
  const flows = useQuery(queries.flows).data ?? []
  const action = (
    id: string,
    label: string,
    Icon: ComponentType<IconProps>,
    onClick: () => void,
    description?: string,
  ): SpotlightActionData => ({
    id,
    label,
    ...(description && { description }),
    onClick,
    leftSection: <Icon size={17} />,
  })
  return (
    <Spotlight
      shortcut={['mod + K']}
      nothingFound="Nothing found."
      highlightQuery
      limit={40}
      maxHeight={420}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 100 }}
      scrollable
      searchProps={{
        leftSection: <IconSearch size={17} />,
        placeholder: 'Go to a flow or page, or do something',
        'aria-label': 'Search',
      }}
      actions={[
        {
          group: 'On this page',
          actions: here.map(({ id, label, icon, run, description }) =>
            action(id, label, icon ?? IconArrowsSplit2, run, description),
          ),
        },
        {
          group: 'Flows',
          actions: flows.map(({ id, name, status }) =>
            action(
              `flow ${id}`,
              name,
              IconArrowsSplit2,
              () => void navigate({ to: '/flows/$id', params: { id } }),
              status === 'published' ? 'Published' : 'Draft',
            ),
          ),
        },
        {
          group: 'Go to',
          actions: PLACES.map(({ to, label, icon }) => action(to, label, icon, () => void navigate({ to }))),
        },
        {
          group: 'Millrace',
          actions: [
            action('theme', dark ? 'Light theme' : 'Dark theme', dark ? IconSun : IconMoon, () =>
              setColorScheme(dark ? 'light' : 'dark'),
            ),
            action('guide', 'Guide', IconBook, () => void window.open('/docs', '_blank')),
            action('keys', 'Keyboard shortcuts', IconKeyboard, showKeyHelp),
            action('sign-out', 'Sign out', IconLogout, () => void signOut()),
          ],
        },
      ].filter(({ actions }) => actions.length > 0)}
    />
  )
}

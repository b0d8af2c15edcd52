import '@mantine/spotlight/styles.layer.css'
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import {
  IconArrowsSplit2,
  IconBook,
  IconHash,
  IconInbox,
  IconKeyboard,
  IconLogout,
  IconMoon,
  type IconProps,
  IconSearch,
  IconSun,
  IconTag,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { labelText } from '../../api/label-filter.ts'
import { queries } from '../../api/queries.ts'
import { formatMoment } from '../../ui/format.ts'
import { statusWord } from '../../ui/status.tsx'
import { useCommands } from '../commands.ts'
import { PLACES } from '../places.ts'
import { showOverlay } from '../show-overlay.ts'
import { useSignOut } from '../use-sign-out.ts'
import { type PaletteEntry, type PaletteGroup, placeOfId, searchPalette } from './palette-search.ts'
import { useSettled } from './use-settled.ts'

interface Entry extends PaletteEntry {
  icon: ComponentType<IconProps>
  run: () => void
}

const FEW_FLOWS = { found: 20, unasked: 6 }

/** Opens each time that it is asked for. */
export function CommandPalette({ asked }: { asked: number }) {
  const [opened, setOpened] = useState(false)
  const [query, setQuery] = useState('')
  const groups = useGroups(query, opened)
  useEffect(() => {
    if (asked > 0) spotlight.open()
  }, [asked])
  return (
    <Spotlight
      shortcut={null}
      nothingFound="Nothing found."
      highlightQuery
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      filter={(_query, actions) => actions}
      maxHeight={420}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 100 }}
      scrollable
      searchProps={{
        leftSection: <IconSearch size={17} />,
        placeholder: 'Find a page, a flow, a step, an action or a label, or paste an id',
        'aria-label': 'Search',
      }}
      actions={searchPalette(groups, query).map(({ name, entries }) => ({
        group: name,
        actions: entries.map(({ id, label, description, icon: Icon, run }) => ({
          id,
          label,
          ...(description && { description }),
          onClick: run,
          leftSection: <Icon size={17} />,
        })),
      }))}
    />
  )
}

function useGroups(query: string, opened: boolean): PaletteGroup<Entry>[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  const commands = useCommands()
  // Pages that do without the list of flows, such as the editor, fetch it only for the palette.
  const flows = useQuery({ ...queries.flows, enabled: opened }).data ?? []
  const here = commands.map(({ icon = IconArrowsSplit2, ...command }) => ({ ...command, icon }))
  const place = placeOfId(query)
  return [
    {
      name: 'By id',
      entries: place
        ? [{ id: place.to, label: place.label, icon: IconHash, run: () => void navigate({ to: place.to }) }]
        : [],
    },
    { name: 'Labels and runs', entries: useFound(query, opened), isFound: true },
    { name: 'On this page', entries: here.filter(({ group }) => group !== 'steps') },
    {
      name: 'Steps of this flow',
      entries: here.filter(({ group }) => group === 'steps'),
      most: { found: 20, unasked: 5 },
    },
    {
      name: 'Go to',
      entries: PLACES.map(({ to, label, icon }) => ({ id: to, label, icon, run: () => void navigate({ to }) })),
    },
    {
      name: 'Millrace',
      entries: [
        {
          id: 'theme',
          label: dark ? 'Light theme' : 'Dark theme',
          keywords: 'colors appearance',
          icon: dark ? IconSun : IconMoon,
          run: () => setColorScheme(dark ? 'light' : 'dark'),
        },
        {
          id: 'guide',
          label: 'Guide',
          keywords: 'documentation help',
          icon: IconBook,
          run: () => void window.open('/docs', '_blank'),
        },
        {
          id: 'keys',
          label: 'Keyboard shortcuts',
          keywords: 'keys',
          icon: IconKeyboard,
          run: () => showOverlay('keys'),
        },
        { id: 'sign-out', label: 'Sign out', keywords: 'log out', icon: IconLogout, run: () => void signOut() },
      ],
    },
    {
      name: 'Flows',
      most: FEW_FLOWS,
      entries: flows.map(({ id, name, status, tags }) => ({
        id: `flow ${id}`,
        label: name,
        description: status === 'published' ? 'Published' : 'Draft',
        keywords: tags.join(' '),
        icon: IconArrowsSplit2,
        run: () => void navigate({ to: '/flows/$id', params: { id } }),
      })),
    },
  ]
}

/** What the server finds: runs and deliveries by id, and labels by the beginning of their value. */
function useFound(query: string, opened: boolean): Entry[] {
  const navigate = useNavigate()
  const q = useSettled(query.trim())
  const { data } = useQuery({ ...queries.search(q), enabled: opened && q !== '' })
  if (!data || q === '') return []
  return [
    ...data.labels.map(({ name, value }) => ({
      id: `label ${name} ${value}`,
      label: `${name}=${value}`,
      description: 'Runs with this label',
      icon: IconTag,
      run: () => void navigate({ to: '/runs', search: { label: labelText(name, value) } }),
    })),
    ...data.runs.map((run) => ({
      id: `found ${run.id}`,
      label: run.flowName ?? 'Deleted flow',
      description: `${statusWord(run.status)} run, ${formatMoment(Date.parse(run.createdAt))}`,
      icon: IconHash,
      run: () => void navigate({ to: '/runs/$id', params: { id: run.id } }),
    })),
    ...data.deliveries.map((delivery) => ({
      id: `found ${delivery.id}`,
      label: delivery.flowName ?? 'Deleted flow',
      description: `${statusWord(delivery.outcome)} delivery`,
      icon: IconInbox,
      run: () => void navigate({ to: '/inbox', search: { delivery: delivery.id } }),
    })),
  ]
}

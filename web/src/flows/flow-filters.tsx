// What the list of flows is narrowed to, and its order; all of it stands in the URL.
import { Button, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { memo, type RefObject, useEffect, useMemo, useRef } from 'react'
import type { FlowSummary } from '../api/api-types.ts'
import { useSearchKey } from '../shell/use-search-key.ts'
import { formatCount } from '../ui/format.ts'
import { editorsOf, type FlowListState, type FlowSort, tagCounts, triggersOf } from './flow-list.ts'
import classes from './flows-page.module.css'

const ALL = 'all'
const SORT_WORDS: Record<FlowSort, string> = {
  changed: 'Latest change',
  name: 'Name',
  run: 'Latest run',
  traffic: 'Most runs',
  failures: 'Most failures',
}

interface FlowFiltersProps {
  flows: FlowSummary[]
  state: FlowListState
  text: string
  onText: (text: string) => void
  onChange: (change: FlowListState) => void
}

export const FlowFilters = memo(function FlowFilters({ flows, state, text, onText, onChange }: FlowFiltersProps) {
  const search = useRef<HTMLInputElement>(null)
  useSearchKey(search)
  useFollowAddress(state.q ?? '', search, onText)
  const tags = useMemo(() => tagCounts(flows), [flows])
  const triggers = useMemo(() => triggersOf(flows), [flows])
  const editors = useMemo(() => editorsOf(flows), [flows])
  const count = (status: FlowSummary['status']) => flows.filter((flow) => flow.status === status).length
  const { q, sort: _, ...narrowed } = state
  const filtered = Boolean(q) || Object.values(narrowed).some((value) => value !== undefined)
  return (
    <search className={classes.filters}>
      <TextInput
        ref={search}
        className={classes.search}
        leftSection={<IconSearch size={15} />}
        placeholder="Search by name or tag"
        aria-label="Search the flows by name or tag"
        value={text}
        onChange={({ currentTarget: { value } }) => {
          onText(value)
          onChange({ q: value })
        }}
      />
      <Select
        aria-label="Status"
        className={classes.choice}
        data={[
          { value: ALL, label: `All ${formatCount(flows.length)}` },
          { value: 'published', label: `Published ${formatCount(count('published'))}` },
          { value: 'draft', label: `Drafts ${formatCount(count('draft'))}` },
        ]}
        value={state.status ?? ALL}
        onChange={(value) => onChange({ status: value === ALL ? undefined : (value as FlowSummary['status']) })}
      />
      {(tags.length > 0 || state.tag !== undefined) && (
        <Select
          aria-label="Tag"
          className={classes.choice}
          searchable
          comboboxProps={{ width: 220, position: 'bottom-start', keepMounted: false }}
          nothingFoundMessage="No such tag"
          data={[
            { value: '', label: 'All tags' },
            ...tags.map(({ tag, count: of }) => ({ value: tag, label: `${tag} (${formatCount(of)})` })),
            ...(state.tag !== undefined && !tags.some(({ tag }) => tag === state.tag)
              ? [{ value: state.tag, label: `${state.tag} (0)` }]
              : []),
          ]}
          value={state.tag ?? ''}
          onChange={(value) => onChange({ tag: value || undefined })}
        />
      )}
      {(triggers.length > 1 || state.trigger !== undefined) && (
        <Select
          aria-label="Trigger"
          className={classes.choice}
          data={[
            { value: ALL, label: 'All triggers' },
            ...[...new Set([...triggers, ...(state.trigger === undefined ? [] : [state.trigger])])].map((value) => ({
              value,
              label: value.charAt(0).toUpperCase() + value.slice(1),
            })),
          ]}
          value={state.trigger ?? ALL}
          onChange={(value) => onChange({ trigger: value === ALL || value === null ? undefined : value })}
        />
      )}
      {(editors.length > 1 || state.by !== undefined) && (
        <Select
          aria-label="Changed by"
          className={classes.choice}
          searchable
          nothingFoundMessage="Nobody of that name"
          data={[
            { value: '', label: 'Changed by anybody' },
            ...[...new Set([...editors, ...(state.by === undefined ? [] : [state.by])])].map((name) => ({
              value: name,
              label: name,
            })),
          ]}
          value={state.by ?? ''}
          onChange={(value) => onChange({ by: value || undefined })}
        />
      )}
      <Select
        aria-label="Sort by"
        className={classes.choice}
        data={Object.entries(SORT_WORDS).map(([value, label]) => ({ value, label }))}
        value={state.sort ?? 'changed'}
        onChange={(value) => onChange({ sort: value as FlowSort })}
      />
      {filtered && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            onText('')
            onChange({ q: undefined, status: undefined, tag: undefined, trigger: undefined, by: undefined })
          }}
        >
          Clear
        </Button>
      )}
    </search>
  )
})

/** The field is ahead of the address while somebody types, and follows it otherwise. */
function useFollowAddress(
  inAddress: string,
  field: RefObject<HTMLInputElement | null>,
  onText: (text: string) => void,
): void {
  useEffect(() => {
    if (document.activeElement !== field.current) onText(inAddress)
  }, [inAddress, field, onText])
}

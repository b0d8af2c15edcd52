// The first question about a webhook: who sends?
import { type ComboboxItem, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { Sender } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { blankSender, findSenders, senderCalled, senderNameOf } from '../../flow-model/senders/find-senders.ts'
import { useEditor } from '../state/editor-context.tsx'
import classes from './sender.module.css'
import { SenderTile } from './sender-tile.tsx'

/** No sender has a name with capitals. */
const ANYONE = 'ANYONE'
const ANYONE_WORDS = 'Anyone, or my own program'

export function SenderChoice() {
  const { document } = useEditor()
  const { set, readOnly, issues } = useField('/trigger/sender')
  const list = useQuery(queries.senders)
  const senders = useMemo(() => list.data ?? [], [list.data])
  const byName = useMemo(() => new Map(senders.map((sender) => [sender.name, sender])), [senders])
  const name = senderNameOf(document.trigger)
  const chosen = senderCalled(senders, name)
  const input = useRef<HTMLInputElement>(null)
  // What is typed next takes the place of the title.
  const selectTitle = () => {
    if (input.current?.value === chosen?.title) input.current?.select()
  }
  // The list writes the title after its own effect, so it is there one effect later.
  const [written, setWritten] = useState(chosen)
  useEffect(() => setWritten(chosen), [chosen])
  useEffect(() => {
    if (written && input.current?.matches(':focus')) input.current?.select()
  }, [written])
  const choose = (value: string | null) => {
    const sender = byName.get(value ?? '')
    if (sender?.name === chosen?.name && sender) return
    set(sender ? blankSender(sender) : undefined)
  }
  // The list notes which option is marked a moment after it opens, and whoever types faster would press Enter for nothing.
  const takeMarked = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    const { value, ownerDocument } = event.currentTarget
    const list = ownerDocument.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '')
    const typed = value !== '' && value !== chosen?.title
    const find = (attribute: string) => list?.querySelector<HTMLElement>(`[${attribute}]`)
    const option = find('data-combobox-selected') ?? (typed && find('data-combobox-option'))
    if (!option) return
    event.preventDefault()
    event.stopPropagation()
    option.click()
  }
  return (
    <FieldFrame label="Who sends?" issues={issues}>
      <Select
        ref={input}
        aria-label="Who sends?"
        data={[
          { value: ANYONE, label: ANYONE_WORDS },
          ...findSenders(senders, '').map((sender) => ({ value: sender.name, label: sender.title })),
        ]}
        value={chosen?.name ?? null}
        onChange={choose}
        placeholder={name === null || list.isPending ? ANYONE_WORDS : name}
        searchable
        clearable={chosen !== null}
        clearButtonProps={{ 'aria-label': 'No certain sender' }}
        selectFirstOptionOnChange
        allowDeselect={false}
        disabled={readOnly}
        leftSection={chosen && <SenderTile sender={chosen} />}
        leftSectionWidth={36}
        onFocus={selectTitle}
        onClick={selectTitle}
        onKeyDownCapture={takeMarked}
        filter={({ options, search }) =>
          search === '' || search === chosen?.title
            ? options
            : [...findSenders(senders, search).map(asOption), { value: ANYONE, label: ANYONE_WORDS }]
        }
        renderOption={({ option }) => <Option label={option.label} sender={byName.get(option.value)} />}
        maxDropdownHeight={320}
        comboboxProps={{ withinPortal: true }}
      />
      <Text size="xs" c="dimmed">
        {chosen
          ? 'Millrace verifies each delivery as this sender signs it.'
          : 'Choose a service, and Millrace verifies what it sends. Type a name to find it.'}
      </Text>
    </FieldFrame>
  )
}

const asOption = (sender: Sender): ComboboxItem => ({ value: sender.name, label: sender.title })

function Option({ label, sender }: { label: string; sender: Sender | undefined }) {
  return (
    <span className={classes.option}>
      {sender && <SenderTile sender={sender} />}
      <span>{label}</span>
      {sender && sender.aliases.length > 0 && <span className={classes.also}>also {sender.aliases.join(', ')}</span>}
    </span>
  )
}

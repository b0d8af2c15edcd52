// Fills in the endpoints of a well-known service.
import { Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConnectionDraft } from './connection-draft.ts'
import { fromPreset, OAUTH_PRESETS, type OAuthPreset, PART } from './oauth-presets.ts'

interface PresetChoiceProps {
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
}

export function PresetChoice({ draft, onChange }: PresetChoiceProps) {
  const [preset, setPreset] = useState<OAuthPreset | null>(null)
  const [part, setPart] = useState('')
  const fill = (chosen: OAuthPreset, typed: string) => {
    const { fields, hosts } = fromPreset(chosen, typed)
    onChange({ ...draft, name: draft.name || chosen.id, values: { ...draft.values, ...fields }, hosts })
  }
  const choose = (id: string | null) => {
    const chosen = OAUTH_PRESETS.find((one) => one.id === id) ?? null
    setPreset(chosen)
    setPart('')
    if (chosen) fill(chosen, '')
  }
  return (
    <Stack gap="xs">
      <Select
        label="Service"
        description="Fills in the addresses below. Choose none for any other service."
        placeholder="Another service"
        data={OAUTH_PRESETS.map(({ id, service }) => ({ value: id, label: service }))}
        value={preset?.id ?? null}
        onChange={choose}
        searchable
        clearable
        nothingFoundMessage="No preset for it: fill in the addresses yourself."
      />
      {preset?.part && (
        <TextInput
          label={preset.part.label}
          placeholder={preset.part.example}
          required
          value={part}
          error={part !== '' && !PART.test(part) ? 'Use letters, digits, dots and hyphens only.' : undefined}
          onChange={({ currentTarget }) => {
            setPart(currentTarget.value.trim())
            fill(preset, currentTarget.value.trim())
          }}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {preset && (
        <Text size="xs" c="dimmed">
          Register Millrace as a client at {preset.register}, with the redirect URL below. Then copy its client ID and
          secret here, and choose the scopes that your flows need.
        </Text>
      )}
    </Stack>
  )
}

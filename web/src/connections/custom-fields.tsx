// Secrets under names of one's own.
import { ActionIcon, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { isTlsPart } from '../../../src/base/tls-parts.ts'
import type { ConnectionDraft } from './connection-draft.ts'
import { SecretField } from './secret-field.tsx'

interface CustomFieldsProps {
  draft: ConnectionDraft
  onChange: (draft: ConnectionDraft) => void
  errorAt: (path: string) => string | undefined
  readOnly: boolean
}

export function CustomFields({ draft, onChange, errorAt, readOnly }: CustomFieldsProps) {
  const isOwn = (name: string) => !isTlsPart(name)
  const added = Object.entries(draft.values).filter(([name]) => isOwn(name) && !draft.kept.includes(name))
  const setAdded = (entries: [string, string][]) => {
    const replaced = Object.entries(draft.values).filter(([name]) => !isOwn(name) || draft.kept.includes(name))
    onChange({ ...draft, values: Object.fromEntries([...replaced, ...entries]) })
  }
  const change = (index: number, entry: [string, string]) =>
    setAdded(added.map((existing, i) => (i === index ? entry : existing)))
  return (
    <Stack gap="sm">
      {draft.kept.filter(isOwn).map((name) => (
        <SecretField
          key={name}
          name={name}
          label={name}
          required={false}
          draft={draft}
          onChange={onChange}
          error={errorAt(`/fields/${name}`)}
          readOnly={readOnly}
        />
      ))}
      {!readOnly && (
        <>
          {added.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed
            <Group key={index} align="flex-start" gap="xs" wrap="nowrap">
              <TextInput
                flex={1}
                label={index === 0 ? 'Field' : undefined}
                aria-label="Name of the field"
                placeholder="signing_key"
                value={name}
                onChange={(event) => change(index, [event.currentTarget.value, value])}
                error={name === '' ? undefined : errorAt(`/fields/${name}`)}
                autoComplete="off"
                spellCheck={false}
              />
              <PasswordInput
                flex={2}
                label={index === 0 ? 'Secret' : undefined}
                aria-label={`Secret of ${name || 'the field'}`}
                value={value}
                onChange={(event) => change(index, [name, event.currentTarget.value])}
                autoComplete="new-password"
              />
              <ActionIcon
                size={30}
                mt={index === 0 ? 24 : 0}
                aria-label={`Take ${name || 'this field'} away`}
                onClick={() => setAdded(added.filter((_, i) => i !== index))}
              >
                <IconTrash size={15} />
              </ActionIcon>
            </Group>
          ))}
          <Group justify="space-between">
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={added.some(([name]) => name === '')}
              onClick={() => setAdded([...added, ['', '']])}
            >
              Add a field
            </Button>
            {errorAt('/fields/fields') && (
              <Text size="xs" c="var(--mr-bad)">
                {errorAt('/fields/fields')}
              </Text>
            )}
          </Group>
        </>
      )}
    </Stack>
  )
}

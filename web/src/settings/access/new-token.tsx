import { Button, Group, Modal, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { reaches, type Scope, type ScopeUnion, UNIONS, unionOf } from '../../../../src/base/scopes.ts'
import { api } from '../../api/api-client.ts'
import type { Token } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { FlowLimitChoice } from '../../ui/choices/flow-limit-choice.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { ShownOnce } from '../shown-once.tsx'
import { ScopeChoice } from './scope-choice.tsx'

const DAY_MS = 86_400_000
const LIVES = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
]

export function NewToken() {
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const create = useMutation({
    mutationFn: (request: object) => api.post<Token & { token: string }>('/tokens', request),
    onSuccess: () => {
      setOpen(false)
      void queryClient.invalidateQueries({ queryKey: keys.tokens })
    },
  })
  return (
    <Stack gap="md" align="flex-start">
      <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setOpen(true)}>
        New token
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="New token">
        <TokenForm create={create.mutate} pending={create.isPending} error={create.error} />
      </Modal>
      {create.data && (
        <ShownOnce title={`Token "${create.data.name}"`} secret={create.data.token} onDone={create.reset} />
      )}
    </Stack>
  )
}

interface TokenFormProps {
  create: (request: object) => void
  pending: boolean
  error: Error | null
}

function TokenForm({ create, pending, error }: TokenFormProps) {
  const own = useUser()?.scopes ?? []
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([...UNIONS.read])
  const [life, setLife] = useState('90')
  const [flows, setFlows] = useState<string[]>([])
  const [tags, setTags] = useState<string[]>([])
  const isLimited = flows.length > 0 || tags.length > 0
  const unions = (Object.keys(UNIONS) as ScopeUnion[]).filter((union) => reaches(own, UNIONS[union]))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const expiresAt = life === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(life) * DAY_MS).toISOString() }
    const given = isLimited ? scopes.filter((scope) => scope !== 'admin') : scopes
    create({ name, scopes: given, ...expiresAt, ...(flows.length && { flows }), ...(tags.length && { tags }) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What it is for, such as the script that uses it."
          placeholder="nightly-backup"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        <div>
          <SegmentedControl
            aria-label="Several scopes at once"
            fullWidth
            data={[...unions, { value: '', label: 'own choice' }]}
            value={unionOf(scopes) ?? ''}
            onChange={(union) => union !== '' && setScopes([...UNIONS[union as ScopeUnion]])}
          />
          <Text size="xs" c="dimmed" mt={6}>
            Give it what it needs, and no more.
          </Text>
        </div>
        <ScopeChoice value={scopes} onChange={setScopes} without={isLimited ? ['admin'] : []} />
        <FlowLimitChoice flows={flows} tags={tags} onFlows={setFlows} onTags={setTags} />
        <Select label="Expires" data={LIVES} value={life} onChange={(value) => value && setLife(value)} />
        {error && <ErrorNote title="The token was not created" error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={pending} disabled={scopes.length === 0}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

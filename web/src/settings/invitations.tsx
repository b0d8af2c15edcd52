import { Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api-client.ts'
import type { Invitation } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyFailure } from '../ui/notify.tsx'
import tables from '../ui/table.module.css'
import { RelativeTime } from '../ui/time.tsx'
import { ROLE_MEANS, useRoleChoices } from './roles.ts'
import { ShownOnce } from './shown-once.tsx'

export function Invitations() {
  const invitations = useQuery(queries.invitations)
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('editor')
  const changed = () => queryClient.invalidateQueries({ queryKey: keys.invitations })
  const invite = useMutation({
    mutationFn: () => api.post<Invitation & { url: string }>('/invitations', { role, ...(email && { email }) }),
    onSuccess: () => {
      setEmail('')
      void changed()
    },
  })
  const revoke = async ({ id }: Invitation) => {
    try {
      await api.delete(`/invitations/${id}`)
      await changed()
    } catch (error) {
      notifyFailure('The invitation was not revoked', error)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="E-mail"
            description="Optional. If it is empty, anyone who has the link can use it."
            type="email"
            w={400}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            autoComplete="off"
          />
          <Select
            label="Role"
            w={160}
            data={useRoleChoices()}
            value={role}
            onChange={(value) => value && setRole(value)}
          />
          <Button type="submit" variant="default" loading={invite.isPending}>
            Create invitation link
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mt={6}>
          {ROLE_MEANS[role] && `${ROLE_MEANS[role]}. `}Send the link yourself; Millrace does not mail it.
        </Text>
      </form>
      {invite.isError && <ErrorNote title="The invitation was not created" error={invite.error} />}
      {invite.data && (
        <ShownOnce
          title={`Invitation${invite.data.email ? ` for ${invite.data.email}` : ''} as ${invite.data.role}`}
          secret={invite.data.url}
          onDone={invite.reset}
        />
      )}
      {invitations.isError && <ErrorNote title="The invitations could not be loaded" error={invitations.error} />}
      {invitations.data && invitations.data.items.length > 0 && (
        <div className={tables.frame}>
          <Table verticalSpacing={8} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>For</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Expires</Table.Th>
                <Table.Th aria-label="Revoke" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {invitations.data.items.map((invitation) => (
                <Table.Tr key={invitation.id}>
                  <Table.Td>{invitation.email ?? <span className={tables.dim}>Anyone with the link</span>}</Table.Td>
                  <Table.Td>{invitation.role}</Table.Td>
                  <Table.Td className={tables.dim}>
                    <RelativeTime at={invitation.expiresAt} />
                  </Table.Td>
                  <Table.Td className={tables.actions}>
                    <Button size="xs" variant="subtle" color="gray" onClick={() => revoke(invitation)}>
                      Revoke
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  )
}

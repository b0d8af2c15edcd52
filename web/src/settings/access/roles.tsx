// The roles, and those that owners make.
import { ActionIcon, Button, Group, Modal, Skeleton, Stack, Table, TextInput, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ROLE_NAME, type Scope, scopeWords } from '../../../../src/base/scopes.ts'
import { api } from '../../api/api-client.ts'
import type { Role } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import tables from '../../ui/table.module.css'
import { ScopeChoice } from './scope-choice.tsx'

const NEW: Role = { name: '', scopes: [], builtIn: false }

export function Roles() {
  const roles = useQuery(queries.roles)
  const [edited, setEdited] = useState<Role | null>(null)
  if (roles.isPending) return <Skeleton height={120} />
  if (roles.isError) return <ErrorNote title="The roles could not be loaded" error={roles.error} />
  return (
    <Stack gap="md" align="flex-start">
      <div className={tables.frame} style={{ width: '100%' }}>
        <Table verticalSpacing={8} horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Role</Table.Th>
              <Table.Th>Scopes</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {roles.data.map((role) => (
              <Table.Tr key={role.name}>
                <Table.Td>
                  <span className={tables.name}>{role.name}</span>
                </Table.Td>
                <Table.Td className={tables.dim}>{scopeWords(role.scopes)}</Table.Td>
                <Table.Td className={tables.actions}>
                  {!role.builtIn && <Actions role={role} onEdit={() => setEdited(role)} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setEdited(NEW)}>
        New role
      </Button>
      {edited && <RoleDialog key={edited.name} role={edited} onClose={() => setEdited(null)} />}
    </Stack>
  )
}

function Actions({ role, onEdit }: { role: Role; onEdit: () => void }) {
  const queryClient = useQueryClient()
  const remove = async () => {
    await api.delete(`/roles/${role.name}`)
    await queryClient.invalidateQueries({ queryKey: keys.roles })
    notifyDone(`The role “${role.name}” is deleted.`)
  }
  return (
    <>
      <Tooltip label="Change scopes">
        <ActionIcon aria-label={`Change the scopes of ${role.name}`} onClick={onEdit}>
          <IconPencil size={15} />
        </ActionIcon>
      </Tooltip>
      <ConfirmPopover
        title={`Delete the role “${role.name}”?`}
        confirm="Delete role"
        onConfirm={remove}
        target={(ask) => (
          <Tooltip label="Delete">
            <ActionIcon aria-label={`Delete the role ${role.name}`} onClick={ask}>
              <IconTrash size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      >
        Only a role that nobody has can be deleted.
      </ConfirmPopover>
    </>
  )
}

function RoleDialog({ role, onClose }: { role: Role; onClose: () => void }) {
  const queryClient = useQueryClient()
  const isNew = role.name === ''
  const [name, setName] = useState(role.name)
  const [scopes, setScopes] = useState<Scope[]>(role.scopes)
  const save = useMutation({
    mutationFn: () =>
      isNew ? api.post<Role>('/roles', { name, scopes }) : api.put<Role>(`/roles/${role.name}`, { scopes }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keys.roles })
      notifyDone(`The role “${name}” is saved.`)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={isNew ? 'New role' : `Scopes of “${role.name}”`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {isNew && (
            <TextInput
              label="Name"
              description="Small letters, digits and -."
              required
              pattern={ROLE_NAME}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <ScopeChoice value={scopes} onChange={setScopes} />
          {save.isError && <ErrorNote title="The role was not saved" error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={scopes.length === 0}>
              Save role
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

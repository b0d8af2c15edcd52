import { ActionIcon, Select, Skeleton, Table, Text, Tooltip } from '@mantine/core'
import { IconLogout, IconShieldOff, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { ListedUser } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import tables from '../../ui/table.module.css'
import { RelativeTime } from '../../ui/time.tsx'
import { Invitations } from '../invitations.tsx'
import { useRoleChoices } from '../roles.ts'
import { SettingsPage, SettingsPart } from '../section.tsx'
import { TwoFactorRule } from '../two-factor-rule.tsx'
import { Roles } from './roles.tsx'

export function UsersPage() {
  const users = useQuery(queries.users)
  return (
    <SettingsPage title="Users" lead="Who can sign in, and what they can do." wide>
      {users.isPending && <Skeleton height={120} />}
      {users.isError && (
        <ErrorNote
          title="The users could not be loaded"
          error={users.error}
          onRetry={() => void users.refetch({ cancelRefetch: true })}
        />
      )}
      {users.data && (
        <div className={tables.frame}>
          <Table verticalSpacing={8} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>E-mail</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Last sign-in</Table.Th>
                <Table.Th>Two-factor</Table.Th>
                <Table.Th aria-label="Actions" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {users.data.map((user) => (
                <UserRow key={user.id} user={user} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <SettingsPart title="Roles">
        <Roles />
      </SettingsPart>
      <SettingsPart title="Two-factor sign-in">
        <TwoFactorRule />
      </SettingsPart>
      <SettingsPart title="Invitations">
        <Invitations />
      </SettingsPart>
    </SettingsPage>
  )
}

function UserRow({ user }: { user: ListedUser }) {
  const queryClient = useQueryClient()
  const isYou = useUser()?.id === user.id
  const roles = useRoleChoices()
  const [error, setError] = useState<unknown>(null)
  const changed = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.users }),
      isYou ? queryClient.invalidateQueries({ queryKey: keys.authState }) : null,
    ])
  const setRole = async (role: string) => {
    setError(null)
    try {
      await api.put(`/users/${user.id}`, { role })
      await changed()
      notifyDone(`${user.name} is now ${role}.`)
    } catch (caught) {
      setError(caught)
    }
  }
  const resetFactor = async () => {
    await api.delete(`/users/${user.id}/second-factor`)
    await changed()
    notifyDone(`${user.name} has no second factor any more.`)
  }
  const endSessions = async () => {
    await api.delete(`/users/${user.id}/sessions`)
    await changed()
    notifyDone(`${user.name} is signed out everywhere.`)
  }
  const remove = async () => {
    await api.delete(`/users/${user.id}`)
    await changed()
    notifyDone(`${user.name} is removed.`)
  }
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <span className={tables.name}>{user.name}</span>{' '}
          {isYou && (
            <Text component="span" size="xs" c="dimmed">
              you
            </Text>
          )}
        </Table.Td>
        <Table.Td className={tables.cut} title={user.email}>
          {user.email}
        </Table.Td>
        <Table.Td>
          <Select
            aria-label={`Role of ${user.name}`}
            w={150}
            data={roles}
            value={user.role}
            onChange={(role) => role && void setRole(role)}
          />
        </Table.Td>
        <Table.Td className={tables.dim}>
          {user.lastSignInAt ? <RelativeTime at={user.lastSignInAt} /> : 'Never'}
        </Table.Td>
        <Table.Td className={tables.dim}>
          {user.twoFactor ? 'On' : 'Off'}
          {user.breakGlass && ', break-glass'}
        </Table.Td>
        <Table.Td className={tables.actions}>
          {user.twoFactor && (
            <ConfirmPopover
              title={`Reset the second factor of ${user.name}?`}
              confirm="Reset second factor"
              onConfirm={resetFactor}
              target={(ask) => (
                <Tooltip label="Reset second factor">
                  <ActionIcon aria-label={`Reset the second factor of ${user.name}`} onClick={ask}>
                    <IconShieldOff size={15} />
                  </ActionIcon>
                </Tooltip>
              )}
            >
              For somebody who has lost the app and the recovery codes. Until they set up another, the password alone
              lets them in. They are signed out at once.
            </ConfirmPopover>
          )}
          <ConfirmPopover
            title={`Sign ${user.name} out everywhere?`}
            confirm="Sign out everywhere"
            onConfirm={endSessions}
            target={(ask) => (
              <Tooltip label="Sign out everywhere">
                <ActionIcon aria-label={`Sign ${user.name} out everywhere`} onClick={ask}>
                  <IconLogout size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          >
            {isYou
              ? 'All your sessions end at once, also this one.'
              : 'All their sessions end at once. They can sign in again.'}
          </ConfirmPopover>
          <ConfirmPopover
            title={`Remove ${user.name}?`}
            confirm="Remove user"
            onConfirm={remove}
            target={(ask) => (
              <Tooltip label="Remove">
                <ActionIcon aria-label={`Remove ${user.name}`} onClick={ask}>
                  <IconTrash size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          >
            {isYou ? 'You are signed out at once. ' : 'They are signed out at once. '}
            Their tokens, what those made, and their invitations stop working. Their flows, connections and entries in
            the audit log stay.
          </ConfirmPopover>
        </Table.Td>
      </Table.Tr>
      {error !== null && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <ErrorNote title="The role was not changed" error={error} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

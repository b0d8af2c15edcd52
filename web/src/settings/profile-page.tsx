import { Button, PasswordInput, SegmentedControl, Stack, useMantineColorScheme } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { NewPassword } from '../account/new-password.tsx'
import { passwordStrength } from '../account/password-strength.ts'
import { LinkedAccounts } from '../account/security/linked-accounts.tsx'
import { SessionList } from '../account/security/session-list.tsx'
import { TwoFactorStatus } from '../account/security/two-factor-status.tsx'
import { api } from '../api/api-client.ts'
import { queries } from '../api/queries.ts'
import { useUser } from '../api/session.ts'
import { signInQueries } from '../api/sign-in-queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { notifyDone } from '../ui/notify.tsx'
import { SettingsPage, SettingsPart } from './section.tsx'

export function ProfilePage() {
  const user = useUser()
  const providers = useQuery(queries.authState).data?.providers ?? []
  const twoFactor = useQuery(signInQueries.twoFactor)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SettingsPage title="Profile">
      <Facts
        facts={[
          ['Name', user?.name],
          ['E-mail', user?.email],
          ['Role', user?.role],
        ]}
      />
      <SettingsPart title="Theme">
        <SegmentedControl
          aria-label="Theme"
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
          data={[
            { value: 'auto', label: 'Same as the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </SettingsPart>
      {twoFactor.data?.available !== false && (
        <SettingsPart title="Password">
          <PasswordForm email={user?.email ?? ''} />
        </SettingsPart>
      )}
      <SettingsPart title="Two-factor sign-in">
        <TwoFactorStatus />
      </SettingsPart>
      {providers.length > 0 && (
        <SettingsPart title="Linked accounts">
          <LinkedAccounts providers={providers} />
        </SettingsPart>
      )}
      <SettingsPart title="Sessions">
        <SessionList />
      </SettingsPart>
    </SettingsPage>
  )
}

function PasswordForm({ email }: { email: string }) {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const change = useMutation({
    mutationFn: () => api.post('/api/auth/change-password', { currentPassword, newPassword }),
    meta: { asksForCredentials: true },
    onSuccess: () => {
      setCurrent('')
      setNew('')
      notifyDone('The password is changed. You are signed out everywhere else.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={400} align="stretch">
        {/* Tells password managers whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPassword label="New password" value={newPassword} onChange={setNew} />
        {change.isError && <ErrorNote title="The password was not changed" error={change.error} />}
        <Button
          type="submit"
          style={{ alignSelf: 'flex-start' }}
          loading={change.isPending}
          disabled={currentPassword === '' || passwordStrength(newPassword).level === 0}
        >
          Change password
        </Button>
      </Stack>
    </form>
  )
}

// Your second factor: whether there is one, and how to get one, new recovery codes, or rid of it.
import { Button, Group, PasswordInput, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/api-client.ts'
import { signInKeys, signInQueries } from '../../api/sign-in-queries.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'

type Doing = 'nothing' | 'set up' | 'renew' | 'turn off'

export function TwoFactorStatus() {
  const twoFactor = useQuery(signInQueries.twoFactor)
  const queryClient = useQueryClient()
  const [doing, setDoing] = useState<Doing>('nothing')
  const [codes, setCodes] = useState<string[] | null>(null)
  const done = () => {
    setDoing('nothing')
    setCodes(null)
    void queryClient.invalidateQueries({ queryKey: signInKeys.twoFactor })
  }
  if (twoFactor.isPending) return <Skeleton height={60} />
  if (twoFactor.isError)
    return (
      <ErrorNote
        title="Your second factor could not be loaded"
        error={twoFactor.error}
        onRetry={() => void twoFactor.refetch({ cancelRefetch: true })}
      />
    )
  const { available, enabledAt, recoveryCodesLeft, required } = twoFactor.data
  if (!available)
    return (
      <Text size="sm">You sign in by single sign-on: your provider asks for a second factor where it wants one.</Text>
    )
  if (codes) return <RecoveryCodes codes={codes} done="Done" onDone={done} />
  if (doing === 'set up') return <TwoFactorSetup done="Done" onDone={done} onCancel={() => setDoing('nothing')} />
  if (enabledAt === null)
    return (
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Off. With it, signing in takes a code of an app on your phone besides your password.</Text>
        <Button onClick={() => setDoing('set up')}>Set up two-factor sign-in</Button>
      </Stack>
    )
  return (
    <Stack gap="sm">
      <Text size="sm">
        On since {formatMoment(Date.parse(enabledAt))}. {recoveryCodesLeft} of 10 recovery codes are left.
        {required && ' Your role needs it, so it cannot be turned off.'}
      </Text>
      {doing === 'nothing' ? (
        <Group gap="xs">
          <Button variant="default" onClick={() => setDoing('renew')}>
            New recovery codes
          </Button>
          {!required && (
            <Button variant="subtle" color="red" onClick={() => setDoing('turn off')}>
              Turn off
            </Button>
          )}
        </Group>
      ) : (
        <WithPassword doing={doing} onCodes={setCodes} onDone={done} />
      )}
    </Stack>
  )
}

interface WithPasswordProps {
  doing: 'renew' | 'turn off'
  onCodes: (codes: string[]) => void
  onDone: () => void
}

function WithPassword({ doing, onCodes, onDone }: WithPasswordProps) {
  const [password, setPassword] = useState('')
  const act = useMutation({
    mutationFn: async () => {
      if (doing === 'renew')
        return api.post<{ recoveryCodes: string[] }>('/api/auth/two-factor/recovery-codes', { password })
      await api.post('/api/auth/two-factor/off', { password })
      return null
    },
    onSuccess: (renewed) => {
      if (renewed) return onCodes(renewed.recoveryCodes)
      notifyDone('Two-factor sign-in is off.')
      return onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={400}>
        <PasswordInput
          label="Your password"
          description={doing === 'renew' ? 'The former codes stop working.' : undefined}
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {act.isError && <ErrorNote error={act.error} />}
        <Group gap="xs">
          <Button
            type="submit"
            color={doing === 'renew' ? undefined : 'red'}
            loading={act.isPending}
            disabled={password === ''}
          >
            {doing === 'renew' ? 'Make new codes' : 'Turn off two-factor sign-in'}
          </Button>
          <Button variant="subtle" color="gray" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

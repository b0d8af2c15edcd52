// Your sessions: in which browsers you are signed in.
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/api-client.ts'
import { type OwnSession, signInKeys, signInQueries } from '../../api/sign-in-queries.ts'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import classes from './security.module.css'

export function SessionList() {
  const sessions = useQuery(signInQueries.sessions)
  const queryClient = useQueryClient()
  const changed = () => queryClient.invalidateQueries({ queryKey: signInKeys.sessions })
  if (sessions.isPending) return <Skeleton height={80} />
  if (sessions.isError)
    return (
      <ErrorNote
        title="Your sessions could not be loaded"
        error={sessions.error}
        onRetry={() => void sessions.refetch({ cancelRefetch: true })}
      />
    )
  const { items } = sessions.data
  const endOthers = async () => {
    const { ended } = await api.post<{ ended: number }>('/api/auth/sessions/end-others')
    await changed()
    notifyDone(ended === 1 ? 'One other session has ended.' : `${ended} other sessions have ended.`)
  }
  return (
    <Stack gap="sm" align="stretch">
      <ul className={classes.list} aria-label="Your sessions">
        {items.map((session) => (
          <SessionRow key={session.id} session={session} onEnded={changed} />
        ))}
      </ul>
      {items.length > 1 && (
        <Group>
          <ConfirmPopover
            title="Sign out everywhere else?"
            confirm="Sign out everywhere else"
            position="bottom-start"
            onConfirm={endOthers}
            target={(ask) => (
              <Button variant="default" onClick={ask}>
                Sign out everywhere else
              </Button>
            )}
          >
            All your sessions but this one end at once.
          </ConfirmPopover>
        </Group>
      )}
    </Stack>
  )
}

function SessionRow({ session, onEnded }: { session: OwnSession; onEnded: () => Promise<void> }) {
  const { id, current, device, address, provider, createdAt, lastUsedAt } = session
  const end = useMutation({ mutationFn: () => api.delete(`/api/auth/sessions/${id}`), onSuccess: onEnded })
  const name = device ?? 'Unknown browser'
  return (
    <li className={classes.row}>
      <div>
        <Text fw={500} size="sm">
          {name}
          {current && (
            <Text component="span" size="xs" c="dimmed" ml={8}>
              this browser
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {address && `${address} · `}
          {provider ? `signed in by ${provider}` : 'signed in'} <RelativeTime at={createdAt} /> · last used{' '}
          <RelativeTime at={lastUsedAt} />
        </Text>
        {end.isError && <ErrorNote error={end.error} />}
      </div>
      {!current && (
        <Button
          variant="subtle"
          color="gray"
          aria-label={`Sign out of ${name}`}
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          Sign out
        </Button>
      )}
    </li>
  )
}

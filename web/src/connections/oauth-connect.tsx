// Sends somebody to the provider in a window of its own, and sees what comes of it.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/api-client.ts'
import type { Connection } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'

const LOOK_EVERY_MS = 2000
/** After this nobody is at the provider's page any more. */
const GIVE_UP_MS = 10 * 60_000

/** What the last page of the way says to the one that opened it. */
interface Authorization {
  type: 'millrace:authorization'
  connection: string | null
  problem: string | null
}

export function OAuthConnect({ connection }: { connection: Connection }) {
  const { name, state } = connection
  const queryClient = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const [waiting, setWaiting] = useState(false)
  const popup = useRef<Window | null>(null)
  const isConnected = state === 'ready'

  useEffect(() => {
    if (!waiting) return
    const look = () => void queryClient.invalidateQueries({ queryKey: keys.connection(name) })
    // The provider may cut the tie between the windows; so both are done: listening, and looking.
    const onMessage = ({ origin, data }: MessageEvent<Authorization | null>) => {
      if (origin !== location.origin || data?.type !== 'millrace:authorization' || data.connection !== name) return
      setWaiting(false)
      if (data.problem !== null) setError(new Error(data.problem))
      look()
      void queryClient.invalidateQueries({ queryKey: queries.connections.queryKey })
    }
    window.addEventListener('message', onMessage)
    const looking = setInterval(look, LOOK_EVERY_MS)
    const givingUp = setTimeout(() => setWaiting(false), GIVE_UP_MS)
    return () => {
      window.removeEventListener('message', onMessage)
      clearInterval(looking)
      clearTimeout(givingUp)
    }
  }, [waiting, name, queryClient])

  const connect = async () => {
    setError(null)
    // Opened by the click itself: later the browser would take it for an advertisement.
    popup.current = window.open('about:blank', 'millrace-oauth', 'width=560,height=720')
    try {
      const { url } = await api.post<{ url: string }>(`/connections/${name}/authorize`)
      if (!popup.current) throw new Error('The browser blocked the window. Allow pop-ups for this page and try again.')
      popup.current.location.href = url
      setWaiting(true)
    } catch (caught) {
      popup.current?.close()
      setError(caught)
    }
  }

  return (
    <Stack gap="xs">
      {error !== null && <ErrorNote title="The connection failed" error={error} />}
      {waiting && !isConnected ? (
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            Waiting for the provider's page…
          </Text>
          <Button size="xs" variant="default" onClick={() => setWaiting(false)}>
            Stop waiting
          </Button>
        </Group>
      ) : (
        <Group>
          <Button variant={isConnected ? 'default' : 'filled'} onClick={connect}>
            {isConnected ? 'Connect again' : 'Connect'}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

// A page that could not be shown says so in words; the rest of the frame goes on.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError, Unreachable } from '../api/api-client.ts'
import { messageOf } from '../ui/error-note.tsx'

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOurs = !(error instanceof ApiError || error instanceof Unreachable)
  useEffect(() => {
    if (isOurs) console.error(error)
  }, [error, isOurs])
  const again = async () => {
    await router.invalidate()
    reset()
  }
  return (
    <Stack align="center" justify="center" gap="sm" h="100%" mih={320} p="xl" ta="center" role="alert">
      <Title order={1}>{isOurs ? 'Something went wrong on this page' : 'This page could not be loaded'}</Title>
      <Text c="dimmed" maw={480}>
        {messageOf(error)}
      </Text>
      {isOurs && (
        <Text c="dimmed" maw={480}>
          The server lost nothing. Reload the page; if the error appears again, report it with the message above.
        </Text>
      )}
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button variant="default" onClick={() => location.assign('/')}>
          Back to the start page
        </Button>
      </Group>
    </Stack>
  )
}

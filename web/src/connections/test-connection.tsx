// Tries the credentials of a connection on a URL of the person's choice.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api-client.ts'
import type { Connection, ConnectionTest } from '../api/api-types.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { type Status, StatusDot } from '../ui/status.tsx'

interface TestConnectionProps {
  connection: Connection
  onTested: () => void
}

export function TestConnection({ connection: { name, hosts }, onTested }: TestConnectionProps) {
  const host = hosts.find((one) => !one.startsWith('*'))
  const [url, setUrl] = useState(host ? `https://${host}/` : '')
  const test = useMutation({
    mutationFn: () => api.post<ConnectionTest>(`/connections/${name}/test`, { url }),
    onSuccess: onTested,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          label="URL"
          description="An address of the API that only answers with credentials, such as your own account. It gets a GET request."
          placeholder="https://api.example.com/me"
          type="url"
          required
          value={url}
          onChange={({ currentTarget }) => {
            test.reset()
            setUrl(currentTarget.value)
          }}
          autoComplete="off"
          spellCheck={false}
        />
        <Group>
          <Button type="submit" variant="default" loading={test.isPending}>
            Test connection
          </Button>
        </Group>
        <div role="status">{test.data && <Result test={test.data} />}</div>
        {test.isError && <ErrorNote title="The connection was not tested" error={test.error} />}
      </Stack>
    </form>
  )
}

const WORDS: Record<ConnectionTest['verdict'], string> = {
  accepted: 'Accepted',
  refused: 'Refused',
  unproven: 'Not proven',
  unreachable: 'No reply',
}
const DOTS: Record<ConnectionTest['verdict'], Status> = {
  accepted: 'succeeded',
  refused: 'failed',
  unproven: 'waiting',
  unreachable: 'failed',
}

function Result({ test: { verdict, status, message, durationMs } }: { test: ConnectionTest }) {
  return (
    <Stack gap={4}>
      <StatusDot
        status={DOTS[verdict]}
        word={`${WORDS[verdict]}${status === null ? '' : ` · ${status} · ${durationMs} ms`}`}
      />
      <Text size="sm">{message}</Text>
    </Stack>
  )
}

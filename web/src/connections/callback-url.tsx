import { Code, Group, Input } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../api/queries.ts'
import { CopyButton } from '../ui/copy-button.tsx'

/** What the provider has to know of us before anybody can be sent there. */
export function CallbackUrl() {
  const settings = useQuery(queries.settings)
  if (!settings.data) return null
  const url = `${settings.data.baseUrl}/api/v1/oauth/callback`
  return (
    <Input.Wrapper
      label="Redirect URL"
      description="Enter this at the provider, where it asks for allowed redirect URLs."
    >
      <Group gap={4} mt={4} wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere' }}>{url}</Code>
        <CopyButton value={url} label="Copy redirect URL" />
      </Group>
    </Input.Wrapper>
  )
}

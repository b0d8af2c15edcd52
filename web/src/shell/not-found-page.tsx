import { Button, Stack, Text, Title } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'

export function NotFoundPage() {
  const { pathname } = useLocation()
  return (
    <Stack align="center" justify="center" gap="sm" h="100%" mih={320} p="xl" ta="center">
      <Title order={1}>Page not found</Title>
      <Text c="dimmed" maw={480} style={{ overflowWrap: 'anywhere' }}>
        No page has the address {pathname}. It may have been deleted, or the link is incomplete.
      </Text>
      <Button component={Link} to="/flows">
        Go to flows
      </Button>
    </Stack>
  )
}

import { Button, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../ui/copy-button.tsx'
import classes from './shown-once.module.css'

interface ShownOnceProps {
  title: string
  secret: string
  onDone: () => void
}

/** A secret that the service keeps only hashed: who does not copy it now makes a new one. */
export function ShownOnce({ title, secret, onDone }: ShownOnceProps) {
  return (
    <Stack gap={8} className={classes.box} role="status">
      <Text fw={500}>{title}</Text>
      <Text size="sm">Copy it now: it is shown only once.</Text>
      <code className={classes.secret}>{secret}</code>
      <Group gap="xs">
        <CopyButton value={secret} label="Copy" withLabel />
        <Button variant="subtle" color="gray" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}

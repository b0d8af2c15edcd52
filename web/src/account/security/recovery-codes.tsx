import { Button, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import classes from './security.module.css'

/** The codes for the day when the app is gone. The service keeps them hashed, so this is the only time they are seen. */
export function RecoveryCodes({ codes, done, onDone }: { codes: string[]; done: string; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap="sm" role="status">
      <Text size="sm">
        Keep these recovery codes where you find them without your phone. Each works once in place of a code of the app.
        They are shown only now.
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton value={text} label="Copy" withLabel />
        <Button variant="default" onClick={() => download('millrace-recovery-codes.txt', text, 'text/plain')}>
          Download
        </Button>
        <Button onClick={onDone}>{done}</Button>
      </Group>
    </Stack>
  )
}

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './incoming.module.css'

/** How steps before a wait write its URL. */
export function UrlHint({ step, children }: { step: string; children: ReactNode }) {
  const template = `{{ callbacks.${step}.url }}`
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {children}
      </Text>
      <div className={classes.url}>
        <code>{template}</code>
        <CopyButton value={template} label="Copy what stands for the URL" size="xs" />
      </div>
    </div>
  )
}

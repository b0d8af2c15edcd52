import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyLine } from '../../ui/copy-line.tsx'

/** How steps before a wait write its URL. */
export function UrlHint({ step, children }: { step: string; children: ReactNode }) {
  const template = `{{ callbacks.${step}.url }}`
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {children}
      </Text>
      <CopyLine value={template} label="Copy what stands for the URL" whole />
    </div>
  )
}

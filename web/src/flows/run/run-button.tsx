// The way to run a flow that no webhook starts, on each of its pages.
import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { Flow } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'

const RunDialog = lazy(() => import('./run-dialog.tsx'))

export function RunButton({ flow }: { flow: Flow }) {
  const mayWrite = useMay('runs:replay')
  const [open, setOpen] = useState(false)
  if (!mayWrite || !flow.published || flow.trigger === null || flow.trigger === 'webhook') return null
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPlay size={15} />} onClick={() => setOpen(true)}>
        Run now
      </Button>
      {open && (
        <Suspense>
          <RunDialog flow={flow} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

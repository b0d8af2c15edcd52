// Data that is too large to come along with what it belongs to: fetched when somebody asks for it, or kept as a file.
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { DataTree } from './data-tree.tsx'
import { type FetchedData, fetchLarge } from './fetch-large.ts'
import classes from './large-data.module.css'

interface LargeDataProps {
  url: string
  path: string
  label: string
}

export function LargeData({ url, path, label }: LargeDataProps) {
  const [fetched, setFetched] = useState<FetchedData | null>(null)
  const [busy, setBusy] = useState(false)
  if (fetched && 'value' in fetched) return <DataTree value={fetched.value} path={path} label={label} />
  const show = async () => {
    setBusy(true)
    setFetched(await fetchLarge(url))
    setBusy(false)
  }
  return (
    <div className={classes.large}>
      <p>{fetched ? fetched.problem : 'This is large, and did not come along.'}</p>
      <div className={classes.actions}>
        {!fetched && (
          <Button size="xs" variant="default" loading={busy} onClick={() => void show()}>
            Show it
          </Button>
        )}
        <Anchor href={url} download size="sm">
          Download it
        </Anchor>
      </div>
    </div>
  )
}

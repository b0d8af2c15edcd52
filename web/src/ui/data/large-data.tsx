// Data that is too large to come along with what it belongs to: fetched when somebody asks for it, or kept as a file.
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { formatBytes } from '../format.ts'
import { DataTree } from './data-tree.tsx'
import classes from './large-data.module.css'

/** A tree of more would take the browser too long. */
const LARGEST_SHOWN = 2 * 1024 * 1024

interface LargeDataProps {
  url: string
  path: string
  label: string
}

export function LargeData({ url, path, label }: LargeDataProps) {
  const [fetched, setFetched] = useState<{ value: unknown } | { problem: string } | null>(null)
  const [busy, setBusy] = useState(false)
  if (fetched && 'value' in fetched) return <DataTree value={fetched.value} path={path} label={label} />
  const show = async () => {
    setBusy(true)
    setFetched(await fetchData(url))
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

async function fetchData(url: string): Promise<{ value: unknown } | { problem: string }> {
  try {
    const response = await fetch(url, { credentials: 'same-origin' })
    if (!response.ok) return { problem: 'It could not be fetched. It may have been deleted since.' }
    const size = Number(response.headers.get('content-length') ?? 0)
    if (size > LARGEST_SHOWN) {
      await response.body?.cancel()
      return { problem: `It has ${formatBytes(size)}, which is too much to be shown here.` }
    }
    const text = await response.text()
    return { value: readData(text) }
  } catch {
    return { problem: 'Millrace is not responding. Check that it runs, and try again.' }
  }
}

/** Whatever is no JSON is shown as text. */
function readData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

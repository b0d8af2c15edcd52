import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Flow, Version } from '../../api/api-types.ts'
import { keys, queries } from '../../api/queries.ts'
import { diffFlows } from '../../flow-model/diff-flows.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyFailure } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { ChangeList } from './change-list.tsx'
import classes from './publish.module.css'
import { useVersion } from './use-live-version.ts'

export function VersionList() {
  const { flow } = useEditor()
  const versions = useQuery(queries.versions(flow.id))
  const [compared, setCompared] = useState<number | null>(null)
  if (versions.isError) return <ErrorNote title="The versions could not be read" error={versions.error} />
  if (!versions.data) return <Skeleton height={80} />
  return (
    <div>
      {versions.data.map((version) => (
        <div key={version.version}>
          <VersionRow
            version={version}
            compared={compared === version.version}
            onCompare={() => setCompared(compared === version.version ? null : version.version)}
          />
          {compared === version.version && <Compared version={version.version} />}
        </div>
      ))}
    </div>
  )
}

interface VersionRowProps {
  version: Version
  compared: boolean
  onCompare: () => void
}

function VersionRow({ version: { version, publishedAt, publishedBy }, compared, onCompare }: VersionRowProps) {
  const { flow, editor, readOnly, setNotice } = useEditor()
  const queryClient = useQueryClient()
  const restore = async () => {
    try {
      await editor.flush()
      const restored = await api.post<Flow>(`/flows/${flow.id}/versions/${version}/restore`)
      queryClient.setQueryData(keys.flow(flow.id), restored)
      editor.adopt(restored, `Restore version ${version}`)
      setNotice({ message: `The draft is version ${version} now`, undo: () => editor.undo() })
    } catch (error) {
      notifyFailure(`Version ${version} could not be restored`, error)
    }
  }
  return (
    <div className={classes.version}>
      <span>v{version}</span>
      <span>
        <RelativeTime at={publishedAt} /> by {publishedBy}
        {flow.published?.version === version ? ' · live' : ''}
      </span>
      <Button size="xs" variant="subtle" aria-expanded={compared} onClick={onCompare}>
        {compared ? 'Hide' : 'Compare'}
      </Button>
      <Button size="xs" variant="subtle" disabled={readOnly} onClick={() => void restore()}>
        Restore
      </Button>
    </div>
  )
}

function Compared({ version }: { version: number }) {
  const { flow, document } = useEditor()
  const query = useVersion(flow.id, version)
  if (query.isError) return <ErrorNote error={query.error} />
  if (!query.data) return <Skeleton height={60} />
  return (
    <div className={classes.compared}>
      <ChangeList changes={diffFlows(query.data.document, document)} />
    </div>
  )
}

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/api-client.ts'
import type { Flow, Version } from '../../api/api-types.ts'
import { queries } from '../../api/queries.ts'
import type { EditedFlow } from '../../flow-model/flow-tree.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyFailure } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { ChangeList } from './change-list.tsx'
import classes from './publish.module.css'
import { useChanges, useVersion } from './use-live-version.ts'

interface VersionListProps {
  flow: Flow
  /** What each version is compared with. */
  document: EditedFlow
  readOnly: boolean
  /** What has to be done before a draft is replaced. */
  beforeRestore?: () => Promise<unknown>
  onRestored: (flow: Flow, version: number) => void
}

export function VersionList(props: VersionListProps) {
  const { flow, document } = props
  const versions = useQuery(queries.versions(flow.id))
  const [compared, setCompared] = useState<number | null>(null)
  if (versions.isError) return <ErrorNote title="The versions could not be read" error={versions.error} />
  if (!versions.data) return <Skeleton height={80} />
  return (
    <div>
      {versions.data.map((version) => (
        <div key={version.version}>
          <VersionRow
            {...props}
            version={version}
            compared={compared === version.version}
            onCompare={() => setCompared(compared === version.version ? null : version.version)}
          />
          {compared === version.version && <Compared flow={flow} document={document} version={version.version} />}
        </div>
      ))}
    </div>
  )
}

interface VersionRowProps extends VersionListProps {
  version: Version
  compared: boolean
  onCompare: () => void
}

function VersionRow(props: VersionRowProps) {
  const { flow, readOnly, version: listed, compared, onCompare, beforeRestore, onRestored } = props
  const { version, publishedAt, publishedBy } = listed
  const restore = async () => {
    try {
      await beforeRestore?.()
      onRestored(await api.post<Flow>(`/flows/${flow.id}/versions/${version}/restore`), version)
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

function Compared({ flow, document, version }: Pick<VersionListProps, 'flow' | 'document'> & { version: number }) {
  const query = useVersion(flow.id, version)
  const changes = useChanges(query.data?.document, document)
  if (query.isError) return <ErrorNote error={query.error} />
  if (!changes) return <Skeleton height={60} />
  return (
    <div className={classes.compared}>
      <ChangeList changes={changes} />
    </div>
  )
}

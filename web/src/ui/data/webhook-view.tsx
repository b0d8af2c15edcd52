// What a webhook request brought, as it came: everything is shown as text, nothing of it is ever rendered.
import { Tabs } from '@mantine/core'
import { useState } from 'react'
import type { Webhook } from '../../api/api-types.ts'
import { formatBytes } from '../format.ts'
import { DataTree } from './data-tree.tsx'
import { LargeData } from './large-data.tsx'
import classes from './webhook-view.module.css'

type Part = 'body' | 'files' | 'headers' | 'query' | 'raw'

interface WebhookViewProps {
  webhook: Webhook
  /** Where a body is that is too large to come along. */
  bodyUrl: string
  /** Of a rejected delivery no body is kept. */
  bodyKept?: boolean
  /** What is looked at first. */
  opensOn?: Part
}

export function WebhookView({ webhook, bodyUrl, bodyKept = true, opensOn = 'body' }: WebhookViewProps) {
  const [part, setPart] = useState<Part>(opensOn)
  const queries = Object.values(webhook.queryAll).flat().length
  const files = [webhook.file ?? Object.values(webhook.files ?? {})].flat(2)
  if (webhook.dataDeleted)
    return <p className={classes.none}>The data of this delivery was deleted, as the flow says.</p>
  return (
    <>
      <Tabs value={part} onChange={(value) => value && setPart(value as Part)} className={classes.tabs}>
        <Tabs.List>
          <Tabs.Tab value="body">Body</Tabs.Tab>
          {files.length > 0 && <Tabs.Tab value="files">Files {files.length}</Tabs.Tab>}
          <Tabs.Tab value="headers">Headers {Object.keys(webhook.headers).length}</Tabs.Tab>
          <Tabs.Tab value="query">Query {queries}</Tabs.Tab>
          {bodyKept && <Tabs.Tab value="raw">Original request</Tabs.Tab>}
        </Tabs.List>
      </Tabs>
      {part === 'body' &&
        (webhook.bodyOmitted ? (
          <LargeData url={bodyUrl} path="webhook.body" label="Body" />
        ) : bodyKept ? (
          <DataTree value={webhook.body} path="webhook.body" label="Body" />
        ) : (
          <p className={classes.none}>The body of a rejected delivery is not kept.</p>
        ))}
      {part === 'files' &&
        (webhook.file ? (
          <DataTree value={webhook.file} path="webhook.file" label="File" />
        ) : (
          <DataTree value={webhook.files} path="webhook.files" label="Files" />
        ))}
      {part === 'headers' && <DataTree value={webhook.headers} path="webhook.headers" label="Headers" />}
      {part === 'query' &&
        (queries === 0 ? (
          <p className={classes.none}>The URL had no query.</p>
        ) : (
          <DataTree value={webhook.queryAll} path="webhook.queryAll" label="Query" />
        ))}
      {part === 'raw' &&
        (webhook.bodyOmitted ? (
          <LargeData url={bodyUrl} path="webhook.rawBody" label="Original body" />
        ) : webhook.rawBody === '' ? (
          <p className={classes.none}>{webhook.file ? 'The body is the file.' : 'The body was empty.'}</p>
        ) : (
          <>
            <p className={classes.none}>
              {formatBytes(new Blob([webhook.rawBody]).size)}, before it was read as anything.
            </p>
            <DataTree value={webhook.rawBody} path="webhook.rawBody" label="Original body" />
          </>
        ))}
    </>
  )
}

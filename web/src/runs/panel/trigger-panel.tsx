// What the webhook brought to a run, and the variables it ended with.

import { IconWebhook } from '@tabler/icons-react'
import { urlOf } from '../../api/api-client.ts'
import type { Run } from '../../api/api-types.ts'
import { DataTree } from '../../ui/data/data-tree.tsx'
import { WebhookView } from '../../ui/data/webhook-view.tsx'
import { formatMoment } from '../../ui/format.ts'
import classes from './panel.module.css'
import { PanelHead } from './panel-head.tsx'
import { DATA_DELETED } from './step-data.tsx'

const TITLES: Record<string, string> = { webhook: 'Webhook', schedule: 'Schedule', call: 'Call' }

export function TriggerPanel({ run }: { run: Run }) {
  const metadata = (run.webhook?.metadata ?? {}) as { receivedAt?: string; ip?: string }
  const given = run.schedule ?? run.input
  const vars = Object.keys(run.vars).length
  return (
    <>
      <PanelHead
        icon={<IconWebhook size={17} aria-hidden="true" />}
        title={TITLES[run.trigger.kind]!}
        what="what started the run"
      />
      <div className={classes.scroll}>
        <dl className={classes.facts}>
          {metadata.receivedAt && (
            <div>
              <dt>Received</dt>
              <dd>{formatMoment(Date.parse(metadata.receivedAt))}</dd>
            </div>
          )}
          {metadata.ip && (
            <div>
              <dt>From</dt>
              <dd>{metadata.ip}</dd>
            </div>
          )}
        </dl>
        {run.dataDeleted && <p className={classes.none}>{DATA_DELETED}</p>}
        {run.webhook && <WebhookView webhook={run.webhook} bodyUrl={urlOf(`/runs/${run.id}/body`)} />}
        {given !== undefined && (
          <DataTree
            value={given}
            path={run.schedule === undefined ? 'input' : 'schedule'}
            label="Given"
            withRaw={false}
          />
        )}
        {vars > 0 && (
          <>
            <h3 className={classes.section}>Variables</h3>
            <DataTree value={run.vars} path="vars" label="Variables" withRaw={false} />
          </>
        )}
      </div>
    </>
  )
}

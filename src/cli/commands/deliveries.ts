// `millrace deliveries …`: lists the inbox, and lets in what was rejected.
import type { Delivery, Run } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { defineCommand, flag, list, number, text } from '../command.ts'
import { labelsQuery } from '../labels-query.ts'
import { showTime } from '../terminal/show-time.ts'
import { table } from '../terminal/table.ts'
import { followRun } from './runs.ts'

export const listDeliveries = defineCommand({
  name: 'deliveries list',
  summary: 'List deliveries, newest first',
  options: {
    flow: text('flow', 'only of this flow'),
    outcome: text('outcome', 'accepted, duplicate, filtered, rejected, handshake, callback, early or repeated'),
    event: text('type', 'only of this event, such as invoice.paid'),
    label: list('name=value', 'only those whose run has this label'),
    limit: number('count', 'how many at most; 20 by default'),
  },
  examples: [['what was refused', 'millrace deliveries list --outcome rejected']],
  async run({ connect, options, show, terminal }) {
    const api = await connect()
    const query = labelsQuery(options.label)
    if (options.flow !== undefined) query.set('flow', (await findFlow(api, options.flow)).id)
    if (options.outcome !== undefined) query.set('outcome', options.outcome)
    if (options.event !== undefined) query.set('event', options.event)
    const items = await api.list<Delivery>(`/deliveries?${query.toString()}`, options.limit ?? 20)
    return show({ items }, () =>
      items.length === 0
        ? 'No deliveries match.'
        : table(
            terminal,
            ['ID', 'OUTCOME', 'RECEIVED', 'FLOW', 'EVENT', 'RUN', 'WHY'],
            items.map((one) => [
              one.id,
              one.outcome,
              showTime(one.receivedAt),
              one.flowName ?? one.flowId,
              one.event ?? '',
              one.runId ?? (one.bodyKept ? '(can be admitted)' : ''),
              one.message ?? '',
            ]),
          ),
    )
  },
})

export const admitDelivery = defineCommand({
  name: 'deliveries admit',
  summary: 'Let in a rejected delivery whose body is kept',
  args: ['<delivery>'],
  options: { wait: flag('follow the run to its end') },
  details:
    'Makes all checks again but those of who sent it, when and how often. The run and the audit log say who admitted it.',
  examples: [['let one in', 'millrace deliveries admit dlv_01m7…']],
  async run(context) {
    const { connect, args, options, show } = context
    const api = await connect()
    const id = encodeURIComponent(args[0]!)
    const { flowId } = await api.get<Delivery>(`/deliveries/${id}`)
    const run = await api.call<Run>('POST', `/flows/${flowId}/deliveries/${id}/admit`)
    if (options.wait) return followRun(context, api, run.id)
    return show(run, () => `Started ${run.id}.`)
  },
})

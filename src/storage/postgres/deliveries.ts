// Stores deliveries that started no run, on PostgreSQL: those that arrive together share one statement.
import type { DeliveryRecord, DeliveryStore } from '../../operations/ports/deliveries.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { COUNTERS, MINUTE_MS } from '../../operations/ports/stats.ts'
import { deliveryTexts } from '../rows/request-columns.ts'
import type { DeliveryTable } from '../rows/tables.ts'
import { arrays, type Columns, unnest } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool } from './database.ts'

const COLUMNS = {
  id: 'text',
  flow_id: 'text',
  outcome: 'text',
  code: 'text',
  message: 'text',
  status: 'int',
  run_id: 'text',
  request: 'text',
  raw_body: 'bytea',
  received_at: 'bigint',
  body_kept: 'int',
  sealed: 'text',
  event: 'text',
} as const satisfies Columns & Record<keyof DeliveryTable, string>

const names = Object.keys(COLUMNS).join(', ')
const INSERT = `with added as (
    insert into delivery (${names}) select ${names} from ${unnest('given', COLUMNS)} on conflict (id) do nothing
    returning flow_id, received_at, outcome)
  insert into flow_delta (flow_id, minute, counter, count)
  select flow_id, received_at / ${MINUTE_MS}, outcome, count(*) from added
  where outcome in (${COUNTERS.map((name) => `'${name}'`).join(', ')}) group by 1, 2, 3`

export function createAddDelivery(hot: HotPool, protect: Protect): DeliveryStore['add'] {
  const batches = new Batches<DeliveryTable, void>({
    lanes: 1,
    most: 200,
    send: async (rows) => {
      await hot.query({ name: 'add-deliveries', text: INSERT, values: arrays(COLUMNS, rows) })
      return rows.map(() => undefined)
    },
    onSent: () => {},
  })
  return (d) =>
    batches.add({
      id: d.id,
      flow_id: d.flowId,
      outcome: d.outcome,
      code: d.code,
      message: d.message && protect.of(d.flowId).text(d.message),
      status: d.status,
      run_id: d.runId,
      received_at: d.receivedAt,
      body_kept: d.bodyKept ? 1 : null,
      event: d.event,
      ...columnsOf(d, protect),
    })
}

function columnsOf(delivery: DeliveryRecord, protect: Protect): Pick<DeliveryTable, 'request' | 'raw_body' | 'sealed'> {
  const { request, rawBody, sealed } = deliveryTexts(delivery, protect.of(delivery.flowId))
  return { request, raw_body: Buffer.from(rawBody), sealed }
}

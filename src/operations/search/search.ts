// Finds runs, deliveries, labels and flows by a few characters, each by its index and at most a handful.
import { storedValue } from '../../flow/triggers/labels.ts'
import { type InboxEntry, inboxEntries } from '../deliveries/read-deliveries.ts'
import type { DeliveryServices } from '../deliveries/services.ts'
import type { LabelRecord, RunSummaryRecord } from '../ports/runs.ts'
import { type RunSummary, runSummary } from '../runs/read-runs.ts'
import type { RunServices } from '../runs/services.ts'

const MOST = 8
const RUN_ID = /^run_\w+$/
const DELIVERY_ID = /^dlv_\w+$/

export interface Found {
  runs: RunSummary[]
  deliveries: InboxEntry[]
  labels: { name: string; value: string; run: string }[]
  flows: { id: string; name: string; slug: string | null }[]
}

/** `parts`: what the caller may see. */
export async function search(
  services: RunServices & DeliveryServices,
  text: string,
  parts: { flows: boolean; runs: boolean },
): Promise<Found> {
  const q = text.trim()
  if (q === '') return { runs: [], deliveries: [], labels: [], flows: [] }
  const value = storedValue(q)
  const [labels, flows, delivery] = await Promise.all([
    parts.runs ? services.runs.labelsLike(value, MOST) : [],
    parts.flows ? findFlows(services, q) : [],
    parts.runs && DELIVERY_ID.test(q) ? services.deliveries.get(q, 0) : null,
  ])
  const exact = labels.filter((label) => label.value === value)
  const runs = parts.runs ? await findRuns(services, q, exact) : []
  const [names, replays] = await Promise.all([
    services.flows.names(runs.map(({ flowId }) => flowId)),
    services.runs.replaysOf(runs.map(({ id }) => id)),
  ])
  return {
    runs: runs.map(runSummary(services, names, replays)),
    deliveries: delivery ? await inboxEntries(services, [delivery]) : [],
    labels: labels.map(({ name, value: full, runId }) => ({ name, value: full, run: runId })),
    flows,
  }
}

async function findRuns(services: RunServices, q: string, labels: readonly LabelRecord[]): Promise<RunSummaryRecord[]> {
  const found = new Map<string, RunSummaryRecord>()
  const byId = RUN_ID.test(q) ? await services.runs.get(q, 0) : null
  if (byId) found.set(byId.id, byId)
  for (const { name, value } of labels) {
    const filter = { flowId: null, status: null, since: null, until: null, labels: { [name]: value } }
    for (const run of (await services.runs.list(filter, { limit: MOST, cursor: null })).items) found.set(run.id, run)
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MOST)
}

async function findFlows({ flows }: RunServices, q: string): Promise<Found['flows']> {
  const { items } = await flows.list({ limit: MOST, cursor: null }, q)
  const id = await flows.idOfSlug(q)
  const bySlug = id === null || items.some((flow) => flow.id === id) ? null : await flows.get(id)
  return [...(bySlug ? [bySlug] : []), ...items]
    .slice(0, MOST)
    .map(({ id: flowId, name, slug }) => ({ id: flowId, name, slug }))
}

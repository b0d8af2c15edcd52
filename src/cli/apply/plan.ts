// Works out what to change so that the server has the flows of a folder.

import { statSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CODE } from '../../base/error-catalogue.ts'
import { SEALED_PREFIX } from '../../base/sealed-prefix.ts'
import type { Kinds } from '../../flow/document.ts'
import { shapeIssues, validate } from '../../flow/validate/validate.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { Flow, FlowSource, StepKind, Validation } from '../client/bodies.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { type FlowFile, listFlowFiles, readFlowFile } from '../files/flow-files.ts'
import { compareDocuments } from './compare-documents.ts'

export type Action = 'create' | 'change' | 'drift' | 'exists' | 'move' | 'unchanged' | 'delete' | 'left'

export interface Item {
  action: Action
  /** In the folder. */
  path: string
  name: string
  /** null: the flow does not exist yet, or its file no longer exists. */
  flow: Flow | null
  document: unknown
  /** The revision that was applied last; null if it never was. */
  applied: number | null
  movedFrom: string | null
  before: string
  after: string
  /** Secrets in the file that cannot be compared. */
  untold: number
  publish: boolean
  warnings: string[]
}

export interface Plan {
  source: string
  items: Item[]
}

export interface PlanOptions {
  source: string | undefined
  prune: boolean
  force: boolean
  adopt: boolean
  publish: boolean
}

export async function makePlan(api: ApiClient, given: string, options: PlanOptions): Promise<Plan> {
  const isFolder = statSync(given).isDirectory()
  if (!isFolder && options.prune) throw new CliError(EXIT.usage, 'usage', '--prune needs the whole folder.')
  const root = resolve(isFolder ? given : dirname(given))
  const source = options.source ?? basename(root)
  const pathOf = (file: string) => relative(root, resolve(file)).split(sep).join('/')
  const everyPath = listFlowFiles(root).map(pathOf)
  const files = (isFolder ? listFlowFiles(root) : [given]).map(readFlowFile)
  const kinds = await kindsOf(api)
  refuseMisshapen(files, kinds)

  const flows = new Map((await api.list<Flow>('/flows')).map((flow) => [flow.id, flow]))
  const sources = await api.list<FlowSource>('/flow-sources')
  const own = sources.filter((entry) => entry.source === source && flows.has(entry.flowId))
  const vanished = own.filter(({ path }) => !everyPath.includes(path))
  const managed = new Set(sources.map(({ flowId }) => flowId))
  const unmanaged = [...flows.values()].filter(({ id }) => !managed.has(id))

  const items: Item[] = []
  for (const file of files) {
    const path = pathOf(file.path)
    const name = nameOf(file)
    let entry = own.find((known) => known.path === path)
    let movedFrom: string | null = null
    if (!entry) {
      const moved = vanished.filter(({ flowId }) => flows.get(flowId)!.name === name)
      if (moved.length === 1) {
        entry = moved[0]!
        movedFrom = entry.path
        vanished.splice(vanished.indexOf(entry), 1)
      }
    }
    const namesakes = entry ? [] : unmanaged.filter((flow) => flow.name === name)
    const flow = entry ? flows.get(entry.flowId)! : namesakes.length === 1 ? namesakes[0]! : null
    const item = itemOf(file, path, name, flow, kinds)
    item.applied = entry?.revision ?? null
    item.movedFrom = movedFrom
    item.action = actionFor(item, namesakes.length, options)
    items.push(item)
  }
  for (const { flowId, path, revision } of isFolder ? vanished : []) {
    const flow = flows.get(flowId)!
    const drifted = flow.revision !== revision && !options.force
    const action = !options.prune ? 'left' : drifted ? 'drift' : 'delete'
    items.push({ ...NOTHING, action, path, name: flow.name, flow, applied: revision })
  }
  for (const item of items) await addPublishing(api, item, options.publish)
  return { source, items }
}

const NOTHING = {
  document: null,
  movedFrom: null,
  before: '',
  after: '',
  untold: 0,
  publish: false,
  warnings: [],
}

function itemOf(file: FlowFile, path: string, name: string, flow: Flow | null, kinds: Kinds): Item {
  const compared = compareDocuments(file.document, flow?.draft ?? null, kinds)
  return {
    ...NOTHING,
    action: flow === null ? 'create' : compared.isSame ? 'unchanged' : 'change',
    path,
    name,
    flow,
    document: file.document,
    applied: null,
    before: flow ? compared.server : '',
    after: compared.file,
    untold: compared.untold,
    warnings: [],
  }
}

function actionFor(item: Item, namesakes: number, { adopt, force }: PlanOptions): Action {
  const { action, applied, flow, movedFrom, document } = item
  if (action === 'create') {
    // Several flows have the name, so it is unknown which one is meant.
    if (namesakes > 0) return 'exists'
    if (JSON.stringify(document).includes(`"${SEALED_PREFIX}`))
      throw new CliError(
        EXIT.failed,
        'sealed_values',
        `${item.path} holds sealed:… values, which work only in the flow that they were exported from. Replace them with connections or env.`,
      )
    return 'create'
  }
  if (action === 'unchanged') return movedFrom ? 'move' : 'unchanged'
  // The flow never came from these files: somebody made it by hand.
  if (applied === null) return adopt ? 'change' : 'exists'
  return applied === flow!.revision || force ? 'change' : 'drift'
}

async function addPublishing(api: ApiClient, item: Item, publish: boolean): Promise<void> {
  const { action, flow, document } = item
  if (action === 'create' || action === 'change') {
    const { issues, warnings } = await api.call<Validation>('POST', '/flows/validate', { body: document })
    const lines = issues.map(({ path, message }) => `${path || '/'}: ${message}`)
    if (publish && issues.length)
      throw new CliError(
        EXIT.failed,
        CODE.flow_invalid,
        `${item.path} cannot be published; nothing was changed.`,
        lines,
      )
    item.warnings = [...lines, ...warnings.map(({ path, message }) => `${path || '/'}: ${message}`)]
    item.publish = publish
  } else if (publish && document !== null && flow) item.publish = !(await isLive(api, flow))
}

async function isLive(api: ApiClient, { id, published, draft }: Flow): Promise<boolean> {
  if (!published) return false
  const live = await api.get<{ document: unknown }>(`/flows/${id}/versions/${published.version}`)
  return isDeepStrictEqual(live.document, draft)
}

/** The server's step kinds, which say which fields are secret. */
async function kindsOf(api: ApiClient): Promise<Kinds> {
  const { items } = await api.get<{ items: StepKind[] }>('/step-kinds')
  return new Map(items.map((kind) => [kind.kind, kind as never]))
}

/** Checks all files before anything changes: one file that cannot be saved stops all of them. */
function refuseMisshapen(files: readonly FlowFile[], kinds: Kinds): void {
  const lines = files.flatMap(({ path, document }) =>
    shapeIssues(validate(document, kinds, { connections: new Map(), env: new Set(), config: new Set() })).map(
      (issue) => `${path} ${issue.path || '/'}: ${issue.message}`,
    ),
  )
  if (lines.length)
    throw new CliError(EXIT.failed, CODE.flow_invalid, 'These files are not flows; nothing was changed.', lines)
  for (const file of files)
    if (nameOf(file) === '') throw new CliError(EXIT.failed, CODE.flow_invalid, `${file.path}: the flow has no name.`)
}

const nameOf = ({ document }: FlowFile): string => (document as { name?: string } | null)?.name ?? ''

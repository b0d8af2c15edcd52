// Builds what templates read of a run: the roots of docs/expressions.md#what-there-is-to-read, and values fixed per step.
import { BareObject } from '../base/bare-object.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import type { LoadedFile } from '../flow/expression/values/needs-file.ts'
import { isoTime } from './iso-time.ts'
import type { ClaimedRun, RunStartData } from './ports/run-journal.ts'

/** Hashing and randomness, which are handed in: the engine itself does neither. */
export interface Hashing {
  sha256(text: string): string
  hmacSha256(text: string, key: string): string
  hmacSha512(text: string, key: string): string
}

export interface FlowIdentity {
  id: string
  name: string
  version: number | null
}

export interface RunIdentity {
  id: string
  startedAt: string
  attempt: number
  replayOf: string | null
}

export type Roots = Record<string, unknown>

export function createRoots(
  { webhook, given }: RunStartData,
  parts: {
    run: RunIdentity
    flow: FlowIdentity
    env: Readonly<Record<string, string>>
    config: Readonly<Record<string, string>>
    connections: Readonly<Record<string, unknown>>
  },
): Roots {
  const roots: Roots = new BareObject()
  if (webhook) roots['webhook'] = webhook
  else Object.assign(roots, given)
  roots['run'] = parts.run
  roots['flow'] = parts.flow
  roots['env'] = parts.env
  roots['config'] = parts.config
  roots['connections'] = parts.connections
  roots['steps'] = new BareObject()
  roots['vars'] = new BareObject()
  return roots
}

/** Returns the roots of a run that is taken up, with the variables that it has set before. */
export function rootsOf(
  run: ClaimedRun,
  flowName: string,
  {
    env,
    config,
    connections,
  }: {
    env: Readonly<Record<string, string>>
    config: Readonly<Record<string, string>>
    connections: { fields: Readonly<Record<string, unknown>> }
  },
): Roots {
  const { id, attempt, replayOf } = run
  const roots = createRoots(run, {
    run: { id, startedAt: isoTime(run.startedAt), attempt, replayOf },
    flow: { id: run.flowId, name: flowName, version: run.version },
    env,
    config,
    connections: connections.fields,
  })
  roots['vars'] = run.vars
  return roots
}

/** `Object.assign` takes several times as long, as it finds its way anew for each run. */
export function setVars({ vars }: Roots, values: object): void {
  for (const name of Object.keys(values)) (vars as Roots)[name] = (values as Roots)[name]
}

/** Returns the roots of a round: its item, and the outer results with those of its own steps, which `while` rounds share. */
export function roundRoots(outer: Roots, loopId: string, round: object, ownSteps: boolean): Roots {
  const copy = (of: unknown) => Object.assign(Object.create(null), of)
  const roots = copy(outer)
  if (ownSteps) roots.steps = copy(outer['steps'])
  roots.loop = round
  roots.loops = copy(outer['loops'])
  roots.loops[loopId] = round
  return roots
}

/**
 * The bindings of one step. Its uuid derives from the run and the path, so that a resend after a crash has the same one.
 * A class, because each object literal with getters gets its own hidden class, which survives many garbage collections.
 */
class StepBindings implements Bindings {
  readonly roots: Roots
  readonly sha256: Hashing['sha256']
  readonly hmacSha256: Hashing['hmacSha256']
  readonly hmacSha512: Hashing['hmacSha512']
  readonly #seed: string
  readonly #startedAt: number
  files: ReadonlyMap<string, LoadedFile> | null = null

  constructor(roots: Roots, hashing: Hashing, seed: string, startedAt: number) {
    this.roots = roots
    this.sha256 = hashing.sha256
    this.hmacSha256 = hashing.hmacSha256
    this.hmacSha512 = hashing.hmacSha512
    this.#seed = seed
    this.#startedAt = startedAt
  }

  // `now` and `uuid` are computed on demand: most steps use neither.
  get now(): string {
    return new Date(this.#startedAt).toISOString()
  }

  get uuid(): string {
    return uuidFrom(this.sha256(this.#seed))
  }
}

export function stepBindings(roots: Roots, hashing: Hashing, runId: string, path: string, startedAt: number): Bindings {
  return new StepBindings(roots, hashing, `${runId}:${path}`, startedAt)
}

/** Formats 32 hex digits as a random (version 4) UUID. */
function uuidFrom(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

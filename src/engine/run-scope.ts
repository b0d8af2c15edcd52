// What templates see of a run: the roots of contract §2.3, and the values that are fixed per step.
import type { Scope } from '../flow/expression/index.ts'
import type { WebhookData } from './webhook-data.ts'

/** Randomness and hashing, handed in: the engine does neither itself. */
export interface Hashing {
  sha256(text: string): string
  hmacSha256(text: string, key: string): string
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

export function createRoots(parts: {
  webhook: WebhookData
  run: RunIdentity
  flow: FlowIdentity
  env: Readonly<Record<string, string>>
  connections: Readonly<Record<string, unknown>>
}): Roots {
  return Object.assign(Object.create(null), parts, { steps: Object.create(null), vars: Object.create(null) })
}

/** The scope of one step. Its uuid follows from the run and the path, so that a resend after a crash carries the same one. */
export function stepScope(roots: Roots, hashing: Hashing, runId: string, path: string, startedAt: number): Scope {
  return {
    roots,
    // Made only where a template asks for them: most steps use neither.
    get now() {
      return new Date(startedAt).toISOString()
    },
    get uuid() {
      return uuidFrom(hashing.sha256(`${runId}:${path}`))
    },
    sha256: hashing.sha256,
    hmacSha256: hashing.hmacSha256,
  }
}

/** 32 hex digits in the form of a random (version 4) UUID. */
function uuidFrom(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

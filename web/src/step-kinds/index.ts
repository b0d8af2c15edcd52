// The list of step kinds.
import { branch } from './branch.ts'
import { call } from './call.ts'
import { code } from './code.ts'
import { fail } from './fail.ts'
import { http } from './http.ts'
import { loop } from './loop.ts'
import { parallel } from './parallel.ts'
import { respond } from './respond.ts'
import { set } from './set.ts'
import type { StepKind } from './step-kind.ts'
import { stop } from './stop.ts'
import { store } from './store.ts'
import { wait } from './wait.ts'

export const STEP_KINDS: readonly StepKind[] = [
  http,
  branch,
  loop,
  parallel,
  call,
  wait,
  code,
  set,
  store,
  respond,
  stop,
  fail,
]

const byName = new Map(STEP_KINDS.map((one) => [one.kind, one]))

/** A kind that is not listed still has a card, and the form that its schema describes. */
const UNLISTED: StepKind = {
  kind: '',
  icon: 'puzzle',
  trailIcon: 'square-rounded',
  color: stop.color,
  guide: 'flows#steps',
  purpose: '',
  describe: (step) => step.name ?? '',
  newSettings: () => ({}),
}

export const stepKind = (kind: string): StepKind => byName.get(kind) ?? UNLISTED

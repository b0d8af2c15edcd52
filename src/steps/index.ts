// Lists the step kinds: a new one is a file in this folder and a line here.
import type { StepKind } from '../engine/step-kind.ts'
import { branch } from './branch.ts'
import { call } from './call.ts'
import { code } from './code.ts'
import { fail } from './fail.ts'
import { http } from './http/http.ts'
import { loop } from './loop.ts'
import { parallel } from './parallel.ts'
import { respond } from './respond.ts'
import { set } from './set.ts'
import { stop } from './stop.ts'
import { store } from './store.ts'
import { wait } from './wait.ts'

export const stepKinds: ReadonlyMap<string, StepKind> = new Map(
  ([http, branch, loop, parallel, call, wait, code, set, store, respond, stop, fail] as unknown as StepKind[]).map(
    (kind) => [kind.kind, kind],
  ),
)

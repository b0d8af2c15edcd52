// The callbacks of a run: the URLs that its steps give away, and how a step that waits for one goes on.
import { CODE, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import type { CompiledCallback, CompiledCallbacks } from '../../flow/callbacks/compile.ts'
import { ExpressionError } from '../../flow/expression/index.ts'
import type { Bindings } from '../../flow/expression/values/bindings.ts'
import {
  APPROVAL_FIELDS,
  CALLBACK_FIELDS,
  type CallbackData,
  type CallbackJournal,
  type NewCallback,
  type RunCallback,
} from '../ports/callbacks.ts'
import type { ClaimedRun, JournalEntry } from '../ports/run-journal.ts'
import type { Roots } from '../run-bindings.ts'
import { type AwaitedCallback, done, failed, type Outcome } from '../step-kind.ts'

export interface CallbackPorts {
  callbacks: CallbackJournal
  now(): number
  bindings(roots: Roots, path: string): Bindings
}

export class RunCallbacks {
  readonly #run: Pick<ClaimedRun, 'id' | 'flowId'>
  readonly #compiled: CompiledCallbacks | null
  readonly #ports: CallbackPorts
  /** The paths of the callbacks that the run waits for. */
  readonly awaited = new Set<string>()

  constructor(run: Pick<ClaimedRun, 'id' | 'flowId'>, compiled: CompiledCallbacks | null, ports: CallbackPorts) {
    this.#run = run
    this.#compiled = compiled
    this.#ports = ports
  }

  /** Makes the URLs of these steps readable to the step at a path; they are stored before it runs. */
  async provide(ids: readonly string[], path: string, roots: Roots): Promise<void> {
    const compiled = ids.map((id) => this.#compiled!.get(id)!)
    roots['callbacks'] = await callbackUrls(this.#ports.callbacks, this.#run, compiled, path)
  }

  /** Returns what the step goes on with, or the time until which it waits. `isNew`: it has not waited in this attempt. */
  async settle(entry: JournalEntry, awaited: AwaitedCallback, roots: Roots, isNew: boolean): Promise<Outcome | number> {
    const { callbacks, now } = this.#ports
    const compiled = this.#compiled!.get(entry.id)!
    const path = placeOf(entry.path)
    const expiresAt = entry.resumeAt ?? now() + awaited.timeoutMs
    this.awaited.delete(path)
    for (let mayReopen = isNew; ; ) {
      const callback = await this.#find(compiled, path)
      if (callback.answer) return done({ ...callback.answer, timedOut: false })
      if (callback.state === 'timedOut' && !mayReopen) return timedOut(awaited)
      if (callback.state !== 'open') {
        mayReopen = false
        if (await this.#takeEarly(compiled, callback, entry.path, roots)) continue
        const reads = picked(roots, compiled.reads)
        await callbacks.open(callback.id, this.#run.flowId, { expiresAt, asks: awaited.asks, reads })
      } else if (callback.expiresAt! <= now()) {
        mayReopen = false
        await callbacks.timeOut(callback.id)
      } else {
        this.awaited.add(path)
        return callback.expiresAt!
      }
    }
  }

  /** Closes what can be answered under a path, because its steps do not count any more. */
  async cancelUnder(prefix: string): Promise<void> {
    if (!this.#compiled) return
    const place = placeOf(prefix)
    for (const path of this.awaited) if (path.startsWith(place)) this.awaited.delete(path)
    await this.#ports.callbacks.cancelUnder(this.#run.id, place)
  }

  #find(compiled: CompiledCallback, path: string): Promise<RunCallback> {
    return this.#ports.callbacks.of(callbackAt(this.#run, compiled, path))
  }

  /** Returns whether an answer that came before the run did is what it goes on with. */
  async #takeEarly({ when }: CompiledCallback, { id }: RunCallback, path: string, roots: Roots): Promise<boolean> {
    const { callbacks, bindings } = this.#ports
    // One at a time: each may be as large as a delivery.
    for (;;) {
      const [early] = await callbacks.unseen(id, 1)
      if (!early) return false
      if (when === null || holds(when, bindings(withCallback(roots, early.data), path))) {
        await callbacks.take(id, early.id)
        return true
      }
      await callbacks.pass(id, early.id)
    }
  }
}

const callbackAt = (
  { id, flowId }: Pick<ClaimedRun, 'id' | 'flowId'>,
  { id: step, approval }: CompiledCallback,
  path: string,
): NewCallback => ({ runId: id, flowId, path, step, isApproval: approval !== null })

/** Returns the root `callbacks` for who reads at a path of the run. The URLs are stored when it resolves. */
export async function callbackUrls(
  callbacks: Pick<CallbackJournal, 'of' | 'urlOf'>,
  run: Pick<ClaimedRun, 'id' | 'flowId'>,
  read: readonly CompiledCallback[],
  path: string,
): Promise<Record<string, unknown>> {
  const urls: Record<string, unknown> = Object.create(null)
  for (const compiled of read) {
    const { token } = await callbacks.of(callbackAt(run, compiled, placeFor(compiled, path)))
    urls[compiled.id] = Object.assign(Object.create(null), {
      url: callbacks.urlOf(token, compiled.approval !== null),
    })
  }
  return urls
}

/** Returns whether the condition takes an answer. One that cannot be evaluated does not: the answer lacks what it reads. */
export function holds(when: (bindings: Bindings) => boolean, bindings: Bindings): boolean {
  try {
    return when(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) return false
    throw error
  }
}

/** Returns the roots that the condition of a callback reads. */
export const withCallback = (roots: Roots, callback: CallbackData): Roots =>
  Object.assign(Object.create(null), roots, { callback })

/** Returns the path of a callback: the same in each attempt of the steps around it. */
export const placeOf = (path: string): string => path.replaceAll(/#\d+/g, '')

/** Returns the path of a callback that a step at another path reads: both are in the same rounds. */
function placeFor({ id, around }: CompiledCallback, from: string): string {
  const parts = placeOf(from).split('/')
  const isOf = (part: string | undefined, outer: string) => part === outer || part?.startsWith(`${outer}[`)
  return [...around.map((outer, i) => (isOf(parts[i], outer.id) ? parts[i]! : outer.id)), id].join('/')
}

const TIMED_OUT = STEP_ERRORS.callback_timeout

/** Returns what a step goes on with that nobody has answered. */
export function timedOut({ onTimeout, asks }: AwaitedCallback): Outcome {
  const fields = asks ? APPROVAL_FIELDS : CALLBACK_FIELDS
  const output = { ...Object.fromEntries(fields.map((name) => [name, null])), timedOut: true }
  if (onTimeout === 'continue') return done(output)
  return failed({ code: CODE.callback_timeout, message: TIMED_OUT.message, hint: TIMED_OUT.hint }, output)
}

/** What whoever evaluates the condition has itself, or what holds secrets. */
const NOT_KEPT = new Set(['callback', 'env', 'config', 'connections'])

/** Returns the parts of the roots that these references read. */
function picked(roots: Roots, references: readonly (readonly string[])[]): Record<string, unknown> {
  const kept: Record<string, unknown> = Object.create(null)
  for (const path of references) if (path.length && !NOT_KEPT.has(path[0]!)) keep(kept, roots, path)
  return kept
}

function keep(to: Record<string, unknown>, from: Record<string, unknown>, [name, ...rest]: readonly string[]): void {
  const value = Object.hasOwn(from, name!) ? from[name!] : undefined
  const isWhole = rest.length === 0 || !isObject(value)
  if (isWhole || to[name!] === value) {
    to[name!] = value
    return
  }
  to[name!] ??= Object.create(null)
  keep(to[name!] as Record<string, unknown>, value, rest)
}

// Keeps the current route of each webhook id in memory, and compiles versions once, when they are first needed.

import { CODE, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { FlowUnusable, type FlowVersions } from '../../engine/engine.ts'
import type { StepKind } from '../../engine/step-kind.ts'
import { type CompiledFlow, compileFailureCall, compileFlow } from '../../flow/compile-flow.ts'
import type { FlowDocument } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { IsSecretField } from '../../flow/secret-flow.ts'
import { NO_SENDERS, type Senders } from '../../flow/senders/schema.ts'
import { secretSources } from '../../flow/validate/validate.ts'
import type { FlowStore, RouteRecord } from '../ports/flows.ts'
import type { Secrets } from '../ports/secrets.ts'
import { openLiterals } from './secret-literals.ts'

export interface LiveFlow extends CompiledFlow<StepKind> {
  /** The connections that templates of the trigger read. */
  triggerConnections: readonly string[]
}

/** The most compiled versions in memory. */
const KEPT_VERSIONS = 1000
const SEALED = /sealed:[\w.-]+/g
const WEBHOOK_ID = /^[\w-]{32}$/

export class PublishedFlows implements FlowVersions {
  readonly #store: FlowStore
  readonly #kinds: ReadonlyMap<string, StepKind>
  readonly #secrets: Secrets
  readonly #routes = new Map<string, RouteRecord>()
  readonly #webhookOf = new Map<string, string>()
  readonly #compiled = new Map<string, LiveFlow>()

  readonly #sought = new Set<string>()
  #nextAnswer: Promise<void> | null = null
  #lastAnswer: Promise<void> = Promise.resolve()
  /** Whether other processes change flows too. */
  readonly shared: boolean

  readonly #isSecretField: IsSecretField | null
  readonly #senders: Senders

  /** `isSecretField` is null if secrets are not followed through the flows. */
  constructor(
    store: FlowStore,
    kinds: ReadonlyMap<string, StepKind>,
    secrets: Secrets,
    isSecretField: IsSecretField | null,
    shared = false,
    senders: Senders = NO_SENDERS,
  ) {
    this.#senders = senders
    this.#isSecretField = isSecretField
    this.shared = shared
    this.#store = store
    this.#kinds = kinds
    this.#secrets = secrets
  }

  async load(): Promise<void> {
    const routes = await this.#store.routes()
    const there = new Set(routes.map(({ flowId }) => flowId))
    for (const flowId of this.#webhookOf.keys()) if (!there.has(flowId)) this.removeRoute(flowId)
    for (const route of routes) this.setRoute(route)
    // All secrets are known before the first run, because one flow may meet the secrets of another.
    this.#learnSecrets(await this.#store.sealedDocuments())
  }

  /** Reads a flow that another process has changed. */
  async readFlow(flowId: string): Promise<void> {
    const route = await this.#store.routeOf(flowId)
    if (route) this.setRoute(route)
    else this.removeRoute(flowId)
    this.#learnSecrets(await this.#store.sealedDocuments(flowId))
  }

  /** Returns the current route of a webhook from the database: another process may have changed it a moment ago. */
  async lookUp(webhookId: string): Promise<RouteRecord | undefined> {
    if (!WEBHOOK_ID.test(webhookId)) return undefined
    this.#sought.add(webhookId)
    // One query at a time answers all waiting look-ups, so that guesses of ids occupy at most one database session.
    this.#nextAnswer ??= this.#lastAnswer.then(() => this.#lookUpSought())
    this.#lastAnswer = this.#nextAnswer.catch(() => {})
    await this.#nextAnswer
    return this.#routes.get(webhookId)
  }

  /** Returns whether the route is still current. Changes by other processes may reach this one a moment later. */
  async isCurrent({ webhookId, version }: RouteRecord): Promise<boolean> {
    return !this.shared || (await this.lookUp(webhookId))?.version === version
  }

  async #lookUpSought(): Promise<void> {
    const sought = [...this.#sought]
    this.#sought.clear()
    this.#nextAnswer = null
    const found = await this.#store.routesAt(sought)
    for (const webhookId of sought) {
      const known = this.#routes.get(webhookId)
      if (known) this.removeRoute(known.flowId)
    }
    for (const route of found) this.setRoute(route)
  }

  #learnSecrets(documents: { flowId: string; document: string }[]): void {
    const seen = new Set<string>()
    for (const { flowId, document } of documents)
      for (const [sealed] of document.matchAll(SEALED)) {
        if (!seen.has(sealed)) this.#secrets.unseal(sealed, flowId)
        seen.add(sealed)
      }
  }

  route(webhookId: string): RouteRecord | undefined {
    return this.#routes.get(webhookId)
  }

  pausedFlows(): string[] {
    return [...this.#routes.values()].filter(({ paused }) => paused).map(({ flowId }) => flowId)
  }

  setRoute(route: RouteRecord): void {
    this.removeRoute(route.flowId)
    this.#routes.set(route.webhookId, route)
    this.#webhookOf.set(route.flowId, route.webhookId)
  }

  removeRoute(flowId: string): void {
    const webhookId = this.#webhookOf.get(flowId)
    if (webhookId === undefined) return
    this.#routes.delete(webhookId)
    this.#webhookOf.delete(flowId)
  }

  /** Returns the route of the flow as it is now; another process may have published or paused the flow a moment ago. */
  async routeOf(flowId: string): Promise<RouteRecord | null> {
    if (this.shared) return this.#store.routeOf(flowId)
    return this.#routes.get(this.#webhookOf.get(flowId) ?? '') ?? null
  }

  /** Drops all compiled versions, because the kind of a connection, and so its secret fields, has changed. */
  compileAnew(): void {
    this.#compiled.clear()
  }

  /** Returns a published version; at once if it is in memory. */
  version(flowId: string, version: number): LiveFlow | Promise<LiveFlow> {
    const key = `${flowId}:${version}`
    const live = this.#compiled.get(key)
    if (!live) return this.#loadVersion(key, flowId, version)
    return live
  }

  forRun(run: { flowId: string; version: number | null; document: string | null }): LiveFlow | Promise<LiveFlow> {
    return run.version === null
      ? this.compile(run.flowId, parseJson(run.document!) as FlowDocument)
      : this.version(run.flowId, run.version)
  }

  compile(flowId: string, document: FlowDocument): LiveFlow {
    this.touch(flowId, document)
    const opened = openLiterals({ secrets: this.#secrets, kinds: this.#kinds }, flowId, document)
    const compiled = compileFlow(opened, this.#kinds, this.#isSecretField, this.#senders)
    return { ...compiled, triggerConnections: this.#connectionsIn({ ...document, steps: [], onFailure: undefined }) }
  }

  #connectionsIn(document: unknown): string[] {
    const prefix = 'connection:'
    const sources = [...secretSources(document, this.#kinds)]
    return sources.filter((source) => source.startsWith(prefix)).map((source) => source.slice(prefix.length))
  }

  failureCall(flowId: string): LiveFlow['steps'] {
    return compileFailureCall(flowId, this.#kinds)
  }

  /** Notes the secrets that the document names, so that they are hidden in the flow's stored data from now on. */
  touch(flowId: string, document: unknown): void {
    this.#secrets.touch(flowId, secretSources(document, this.#kinds))
  }

  async #loadVersion(key: string, flowId: string, version: number): Promise<LiveFlow> {
    const record = await this.#store.version(flowId, version)
    if (!record) throw new FlowUnusable(CODE.flow_gone, STEP_ERRORS.flow_gone.message)
    const live = this.compile(flowId, parseJson(record.document) as FlowDocument)
    this.#compiled.set(key, live)
    if (this.#compiled.size > KEPT_VERSIONS) this.#compiled.delete(this.#compiled.keys().next().value!)
    return live
  }
}

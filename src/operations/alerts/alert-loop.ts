// Looks at what alerts are about, stores what they raise, and sends the messages that are due.

import { tagsOf } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { listConnectionStates } from '../connections/read-connections.ts'
import type { AlertMessage, Raised } from '../ports/alerts/alerts.ts'
import { Decision, decideEvents, decideSeen, isAbout, type Seen, type Tags } from './decide.ts'
import { sendMessage } from './send-message.ts'
import type { AlertServices } from './services.ts'

const LOOK_EVERY_MS = 5_000
const SOON_MS = 50
const EVENTS_AT_ONCE = 1_000
/** Each event is held against each rule, without a break. */
const COMPARED_AT_ONCE = 20_000
const MESSAGES_AT_ONCE = 20
/** A message that a process took and did not send, because it was killed, is taken again after this time. */
const TAKEN_MS = 20_000
const FIRST_RETRY_MS = 30_000
const LONGEST_RETRY_MS = 3_600_000
const GIVE_UP_AFTER_MS = 86_400_000
/** A client certificate that expires within this time is told of. */
const EXPIRES_SOON_MS = 14 * 86_400_000
/** Certificates that are kept elsewhere are read this often, if no step does. */
const READ_EVERY_MS = 86_400_000

export class AlertLoop {
  readonly #services: AlertServices
  #timer: NodeJS.Timeout | null = null
  #working: Promise<void> | null = null
  #again = false
  #stopped = false
  /** Whether a message about trouble with the database was sent that could not be stored. */
  #toldOfTrouble = false
  #readAt = Number.NEGATIVE_INFINITY

  constructor(services: AlertServices) {
    this.#services = services
  }

  start(): void {
    this.#services.alerts.wake = () => this.#soon(SOON_MS)
    this.#soon(SOON_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#working
  }

  #soon(ms: number): void {
    if (this.#stopped) return
    if (this.#working) {
      this.#again ||= ms === SOON_MS
      return
    }
    if (this.#timer && ms !== SOON_MS) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#work(), ms)
    this.#timer.unref()
  }

  #work(): void {
    this.#timer = null
    this.#working = this.look()
      .catch((error) => this.#services.warn('alerts could not be looked at; it is tried again', reasonOf(error)))
      .finally(() => {
        this.#working = null
        const soon = this.#again
        this.#again = false
        // Without alerts there is nothing to look at until one is made.
        if (soon || this.#services.alerts.all.length) this.#soon(soon ? SOON_MS : LOOK_EVERY_MS)
      })
  }

  /** Looks once. */
  async look(): Promise<void> {
    const { alerts, alertStore, alertWindowMs: windowMs, ids } = this.#services
    if (alerts.all.length === 0) return
    const inMemory = alerts.takeRaised()
    const seen = await this.#seen()
    const most = Math.min(EVENTS_AT_ONCE, Math.ceil(COMPARED_AT_ONCE / alerts.all.length))
    const found = await alertStore.events(most)
    this.#again ||= found.length === most
    const flowIds = [...found, ...seen.late, ...inMemory.map(({ item }) => item)].flatMap(({ flowId }) => flowId ?? [])
    const tags = await this.#tagsOf(flowIds)
    const decide: Parameters<typeof alertStore.settle>[1] = (events, states) => {
      const decision = new Decision(states)
      decideEvents(decision, alerts.all, events, tags)
      decideSeen(decision, alerts.all, seen, tags)
      decision.raised.push(...inMemory.filter((one) => this.#isAbout(one, tags)))
      return decision
    }
    try {
      const at = { now: seen.now, windowMs, nextId: () => ids.next('msg') }
      if (await alertStore.settle(found, decide, at)) this.#toldOfTrouble = false
      else for (const one of inMemory) alerts.raise(one)
    } catch (error) {
      for (const one of inMemory) alerts.raise(one)
      await this.#tellOfTrouble(error)
      throw error
    }
    alerts.learn(await alertStore.states())
    await this.#sendDue()
  }

  #isAbout({ alertId, item }: Raised, tags: Tags): boolean {
    const alert = this.#services.alerts.all.find(({ id }) => id === alertId)
    return alert !== undefined && isAbout(alert, item.flowId!, tags)
  }

  async #seen(): Promise<Seen> {
    const { alerts, alertStore, queue, instance, now: clock } = this.#services
    const has = (rule: string) => alerts.all.some((alert) => alert.rule === rule)
    const now = clock()
    return {
      now,
      late: has('schedule_late') ? await alertStore.lateSchedules(now) : [],
      reconnect: has('reconnect')
        ? listConnectionStates(this.#services).flatMap(({ name, state }) => (state === 'reconnect' ? name : []))
        : [],
      expiring: has('certificate_expires') ? await this.#expiring(now) : [],
      oldestSeconds: queue.oldestSince === null ? 0 : Math.max(0, now - queue.oldestSince) / 1000,
      fault: has('storage') ? await instance.fault() : null,
    }
  }

  async #expiring(now: number): Promise<Seen['expiring']> {
    const { connections, warn } = this.#services
    const all = connections.all()
    if (now - this.#readAt > READ_EVERY_MS) {
      this.#readAt = now
      for (const { name, outside } of all)
        if (Object.keys(outside).length)
          await connections
            .fresh([name], null)
            ?.catch((error) => warn('a certificate could not be read', { connection: name, ...reasonOf(error) }))
    }
    return all.flatMap(({ name }) => {
      const expiresAt = connections.identity(name)?.certificate?.expiresAt
      return expiresAt === undefined || expiresAt - now > EXPIRES_SOON_MS ? [] : [{ connection: name, expiresAt }]
    })
  }

  /** Reads tags only if an alert asks for one. */
  async #tagsOf(flowIds: readonly string[]): Promise<Tags> {
    const tags = new Map<string, readonly string[]>()
    if (!this.#services.alerts.all.some(({ tag }) => tag !== null)) return tags
    for (const id of new Set(flowIds)) {
      const flow = await this.#services.flows.get(id)
      if (flow) tags.set(id, tagsOf(parseJson(flow.draft)))
    }
    return tags
  }

  /** Tells of a database that cannot be written, at once: there is no row to be had. */
  async #tellOfTrouble(error: unknown): Promise<void> {
    if (this.#toldOfTrouble) return
    const { alerts, ids, now } = this.#services
    const at = now()
    for (const alert of alerts.all.filter(({ rule }) => rule === 'storage')) {
      const item = { at, flowId: null, runId: null, note: (error as Error).message, count: 1 }
      await sendMessage(this.#services, ids.next('msg'), alert, { digest: false, since: at, count: 1, items: [item] })
        .then(() => {
          this.#toldOfTrouble = true
        })
        .catch((reason) => this.#services.warn('an alert could not be sent', reasonOf(reason)))
    }
  }

  async #sendDue(): Promise<void> {
    const { alertStore, now } = this.#services
    const due = await alertStore.due(now(), MESSAGES_AT_ONCE)
    await Promise.all(due.map((message) => this.#send(message)))
    this.#again ||= due.length === MESSAGES_AT_ONCE
  }

  async #send(message: AlertMessage): Promise<void> {
    const { alerts, alertStore, meters, now, warn } = this.#services
    const alert = alerts.all.find(({ id }) => id === message.alertId)
    if (!alert || !(await alertStore.take(message, now() + TAKEN_MS))) return
    try {
      await sendMessage(this.#services, message.id, alert, message.body)
      meters.alertSent('sent')
      await alertStore.done(message, now(), null)
    } catch (error) {
      meters.alertSent('failed')
      const problem = (error as Error).message
      warn('an alert could not be sent', { alert: alert.id, reason: problem })
      const at = now()
      if (at - message.createdAt > GIVE_UP_AFTER_MS) await alertStore.done(message, at, `${problem} It was given up.`)
      else {
        const wait = Math.min(FIRST_RETRY_MS * 2 ** message.attempts, LONGEST_RETRY_MS)
        await alertStore.postpone(message, at + wait, problem)
      }
    }
  }
}

const reasonOf = (error: unknown) => ({ reason: (error as Error).message })

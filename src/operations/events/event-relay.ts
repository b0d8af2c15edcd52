// Relays events between processes: one with watchers says so, the others report changes, and it reads the state itself.
import { type JournalEntry, ROUND, type RunProgress } from '../../engine/ports/run-journal.ts'
import type { DeliveryRecord, DeliveryStore, SampleRecord, SampleStore } from '../ports/deliveries.ts'
import type { RunStore, ShownEntry } from '../ports/runs.ts'
import type { News } from '../ports/signals.ts'
import { SHOWN_BYTES } from '../shown-size.ts'
import { type Events, type FlowEvent, flowTopic, listenTopic, runEvent, runIdOf, runTopic } from './events.ts'
import type { EventServices } from './services.ts'

/** A process with watchers says so repeatedly; the other processes forget it after a while. */
const SAY_EVERY_MS = 5_000
const FORGET_AFTER_MS = 12_000
/** Changes within this time are sent together. */
const GATHER_MS = 20
const MOST_NEWS = 60
/** Polling finds the changes that were not reported. */
const LOOK_EVERY_MS = 1_000

/** The services that the current state is read from. */
interface WatchedServices extends Pick<EventServices, 'events' | 'secrets' | 'signals' | 'warn'> {
  runs: Pick<RunStore, 'get' | 'steps'>
  deliveries: Pick<DeliveryStore, 'get'>
  samples: Pick<SampleStore, 'list'>
}

/** The public form of what is read. */
export interface EventViews {
  delivery(entry: Omit<DeliveryRecord, 'webhook'>): object
  sample(sample: SampleRecord): unknown
  step(entry: ShownEntry, flowId: string): unknown
}

export class EventRelay {
  readonly #services: WatchedServices
  readonly #views: EventViews
  readonly #events: Events
  #watchedElsewhere = Number.NEGATIVE_INFINITY
  /** The latest change of each thing, once: the receiver reads the state from the database. */
  #news = new Map<string, News>()
  #sending: NodeJS.Timeout | null = null
  /** The state of the runs that are watched here, as their watchers know it. */
  readonly #known = new Map<string, Map<string, string>>()
  /** Reads run one after the other, so that no older state is reported after a newer one. */
  #reading: Promise<void> = Promise.resolve()
  readonly #timers: NodeJS.Timeout[]

  constructor(services: WatchedServices, views: EventViews) {
    this.#services = services
    this.#views = views
    this.#events = services.events
    this.#timers = [setInterval(() => this.#say(), SAY_EVERY_MS), setInterval(() => this.#look(), LOOK_EVERY_MS)]
    services.events.relay = this
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#sending) clearTimeout(this.#sending)
  }

  /** Resolves when a client that begins to watch here may read the current state. */
  async opened(topic: string): Promise<void> {
    this.#say()
    const runId = runIdOf(topic)
    if (runId !== null && !this.#known.has(runId)) this.#known.set(runId, await this.#stateOf(runId))
  }

  watching(): void {
    this.#watchedElsewhere = performance.now()
  }

  /** Reports a change in this process to the others. */
  pass(news: News): void {
    if (performance.now() - this.#watchedElsewhere > FORGET_AFTER_MS) return
    this.#news.set(`${news.type} ${news.id}`, news)
    this.#sending ??= setTimeout(() => this.#send(), GATHER_MS)
  }

  /** Notes a change that this process has reported to its watchers itself. */
  told(runId: string, entries: readonly JournalEntry[], progress: RunProgress): void {
    const known = this.#known.get(runId)
    if (!known) return
    for (const entry of entries) known.set(entry.path, signOf(entry))
    known.set('', signOfRun(progress))
  }

  /** Handles changes that other processes reported. */
  hear(news: readonly News[]): void {
    for (const one of news) if (this.#isWatched(one)) this.#read(() => this.#tell(one))
  }

  #isWatched({ type, id, flowId }: News): boolean {
    const isHeard = type !== 'run' && this.#events.watched(listenTopic(flowId))
    return isHeard || this.#events.watchedOf(flowId) || (type === 'run' && this.#events.watched(runTopic(id)))
  }

  async #tell({ type, id, flowId }: News): Promise<void> {
    const { deliveries, samples, runs, secrets } = this.#services
    if (type !== 'run')
      this.#events.emit(listenTopic(flowId), { type: type === 'sample' ? type : 'stored', data: { id } })
    if (type === 'delivery') {
      const delivery = await deliveries.get(id, 0)
      if (!delivery) return
      const { webhook: _webhook, ...entry } = delivery
      const run = entry.runId === null ? null : await runs.get(entry.runId, 0)
      const data = { ...this.#views.delivery(entry), labels: run?.labels ?? null }
      this.#emit(flowId, { type, data })
    } else if (type === 'sample') {
      const sample = (await samples.list(flowId, SHOWN_BYTES)).find((one) => one.id === id)
      if (sample) this.#events.emit(flowTopic(flowId), { type, data: this.#views.sample(sample) })
    } else {
      const watched = this.#events.watched(runTopic(id))
      if (watched) await this.#compare(id)
      if (!watched && !this.#events.watchedOf(flowId)) return
      const run = await runs.get(id, 0)
      if (run?.status === 'failed') this.#events.emit(runTopic(id), { type: 'handled', data: { id } })
      if (run) this.#emit(flowId, runEvent(run, { ...run, error: secrets.redact(run.error, flowId) }))
    }
  }

  #emit(flowId: string, event: FlowEvent): void {
    this.#events.emitTo(flowId, event)
  }

  /** Reports the changes of a run to its watchers. */
  async #compare(runId: string): Promise<void> {
    const { runs, secrets } = this.#services
    const topic = runTopic(runId)
    const [entries, run] = [await runs.steps(runId, SHOWN_BYTES), await runs.get(runId, 0)]
    const known = this.#known.get(runId)
    if (!run || !known || !this.#events.watched(topic)) return
    const redact = <T>(value: T): T => secrets.redact(value, run.flowId)
    const isNew = (path: string, sign: string) => known.get(path) !== sign && known.set(path, sign)
    const changed = entries.filter((entry) => entry.kind !== ROUND && isNew(entry.path, signOf(entry)))
    for (const entry of changed) this.#events.emit(topic, { type: 'step', data: this.#views.step(entry, run.flowId) })
    if (isNew('', signOfRun(run)) || changed.length)
      this.#events.emit(topic, runEvent(run, { ...run, error: redact(run.error) }))
  }

  async #stateOf(runId: string): Promise<Map<string, string>> {
    const { runs } = this.#services
    const [run, entries] = [await runs.get(runId, 0), await runs.steps(runId, 0)]
    const state = new Map(entries.map((entry) => [entry.path, signOf(entry)]))
    return run ? state.set('', signOfRun(run)) : state
  }

  #look(): void {
    for (const runId of this.#known.keys())
      if (this.#events.watched(runTopic(runId))) this.#read(() => this.#compare(runId))
      else this.#known.delete(runId)
  }

  #read(read: () => Promise<void>): void {
    this.#reading = this.#reading.then(read).catch((error) =>
      this.#services.warn('events of another process could not be read; they are read again', {
        reason: (error as Error).message,
      }),
    )
  }

  #say(): void {
    if (this.#events.anybody) this.#services.signals.send({ topic: 'watching' })
  }

  #send(): void {
    this.#sending = null
    const news = [...this.#news.values()]
    this.#news = new Map()
    for (let at = 0; at < news.length; at += MOST_NEWS)
      this.#services.signals.send({ topic: 'news', news: news.slice(at, at + MOST_NEWS) })
  }
}

const signOf = ({ status, attempt, finishedAt, resumeAt }: JournalEntry): string =>
  `${status} ${attempt} ${finishedAt} ${resumeAt}`

const signOfRun = ({ status, finishedAt }: Pick<RunProgress, 'status' | 'finishedAt'>): string =>
  `${status} ${finishedAt}`

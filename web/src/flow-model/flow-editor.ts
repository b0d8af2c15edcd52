// The flow being edited: its history, and how it is saved: a moment after the last edit, one save at a time, never over somebody else's.
import { adoptSealed } from './adopt-sealed.ts'
import type { EditedFlow } from './flow-tree.ts'
import { type EditName, edited, type History, newHistory, redone, undone } from './history.ts'

export interface SavedFlow {
  draft: EditedFlow
  revision: number
}

export type Saving =
  | { status: 'saved' | 'unsaved' | 'saving' }
  | { status: 'failed'; error: unknown }
  /** Somebody else saved meanwhile; nothing is saved until it is decided whose draft goes on. */
  | { status: 'conflict'; theirs: SavedFlow }

export interface EditorState {
  history: History<EditedFlow>
  document: EditedFlow
  saving: Saving
}

export interface EditorPorts {
  /** Rejects with what `isConflict` knows when the revision is not the latest. */
  save(document: EditedFlow, revision: number): Promise<SavedFlow>
  isConflict(error: unknown): boolean
  /** The service could not save now, and may in a moment. */
  mayPass(error: unknown): boolean
  load(): Promise<SavedFlow>
  /** Calls back after a while; returns what cancels it. */
  delay(callback: () => void, ms: number): () => void
  now(): number
}

const PAUSE_MS = 700
const RETRY_MS = 5_000

export class FlowEditor {
  readonly #ports: EditorPorts
  readonly #listeners = new Set<() => void>()
  #state: EditorState
  #saved: EditedFlow
  #revision: number
  #cancel: (() => void) | null = null
  #underWay: Promise<void> | null = null

  constructor(flow: SavedFlow, ports: EditorPorts) {
    this.#ports = ports
    this.#saved = flow.draft
    this.#revision = flow.revision
    this.#state = { history: newHistory(flow.draft), document: flow.draft, saving: { status: 'saved' } }
  }

  get state(): EditorState {
    return this.#state
  }

  get revision(): number {
    return this.#revision
  }

  /** As the service has it. */
  get saved(): EditedFlow {
    return this.#saved
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  getState = (): EditorState => this.#state

  edit(document: EditedFlow, name: Omit<EditName, 'at'>): void {
    this.#take(edited(this.#state.history, document, { ...name, at: this.#ports.now() }))
  }

  undo(): void {
    this.#take(undone(this.#state.history))
  }

  redo(): void {
    this.#take(redone(this.#state.history))
  }

  /** Saves at once what is not saved yet; true when everything is. */
  async flush(): Promise<boolean> {
    this.#stopWaiting()
    while (this.#underWay) await this.#underWay
    if (this.#isDirty && this.#state.saving.status !== 'conflict') await this.#save()
    return !this.#isDirty
  }

  /** The conflict is decided: their draft as it is, or ours over it. */
  resolve(whose: 'theirs' | 'mine'): void {
    const { saving } = this.#state
    if (saving.status !== 'conflict') return
    this.#revision = saving.theirs.revision
    this.#saved = saving.theirs.draft
    this.#set({ saving: { status: 'saved' } })
    if (whose === 'theirs') this.edit(saving.theirs.draft, { label: 'Take their changes' })
    else this.#changed()
  }

  /** The conflict is decided: their draft, with our edits put into it. */
  keepBoth(merged: EditedFlow): void {
    if (this.#state.saving.status !== 'conflict') return
    this.resolve('theirs')
    this.edit(merged, { label: 'Keep both' })
  }

  /** Somebody else, or this page by another way, has saved: taken over unless there are edits of our own. */
  async refresh(): Promise<void> {
    if (this.#underWay || this.#isDirty) return
    const latest = await this.#ports.load()
    if (latest.revision === this.#revision || this.#underWay || this.#isDirty) return
    this.adopt(latest)
  }

  /** What the service has now, for example after a version was restored. */
  adopt({ draft, revision }: SavedFlow, label = 'Take over what was saved elsewhere'): void {
    this.#stopWaiting()
    this.#revision = revision
    this.#saved = draft
    this.#take(edited(this.#state.history, draft, { label, at: this.#ports.now() }))
    this.#set({ saving: { status: 'saved' } })
  }

  dispose(): void {
    this.#stopWaiting()
    this.#listeners.clear()
  }

  get #isDirty(): boolean {
    return this.#state.document !== this.#saved
  }

  #set(changes: Partial<EditorState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }

  #take(history: History<EditedFlow>): void {
    if (history === this.#state.history) return
    this.#set({ history, document: history.present })
    this.#changed()
  }

  #changed(): void {
    this.#stopWaiting()
    const { status } = this.#state.saving
    if (status === 'conflict') return
    // While a save is under way, even what the service has now must be saved again: it is about to have something else.
    if (!this.#isDirty && !this.#underWay) {
      this.#set({ saving: { status: 'saved' } })
      return
    }
    if (status !== 'saving') this.#set({ saving: { status: 'unsaved' } })
    this.#cancel = this.#ports.delay(() => void this.flush(), PAUSE_MS)
  }

  #stopWaiting(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  async #save(): Promise<void> {
    const sent = this.#state.document
    this.#set({ saving: { status: 'saving' } })
    this.#underWay = this.#send(sent)
    await this.#underWay
    // Edits that came meanwhile are saved after their own pause, which #changed has begun.
    if (this.#state.saving.status === 'saving') this.#set({ saving: { status: this.#isDirty ? 'unsaved' : 'saved' } })
  }

  async #send(sent: EditedFlow): Promise<void> {
    try {
      const { draft, revision } = await this.#ports.save(sent, this.#revision)
      this.#revision = revision
      const { history } = this.#state
      const present = adoptSealed(history.present, sent, draft)
      this.#saved = history.present === sent ? present : draft
      this.#set({ history: { ...history, present }, document: present })
    } catch (error) {
      if (this.#ports.isConflict(error)) await this.#meetConflict()
      else this.#fail(error)
    } finally {
      this.#underWay = null
    }
  }

  #fail(error: unknown): void {
    this.#set({ saving: { status: 'failed', error } })
    if (!this.#ports.mayPass(error)) return
    this.#stopWaiting()
    this.#cancel = this.#ports.delay(() => void this.flush(), RETRY_MS)
  }

  async #meetConflict(): Promise<void> {
    try {
      this.#set({ saving: { status: 'conflict', theirs: await this.#ports.load() } })
    } catch (error) {
      this.#set({ saving: { status: 'failed', error } })
    }
  }
}

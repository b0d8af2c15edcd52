// Gives a step its connections, and lets it wait while the database cannot be read: a run also waits where it writes.
import type { JournalWriter } from '../journal-writer.ts'
import type { Connections, Credential } from '../ports/connections.ts'
import { StorageUnavailable } from '../ports/storage-unavailable.ts'
import type { TlsIdentity } from '../ports/tls.ts'

export class PatientConnections implements Connections {
  readonly #connections: Connections
  readonly #writer: JournalWriter

  constructor(connections: Connections, writer: JournalWriter) {
    this.#connections = connections
    this.#writer = writer
  }

  get fields(): Connections['fields'] {
    return this.#connections.fields
  }

  checkHost(...given: Parameters<Connections['checkHost']>): void {
    this.#connections.checkHost(...given)
  }

  fresh(names: readonly string[], flowId: string | null): Promise<void> | null {
    return this.#read(() => this.#connections.fresh(names, flowId)) as Promise<void> | null
  }

  tls(name: string, flowId: string | null): TlsIdentity | null | Promise<TlsIdentity | null> {
    return this.#read(() => this.#connections.tls(name, flowId))
  }

  credential(name: string, flowId: string | null): Credential | Promise<Credential> {
    return this.#read(() => this.#connections.credential(name, flowId))
  }

  accessToken(name: string): string | Promise<string> {
    return this.#read(() => this.#connections.accessToken(name))
  }

  async renewed(name: string, refused: string): Promise<string | null> {
    return this.#read(() => this.#connections.renewed(name, refused))
  }

  refusedAgain(name: string, token: string): void {
    this.#connections.refusedAgain(name, token)
  }

  /** Returns no promise where nothing has to be waited for. */
  #read<T>(read: () => T | Promise<T>): T | Promise<T> {
    const given = read()
    if (!(given instanceof Promise)) return given
    return given.catch((error) => this.#writer.insist(read, isAway, error))
  }
}

const isAway = (error: unknown): boolean => error instanceof StorageUnavailable

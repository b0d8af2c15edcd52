// Reads the files of senders: each when it is first asked for, and once.
import { readdirSync, readFileSync } from 'node:fs'
import { packageFile } from '../../base/package-files.ts'
import type { Sender, Senders } from '../../flow/senders/schema.ts'

const FOLDER = packageFile('senders/')
const NAME = /^[a-z][a-z0-9-]{0,39}$/

class SenderFiles implements Senders {
  readonly #read = new Map<string, Sender>()
  #names: readonly string[] | null = null
  #aliases: ReadonlyMap<string, string> | null = null

  names(): readonly string[] {
    this.#names ??= readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json') && NAME.test(file.slice(0, -5)))
      .map((file) => file.slice(0, -5))
      .toSorted()
    return this.#names
  }

  find(name: string): Sender | null {
    if (!NAME.test(name)) return null
    if (this.names().includes(name)) return this.#file(name)
    this.#aliases ??= new Map(
      this.names().flatMap((known) => this.#file(known).aliases.map((alias) => [alias, known] as const)),
    )
    const known = this.#aliases.get(name)
    return known === undefined ? null : this.#file(known)
  }

  #file(name: string): Sender {
    const known = this.#read.get(name)
    if (known) return known
    const sender = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Sender
    this.#read.set(name, sender)
    return sender
  }
}

export const senderFiles: Senders = new SenderFiles()

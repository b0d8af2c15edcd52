// Checks the files of senders against their schema, and that their templates can be read.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { senderFiles } from '../src/app/senders/sender-files.ts'
import { compileSenderAuth } from '../src/flow/senders/compile-sender.ts'
import { SenderFile, senderSchema } from '../src/flow/senders/schema.ts'
import { hasBareSecret } from '../src/flow/triggers/webhook/handshake/bare-secrets.ts'

const folder = resolve(import.meta.dirname, '../senders')
const files = readdirSync(folder).filter((file) => file !== 'sender.schema.json')

const isSecretOfSender = (root: string, name: string | null): boolean =>
  root === 'fields' && (name === null || ['secret', 'verifyToken', 'password'].includes(name))

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe('the files of senders', () => {
  it.each(files)('%s has the form of a sender', (file) => {
    const sender = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    expect(Schema.Errors(SenderFile, sender)).toEqual([true, []])
    expect(`${sender.name}.json`).toBe(file)
    expect(() => compileSenderAuth(sender)).not.toThrow()
  })

  it('give no secret away in a handshake, and sign nothing for strangers', () => {
    for (const name of senderFiles.names())
      for (const { signed, headers, body } of senderFiles.find(name)!.handshake ?? []) {
        const texts = textsIn([headers, body])
        for (const text of texts) {
          expect(hasBareSecret(text, isSecretOfSender), `${name}: ${text}`).toBe(false)
          // A reply that signs what a stranger sends with the secret of deliveries would let the stranger forge them.
          if (!signed) expect(text, name).not.toMatch(/hmac\w+\(.*fields\.secret/)
        }
      }
  })

  it('have names and aliases that lead to one sender each', () => {
    const all = senderFiles.names().map((name) => senderFiles.find(name)!)
    const names = all.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    for (const { name, aliases } of all) for (const alias of aliases) expect(senderFiles.find(alias)!.name).toBe(name)
    for (const name of ['', 'x', '../package', 'sender.schema', 'Stripe']) expect(senderFiles.find(name)).toBeNull()
  })

  it('have the schema that editors read', () => {
    expect(JSON.parse(readFileSync(join(folder, 'sender.schema.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(senderSchema())),
    )
  })
})

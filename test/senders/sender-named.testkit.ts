// Reads the file of a sender, and makes payloads of its samples.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { hashing } from '../../src/base/hashing.ts'
import { stepBindings } from '../../src/engine/run-bindings.ts'
import { compileTree, renderTree } from '../../src/flow/expression/index.ts'
import type { Sender } from '../../src/flow/senders/schema.ts'
import type { Payload } from './vendor.testkit.ts'

const folder = resolve(import.meta.dirname, '../../senders')

export const senderNamed = (name: string): Sender => JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'))

/** Returns the samples with ids of their own. */
export const samplesOf = (name: string): (Payload & { event: string })[] =>
  senderNamed(name).samples.map((sample) => {
    // The vendor puts its own in place of what samples take from the flow.
    const roots = { fields: { secret: '' }, url: '' }
    const bindings = stepBindings(roots, hashing, randomUUID(), '', Date.now())
    return JSON.parse(JSON.stringify(renderTree(compileTree(sample), bindings)))
  })

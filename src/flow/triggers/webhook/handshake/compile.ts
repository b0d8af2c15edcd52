// Compiles handshakes, those of a flow and those of the file of a sender alike.
import type { SchemaNode } from '../../../check.ts'
import { conditionResolver, optionalResolver, type Resolve, settingResolver } from '../../../compile.ts'
import { parseTemplate } from '../../../expression/index.ts'
import type { Bindings } from '../../../expression/values/bindings.ts'
import type { SenderHandshake } from '../../../senders/schema.ts'
import type { CompiledReply } from '../../trigger-kind.ts'
import { Handshake, type HandshakeDocument } from './schema.ts'

export interface CompiledHandshake {
  method: string
  /** Whether it comes after authentication. */
  signed: boolean
  when(bindings: Bindings): boolean
  /** What `when` reads of secrets: if one of them is empty, it never holds. */
  secrets: readonly (readonly string[])[]
  reply: CompiledReply
  keeps: readonly KeptField[]
}

/** What the sender hands over, and the field of a connection that keeps it. */
export interface KeptField {
  value: Resolve
  connection: string
  field: string
}

const SECRET_ROOTS: readonly (string | undefined)[] = ['env', 'connections', 'fields']

/** `keepIn`: returns the field of a connection that keeps a field of the sender. */
export function compileHandshake(
  document: HandshakeDocument | SenderHandshake,
  keepIn: (field: string) => Pick<KeptField, 'connection' | 'field'> | null = () => null,
): CompiledHandshake {
  const { method, signed, status, headers, contentType, body } = document
  const when = document.when as unknown as string | boolean
  const nodes = (Handshake as unknown as SchemaNode).properties!
  const type = contentType === undefined ? [] : [{ name: 'Content-Type', value: contentType }]
  return {
    method,
    signed: signed ?? method === 'POST',
    when: conditionResolver(when),
    secrets: typeof when === 'string' ? secretsIn(when) : [],
    reply: {
      status: () => status ?? 200,
      headers: settingResolver(nodes['headers']!, [...type, ...(headers ?? [])]),
      body: settingResolver(nodes['body']!, body),
    },
    keeps: Object.entries('keep' in document ? (document.keep ?? {}) : {}).flatMap(([name, value]) => {
      const place = keepIn(name)
      return place && value !== undefined ? [{ ...place, value: optionalResolver(value) }] : []
    }),
  }
}

const secretsIn = (source: string): string[][] =>
  parseTemplate(source).parts.flatMap((part) =>
    typeof part === 'string'
      ? []
      : part.references.map(({ path }) => path).filter(([root]) => SECRET_ROOTS.includes(root)),
  )

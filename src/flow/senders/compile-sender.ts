// Compiles the file of a sender, with what a flow says about it.
import { isHmac } from '../../base/signing/algorithm-names.ts'
import { optionalResolver, textResolver } from '../compile.ts'
import { type Bindings, MISSING } from '../expression/values/bindings.ts'
import { type CompiledAuth, compileSigned } from '../triggers/webhook/compile-auth.ts'
import { type CompiledHandshake, compileHandshake } from '../triggers/webhook/handshake/compile.ts'
import { keptIn } from './check-sender.ts'
import { FIELD_NAMES, type FieldName, type Sender, type SenderAuthDocument, type Senders } from './schema.ts'

/** What a flow gives: texts with templates, and of secrets a list during a rotation. */
export type GivenFields = Partial<Record<FieldName, string | string[]>>

/** The values of the fields, for the root `fields`: an object without a prototype. */
export type Fields = Readonly<Partial<Record<FieldName, string | readonly string[]>>>

/** Returns the resolver of the fields. What is missing is left out: it never admits anyone. */
export function compileFields(given: GivenFields): (bindings: Bindings) => Fields {
  const resolvers = FIELD_NAMES.filter((name) => given[name] !== undefined).map((name) => {
    const texts = [given[name]!].flat().map(optionalResolver)
    return { name, texts, isList: Array.isArray(given[name]) }
  })
  return (bindings) => {
    const fields: Partial<Record<FieldName, string | string[]>> = Object.create(null)
    for (const { name, texts, isList } of resolvers) {
      const values = texts.map((text) => text(bindings)).filter((value) => value !== MISSING && value !== '')
      if (values.length) fields[name] = isList ? values.map(String) : String(values[0])
    }
    return fields
  }
}

/** The parts of a trigger that come from the file of its sender. */
export interface CompiledSender {
  name: string
  fields(bindings: Bindings): Fields
  auth: CompiledAuth
  handshakes: readonly CompiledHandshake[]
  accept: readonly string[] | undefined
  dedupe: string | null
  event: string | null
}

/** A sender that this version does not know lets nobody in. */
export function compileSender(given: GivenFields & { name: string }, senders: Senders): CompiledSender {
  const { name } = given
  const file = senders.find(name)
  const fields = compileFields(given)
  if (!file)
    return {
      name,
      fields,
      auth: { kind: 'closed', sender: name },
      handshakes: [],
      accept: undefined,
      dedupe: null,
      event: null,
    }
  const { accept, dedupe, event, handshake = [] } = file
  const handshakes = handshake.map((one) => compileHandshake(one, (field) => keptIn(given[field as FieldName])))
  return { name: file.name, fields, auth: compileSenderAuth(file), handshakes, accept, dedupe, event }
}

export function compileSenderAuth({ auth }: Pick<Sender, 'auth'>): CompiledAuth {
  return Array.isArray(auth) ? { kind: 'all', of: auth.map(compileOne) } : compileOne(auth)
}

function compileOne(auth: SenderAuthDocument): CompiledAuth {
  switch (auth.kind) {
    case 'none':
      return auth
    case 'header':
    case 'query':
      return { kind: auth.kind, name: () => auth.name, value: secrets(auth.value), anyCase: true }
    case 'basic':
      return { kind: 'basic', user: textResolver(auth.user), password: textResolver(auth.password) }
    case 'body':
      return { kind: 'body', given: optionalResolver(auth.given), value: secrets(auth.value) }
    case 'signature': {
      const key: FieldName = isHmac(auth.algorithm) ? 'secret' : 'publicKey'
      const headers = [auth.header ?? []].flat()
      return { ...compileSigned(auth), keys: (bindings) => texts(bindings, key), headers: () => headers }
    }
  }
}

function texts({ roots }: Bindings, name: FieldName): string[] {
  const value = (roots['fields'] as Fields)[name]
  return value === undefined ? [] : [value].flat()
}

/** Returns the resolver of what has to be sent; a list, if the template is a field that has one. */
function secrets(source: string): (bindings: Bindings) => string | readonly string[] {
  const resolve = optionalResolver(source)
  return (bindings) => {
    const value = resolve(bindings)
    if (Array.isArray(value)) return value
    return value === MISSING ? '' : String(value)
  }
}

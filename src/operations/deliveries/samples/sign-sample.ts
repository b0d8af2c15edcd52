// Makes a request out of a sample of a sender, signed as the sender signs: the inverse of verifying, from the same file.
import type { KeyObject } from 'node:crypto'
import { isHmac } from '../../../base/signing/algorithm-names.ts'
import { signWith } from '../../../base/signing/algorithms.ts'
import { KEY_FORMS } from '../../../base/signing/key-forms.ts'
import { type Hashing, stepBindings } from '../../../engine/run-bindings.ts'
import { collectPairs, FORM_TYPE, lastValues } from '../../../engine/webhook-data.ts'
import { type Bindings, compileTree, parseTemplate, renderTree } from '../../../flow/expression/index.ts'
import { formPairs } from '../../../flow/form-pairs.ts'
import type { Fields } from '../../../flow/senders/compile-sender.ts'
import { authsOf } from '../../../flow/senders/describe-sender.ts'
import type { Sender, SenderAuthDocument, SenderSample, SenderSignature } from '../../../flow/senders/schema.ts'
import { compileSigned, type SignedPart } from '../../../flow/triggers/webhook/compile-auth.ts'

export interface SampleRequest {
  /** Names and values: name, value, name, value … */
  rawHeaders: string[]
  /** The query with its question mark, or nothing. */
  search: string
  body: Buffer
}

export interface Signing {
  fields: Fields
  /** The URL of the webhook, without a query. */
  url: string
  nowMs: number
  /** What makes the ids of the sample its own. */
  seed: string
  hashing: Hashing
  /** That of a sender that signs with a key pair. */
  privateKey?: KeyObject | null
}

/** Returns the sample with its templates filled in. */
export function filledSample(sample: SenderSample, signing: Signing): SenderSample {
  return renderTree(compileTree(sample), bindingsOf(signing, {})) as SenderSample
}

export function signSample(sender: Sender, sample: SenderSample, signing: Signing): SampleRequest {
  const draft = new Draft(filledSample(sample, signing), signing)
  const auths = authsOf(sender)
  for (const auth of auths) if (auth.kind !== 'signature') draft.prove(auth)
  for (const auth of auths) if (auth.kind === 'signature') draft.sign(auth)
  return draft.request()
}

const bindingsOf = ({ fields, url, nowMs, seed, hashing }: Signing, roots: Record<string, unknown>): Bindings =>
  stepBindings(Object.assign(Object.create(null), { fields, url, ...roots }), hashing, seed, 'sample', nowMs)

class Draft {
  readonly #signing: Signing
  readonly #headers: Record<string, string> = Object.create(null)
  readonly #query: Record<string, string>
  readonly #sample: SenderSample

  constructor(sample: SenderSample, signing: Signing) {
    this.#signing = signing
    this.#sample = sample
    const type = sample.contentType ?? (sample.form ? FORM_TYPE : sample.text === undefined ? JSON_TYPE : 'text/plain')
    this.#headers['content-type'] = type
    for (const [name, value] of Object.entries(sample.headers ?? {})) this.#headers[name.toLowerCase()] = value
    this.#query = { ...sample.query }
  }

  /** Puts the token where the sender sends it. */
  prove(auth: Exclude<SenderAuthDocument, SenderSignature>): void {
    const filled = (source: string) => this.#firstOf(source)
    if (auth.kind === 'header') this.#headers[auth.name.toLowerCase()] = filled(auth.value)
    else if (auth.kind === 'query') this.#query[auth.name] = filled(auth.value)
    else if (auth.kind === 'basic') {
      const text = `${filled(auth.user)}:${filled(auth.password)}`
      this.#headers['authorization'] = `Basic ${Buffer.from(text).toString('base64')}`
    } else if (auth.kind === 'body') this.#set(auth.given, filled(auth.value))
  }

  sign(auth: SenderSignature): void {
    const { entries, prefix = '' } = auth
    const { nowMs } = this.#signing
    const make = this.#signer(auth)
    // The webhook says then what is wrong with the secret.
    if (make === null) return
    const time = String(Math.floor(nowMs / 1000))
    if (auth.timestamp !== undefined) this.#setTime(auth.timestamp)
    const bindings = bindingsOf(this.#signing, { webhook: this.#webhook(), url: this.#url(), signature: { time } })
    const body = this.#body()
    const parts = compileSigned(auth).signed.map((part) => bytesOf(part, bindings, body))
    const signature = [prefix].flat()[0]! + make(parts)
    if (auth.given !== undefined) this.#set(auth.given, signature)
    else this.#headers[headerOf(auth)] = entries ? listOf(entries, time, signature) : signature
  }

  /** Returns what signs, or null if there is no key for it. */
  #signer({ algorithm, encoding, key = 'text' }: SenderSignature): ((parts: readonly Uint8Array[]) => string) | null {
    const { fields, privateKey } = this.#signing
    if (!isHmac(algorithm))
      return privateKey ? (parts) => signWith(algorithm, privateKey, parts).toString(encoding) : null
    const hmacKey = KEY_FORMS[key].decode([fields.secret ?? ''].flat()[0]!)
    return hmacKey && ((parts) => hmacKey.of(algorithm, parts, encoding))
  }

  request(): SampleRequest {
    return { rawHeaders: Object.entries(this.#headers).flat(), search: this.#search(), body: this.#body() }
  }

  #firstOf(source: string): string {
    const value = renderTree(compileTree(source), bindingsOf(this.#signing, {}))
    return textOf([value].flat()[0])
  }

  #search(): string {
    const search = new URLSearchParams(this.#query).toString()
    return search === '' ? '' : `?${search}`
  }

  #url(): string {
    const { url } = this.#signing
    return url.includes('?') ? url : url + this.#search()
  }

  #body(): Buffer {
    const { body, form, text } = this.#sample
    return Buffer.from(text ?? (form ? new URLSearchParams(form).toString() : JSON.stringify(body ?? {})))
  }

  #webhook(): object {
    const rawBody = this.#body().toString()
    const { body, form, text } = this.#sample
    const queryAll = collectPairs(formPairs(this.#search().slice(1)))
    return {
      body: text ?? (form ? lastValues(collectPairs(formPairs(rawBody))) : (body ?? {})),
      headers: this.#headers,
      query: lastValues(queryAll),
      queryAll,
      rawBody,
      metadata: { method: 'POST' },
    }
  }

  /** Sets the time where the template reads it, in the form that the sample has there. */
  #setTime(source: string): void {
    const paths = pathsIn(source)
    const path = paths.find((one) => this.#get(one) !== undefined) ?? paths[0]
    if (path) this.#put(path, timeLike(this.#get(path) ?? '', this.#signing.nowMs))
  }

  /** Sets what the template reads, if it reads one place and nothing else. */
  #set(source: string, value: string): void {
    const [path, other] = pathsIn(source)
    if (path && !other && !source.includes('(')) this.#put(path, value)
  }

  #holder([, part, ...names]: readonly string[]): { holder: Record<string, unknown>; name: string } | null {
    let holder: unknown =
      part === 'headers'
        ? this.#headers
        : part === 'query'
          ? this.#query
          : part === 'body'
            ? (this.#sample.body ?? this.#sample.form)
            : null
    for (const name of names.slice(0, -1)) holder = isRecord(holder) ? holder[name] : null
    return isRecord(holder) && names.length ? { holder, name: names.at(-1)! } : null
  }

  #get(path: readonly string[]): unknown {
    const place = this.#holder(path)
    return place && Object.hasOwn(place.holder, place.name) ? place.holder[place.name] : undefined
  }

  #put(path: readonly string[], value: unknown): void {
    const place = this.#holder(path)
    if (place) place.holder[place.name] = value
  }
}

const JSON_TYPE = 'application/json'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const headerOf = ({ header }: SenderSignature): string => [header ?? ''].flat()[0]!.toLowerCase()

function listOf(entries: NonNullable<SenderSignature['entries']>, time: string, signature: string): string {
  const { between, within } = entries
  const named = `${entries.signature}${within}${signature}`
  return entries.time === undefined ? named : `${entries.time}${within}${time}${between}${named}`
}

function bytesOf(part: SignedPart, bindings: Bindings, body: Buffer): Uint8Array {
  if (part === null) return body
  return part instanceof Uint8Array ? part : Buffer.from(part.value(bindings), part.encoding)
}

/** Returns the places of the request that a template reads. */
const pathsIn = (source: string): string[][] =>
  parseTemplate(source).parts.flatMap((part) =>
    typeof part === 'string' ? [] : part.references.map(({ path }) => path).filter(([root]) => root === 'webhook'),
  )

function timeLike(before: unknown, nowMs: number): string | number {
  const text = String(before)
  if (text.includes('T')) return new Date(nowMs).toISOString()
  const time = text.length >= 12 ? nowMs : Math.floor(nowMs / 1000)
  return typeof before === 'number' ? time : String(time)
}

// Reads a curl command as the settings of an HTTP step, and says what it could not take over.
import { decodeBase64 } from '../expression/base64.ts'
import { type DataPart, dataText, jsonOrText, jsonValue, pairsOf, queryPairs, splitAt } from './curl-data.ts'
import { OTHER_AUTH, REASONS, SECRET_VALUE, SHORT, WITH_VALUE, WITHOUT_EFFECT } from './curl-options.ts'
import type { HttpAuth, HttpBody, HttpRequestSettings, NameValue } from './http-settings.ts'
import { shellWords } from './shell-words.ts'

export interface NotTaken {
  what: string
  reason: string
}

export interface ParsedCurl {
  settings: HttpRequestSettings
  notTaken: NotTaken[]
}

/** Null for text that is no curl command. */
export function parseCurl(text: string): ParsedCurl | null {
  const { words, notTaken } = shellWords(text.trim())
  // A prompt, variables set for the command, and sudo may stand before it.
  const at = words.findIndex((word) => /^(?:.*[\\/])?curl(?:\.exe)?$/i.test(word))
  if (at === -1 || words.slice(0, at).some((word) => !/^(?:[$%>#]|sudo|time|\w+=.*)$/.test(word))) return null
  const command = new Command(notTaken)
  command.read(words.slice(at + 1))
  return { settings: command.settings(), notTaken: command.notTaken }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

class Command {
  readonly notTaken: NotTaken[]
  #method: string | null = null
  #url: string | null = null
  #isGet = false
  #isHead = false
  #timeout: number | null = null
  #follows: boolean | null = null
  #cookies = false
  #retries: number | null = null
  #retryDelay: number | null = null
  #auth: HttpAuth | null = null
  #otherAuth = false
  readonly #headers: NameValue[] = []
  readonly #data: DataPart[] = []
  readonly #fields: NameValue[] = []
  readonly #query: DataPart[] = []

  constructor(notTaken: NotTaken[]) {
    this.notTaken = [...notTaken]
  }

  #skip(what: string, reason: string): void {
    this.notTaken.push({ what, reason })
  }

  read(words: string[]): void {
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!
      if (word === '--next') {
        this.#skip(word, REASONS['next']!)
        return
      }
      if (word.startsWith('--') && word.length > 2) {
        const [, name, given] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [word, word.slice(2)]
        if (!WITH_VALUE.has(name!)) this.#option(name!, '', `--${name}`)
        else this.#option(name!, given ?? words[++i] ?? '', `--${name}`)
      } else if (word.startsWith('-') && word.length > 1) i += this.#short(word.slice(1), words[i + 1])
      else this.#takeUrl(word)
    }
  }

  /** `-sSL`, `-XPOST`, `-d @file`; how many of the following words were its value. */
  #short(letters: string, next: string | undefined): number {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters.charAt(i)
      const name = SHORT[letter]
      if (name === undefined) {
        this.#skip(`-${letter}`, 'An option that is not known here.')
        continue
      }
      if (!WITH_VALUE.has(name)) {
        this.#option(name, '', `-${letter}`)
        continue
      }
      const attached = letters.slice(i + 1)
      this.#option(name, attached || (next ?? ''), `-${letter}`)
      return attached ? 0 : 1
    }
    return 0
  }

  #takeUrl(url: string): void {
    if (this.#url === null) this.#url = url
    else this.#skip(url, 'Only one URL is taken over.')
  }

  #option(name: string, value: string, written: string): void {
    switch (name) {
      case 'url':
        this.#takeUrl(value)
        return
      case 'request':
        this.#method = value.toUpperCase()
        return
      case 'header':
        this.#header(value, written)
        return
      case 'data':
      case 'data-ascii':
      case 'data-binary':
        if (value.startsWith('@')) {
          this.#skip(`${written} ${value}`, FILE)
          return
        }
        this.#data.push({ text: value, as: 'raw' })
        return
      case 'data-raw':
        this.#data.push({ text: value, as: 'raw' })
        return
      case 'data-urlencode':
      case 'url-query':
        this.#urlencoded(value, name === 'url-query' ? this.#query : this.#data, written)
        return
      case 'json':
        if (value.startsWith('@')) {
          this.#skip(`${written} ${value}`, FILE)
          return
        }
        this.#data.push({ text: value, as: 'json' })
        return
      case 'form':
        this.#formField(value, written)
        return
      case 'form-string': {
        const [field, text] = splitAt(value, '=')
        this.#fields.push({ name: field, value: text ?? '' })
        return
      }
      case 'user':
        this.#user(value, written)
        return
      case 'oauth2-bearer':
        this.#auth = { kind: 'bearer', token: value }
        return
      case 'get':
        this.#isGet = true
        return
      case 'head':
        this.#isHead = true
        return
      case 'cookie':
        if (value.includes('=')) this.#headers.push({ name: 'Cookie', value })
        else if (value === '') this.#cookies = true
        else this.#skip(`${written} ${value}`, FILE)
        return
      case 'user-agent':
        this.#headers.push({ name: 'User-Agent', value })
        return
      case 'referer':
        this.#headers.push({ name: 'Referer', value: value.replace(/;auto$/, '') })
        return
      case 'location':
      case 'location-trusted':
        this.#follows = true
        if (name === 'location-trusted')
          this.#skip(written, 'Credentials are not sent on when a redirect leads to another origin.')
        return
      case 'no-location':
        this.#follows = false
        return
      case 'max-time':
        this.#maxTime(value, written)
        return
      case 'retry':
        this.#retries = Math.trunc(Number(value))
        return
      case 'retry-delay':
        this.#retryDelay = Number(value)
        return
      case 'basic':
        return
    }
    if (OTHER_AUTH.has(name)) this.#otherAuth = true
    if (WITHOUT_EFFECT.has(name) || WITHOUT_EFFECT.has(name.replace(/^no-/, ''))) return
    const shown = value === '' || SECRET_VALUE.has(name) ? written : `${written} ${value.replace(/:\/\/[^/]*@/, '://')}`
    this.#skip(shown, REASONS[name] ?? 'An option that is not known here.')
  }

  #header(value: string, written: string): void {
    if (value.startsWith('@')) {
      this.#skip(`${written} ${value}`, FILE)
      return
    }
    const [name, text] = splitAt(value, ':')
    // `X-Empty;` is how curl writes a header without a value.
    if (text === undefined && name.endsWith(';')) this.#headers.push({ name: name.slice(0, -1).trim(), value: '' })
    else if (text === undefined || text.trim() === '')
      this.#skip(`${written} ${value}`, 'It removes a header of curl’s own.')
    else if (OWN_HEADERS.has(name.trim().toLowerCase()))
      this.#skip(`${written} ${value}`, `${name.trim()} is set by Millrace itself.`)
    else this.#headers.push({ name: name.trim(), value: text.trim() })
  }

  /** `content`, `=content`, `name=content`; `@file` and `name@file` are files. */
  #urlencoded(value: string, into: DataPart[], written: string): void {
    const isFile = /^[^=]*@/.test(value)
    if (isFile) {
      this.#skip(`${written} ${value}`, FILE)
      return
    }
    if (value.startsWith('+') && into === this.#query) into.push({ text: value.slice(1), as: 'raw' })
    else into.push({ text: value, as: 'urlencode' })
  }

  #formField(value: string, written: string): void {
    const [name, text = ''] = splitAt(value, '=')
    if (/^[@<]/.test(text)) {
      this.#skip(`${written} ${value}`, FILE)
      return
    }
    const [, content, options] = /^([\s\S]*?)((?:;(?:type|filename|headers|encoder)=[^;]*)*)$/.exec(text)!
    if (options)
      this.#skip(`${written} ${value}`, 'A part has a name and a value; its type and file name were left out.')
    this.#fields.push({ name, value: content!.replace(/^"([\s\S]*)"$/, '$1') })
  }

  #user(value: string, written: string): void {
    const [username, password] = splitAt(value, ':')
    if (password === undefined) this.#skip(written, 'The password, which curl would ask for.')
    this.#auth = { kind: 'basic', username, password: password ?? '' }
  }

  #maxTime(value: string, written: string): void {
    const seconds = Number(value)
    if (seconds > 0 && seconds <= 300) this.#timeout = seconds
    else this.#skip(`${written} ${value}`, 'A timeout is more than 0 and at most 300 seconds.')
  }

  settings(): HttpRequestSettings {
    const queryParts = this.#isGet ? [...this.#query, ...this.#data] : this.#query
    const hasBody = !this.#isGet && (this.#data.length > 0 || this.#fields.length > 0)
    const body = hasBody ? this.#body() : undefined
    const url = this.#fullUrl()
    const auth = this.#sendableAuth() ?? this.#authFromHeaders()
    const query = queryParts.flatMap((part) => queryPairs(part))
    return {
      method: this.#chosenMethod(hasBody),
      url,
      ...(query.length ? { query } : {}),
      ...(this.#headers.length ? { headers: this.#headers } : {}),
      ...(body ? { body } : {}),
      ...(auth ? { auth } : {}),
      ...(this.#timeout === null ? {} : { timeout: this.#timeout }),
      ...(this.#follows === false ? { followRedirects: false } : {}),
      ...(this.#cookies ? { cookies: true } : {}),
      ...this.#retry(),
    }
  }

  #chosenMethod(hasBody: boolean): string {
    const method = this.#method ?? (this.#isHead ? 'HEAD' : hasBody ? 'POST' : 'GET')
    if (METHODS.includes(method)) return method
    this.#skip(`-X ${method}`, `The methods are ${METHODS.join(', ')}.`)
    return hasBody ? 'POST' : 'GET'
  }

  #fullUrl(): string {
    const given = this.#url ?? ''
    if (given === '') this.#skip('URL', 'The command has none.')
    const url = given === '' || given.includes('://') || given.startsWith('{{') ? given : `http://${given}`
    const [, scheme, credentials, rest] = /^(https?:\/\/)([^/?#@{]*)@(.*)$/is.exec(url) ?? []
    if (credentials === undefined) return url
    // As curl does; in the URL they would not be sealed.
    const [username, password] = splitAt(credentials, ':')
    this.#auth ??= { kind: 'basic', username: decoded(username), password: decoded(password ?? '') }
    return `${scheme}${rest}`
  }

  /** Meant for a scheme that proves them without sending them, they must not be sent. */
  #sendableAuth(): HttpAuth | null {
    if (!this.#otherAuth || this.#auth?.kind !== 'basic') return this.#auth
    this.#skip('Credentials', NOT_IN_CLEAR)
    return null
  }

  #retry(): Pick<HttpRequestSettings, 'retry'> {
    if (!this.#retries || !(this.#retries > 0)) return {}
    const delay = this.#retryDelay !== null && this.#retryDelay > 0 ? { delay: this.#retryDelay } : {}
    return { retry: { attempts: this.#retries + 1, ...delay } }
  }

  #body(): HttpBody {
    if (this.#fields.length) {
      if (this.#data.length) this.#skip('-d', 'A request has either fields (-F) or data (-d).')
      this.#dropContentType(/^multipart\/form-data$/i)
      return { kind: 'form', fields: this.#fields, multipart: true }
    }
    if (this.#data.every(({ as }) => as === 'json')) {
      if (!this.#find('accept')) this.#headers.push({ name: 'Accept', value: 'application/json' })
      return jsonOrText(this.#data.map(({ text }) => text).join(''), 'application/json')
    }
    const type = this.#find('content-type')?.value
    if (type === undefined || /^application\/x-www-form-urlencoded$/i.test(type))
      return this.#formBody(type !== undefined)
    const text = this.#data.map(dataText).join('&')
    if (/^application\/json$/i.test(type)) {
      this.#dropContentType(/./)
      return jsonOrText(text, type)
    }
    if (/[/+]json\b/i.test(type)) return jsonOrText(text, null)
    this.#dropContentType(/./)
    return { kind: 'text', value: text, contentType: type }
  }

  #formBody(isSaid: boolean): HttpBody {
    const text = this.#data.map(dataText).join('&')
    const only = this.#data.length === 1 ? jsonValue(text) : undefined
    if (!isSaid && typeof only?.value === 'object' && only.value !== null) {
      this.#skip('Content-Type', 'curl would call this JSON a form; the step sends it as application/json.')
      return { kind: 'json', value: only.value }
    }
    this.#dropContentType(/./)
    const fields = this.#data.flatMap((part) => pairsOf(part) ?? [null])
    if (fields.every((field) => field !== null)) return { kind: 'form', fields }
    return { kind: 'text', value: text, contentType: 'application/x-www-form-urlencoded' }
  }

  #find(name: string): NameValue | undefined {
    return this.#headers.find((header) => header.name.toLowerCase() === name)
  }

  #dropContentType(type: RegExp): void {
    const at = this.#headers.findIndex(({ name, value }) => name.toLowerCase() === 'content-type' && type.test(value))
    if (at !== -1) this.#headers.splice(at, 1)
  }

  /** Credentials among the settings for authentication are sealed when the flow is saved; in a header they would not be. */
  #authFromHeaders(): HttpAuth | null {
    for (const [at, { name, value }] of this.#headers.entries()) {
      const auth = authOf(name, value)
      if (!auth) continue
      this.#headers.splice(at, 1)
      return auth
    }
    return null
  }
}

const FILE = 'Files of your machine cannot be read by a flow.'
const NOT_IN_CLEAR =
  'They are meant for another way of authenticating, which would not send them as they are; Basic would, so they were left out.'
const OWN_HEADERS = new Set(['host', 'content-length', 'transfer-encoding', 'connection'])

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function authOf(name: string, value: string): HttpAuth | null {
  if (/^(?:x-)?api-?key$/i.test(name)) return { kind: 'apiKey', name, value, in: 'header' }
  if (name.toLowerCase() !== 'authorization') return null
  const [, scheme, rest] = /^(Bearer|Basic)\s+(\S.*)$/i.exec(value) ?? []
  if (scheme?.toLowerCase() === 'bearer') return { kind: 'bearer', token: rest! }
  const decoded = scheme ? decodeBase64(rest!) : undefined
  const [username, password] = splitAt(decoded ?? '', ':')
  return decoded && password !== undefined ? { kind: 'basic', username, password } : null
}

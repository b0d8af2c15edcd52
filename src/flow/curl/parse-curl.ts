// Turns a curl command into the settings of an HTTP step, and lists what it left out.
import { hasTemplate } from '../check.ts'
import { isWrittenByClient, unfitForHeader } from '../outbound-parts.ts'
import { isHeaderName } from '../reply-header.ts'
import { authOfHeader, authOfUrl } from './curl-auth.ts'
import {
  type DataPart,
  dataOrFile,
  dataText,
  isHere,
  jsonOrText,
  jsonValue,
  pairsOf,
  queryPairs,
  splitAt,
} from './curl-data.ts'
import { FILE, NO_FILES, NOT_IN_CLEAR, PATTERN } from './curl-notes.ts'
import { OTHER_AUTH, REASONS, SECRET_VALUE, SHORT, WITH_VALUE, WITHOUT_EFFECT } from './curl-options.ts'
import { credentialsApart, escapedBraces, firstOfPatterns, withFileName } from './curl-url.ts'
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

/** Returns null for text that is not a curl command. */
export function parseCurl(text: string): ParsedCurl | null {
  const { words, notTaken } = shellWords(text.trim())
  // A prompt, variables set for the command, and sudo may come before it.
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
  #upload: { name: string; written: string } | null = null
  #expands = true
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

  /** Reads `-sSL`, `-XPOST`, `-d @file`; returns how many of the following words were the value. */
  #short(letters: string, next: string | undefined): number {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters.charAt(i)
      const name = SHORT[letter]
      if (name === undefined) {
        this.#skip(`-${letter}`, 'This option is unknown.')
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
    else this.#skip(url, 'The import takes only one URL.')
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
        this.#data.push(dataOrFile(value, 'raw', written))
        return
      case 'data-raw':
        this.#data.push({ text: value, as: 'raw' })
        return
      case 'data-urlencode':
      case 'url-query':
        this.#urlencoded(value, name === 'url-query' ? this.#query : this.#data, written)
        return
      case 'json':
        this.#data.push(dataOrFile(value, 'json', written))
        return
      case 'upload-file':
        if (this.#upload) this.#skip(`${written} ${value}`, 'A request sends one file.')
        else this.#upload = { name: value, written: `${written} ${value}` }
        return
      case 'globoff':
        this.#expands = false
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
        if (value.includes('=')) this.#pushHeader('Cookie', value, written)
        else if (value === '') this.#cookies = true
        else this.#skip(`${written} ${value}`, FILE)
        return
      case 'user-agent':
        this.#pushHeader('User-Agent', value, written)
        return
      case 'referer':
        this.#pushHeader('Referer', value.replace(/;auto$/, ''), written)
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
    this.#skip(shown, REASONS[name] ?? 'This option is unknown.')
  }

  #header(value: string, written: string): void {
    if (value.startsWith('@')) {
      this.#skip(`${written} ${value}`, FILE)
      return
    }
    const [name, text] = splitAt(value, ':')
    // `X-Empty;` is how curl writes a header without a value.
    if (text === undefined && name.endsWith(';')) this.#pushHeader(name.slice(0, -1).trim(), '', written)
    else if (text === undefined || text.trim() === '')
      this.#skip(`${written} ${value}`, 'It removes a header that curl sets.')
    else if (isWrittenByClient(name.trim()))
      this.#skip(`${written} ${value}`, `${name.trim()} is set by Millrace itself.`)
    else this.#pushHeader(name.trim(), text.trim(), written)
  }

  /** Adds a header, or leaves it out if it could not be published; messages do not repeat a value, which may be secret. */
  #pushHeader(name: string, value: string, written: string): void {
    if (!hasTemplate(name) && !isHeaderName(name))
      this.#skip(`${written} ${name}`, 'It cannot be the name of a header.')
    else if (!hasTemplate(value) && unfitForHeader(value) !== null)
      this.#skip(`${written} ${name}`, 'Its value has characters that a header cannot carry.')
    else this.#headers.push({ name, value })
  }

  /** Reads `content`, `=content`, `name=content`; `@file` and `name@file` are files. */
  #urlencoded(value: string, into: DataPart[], written: string): void {
    const [, name] = /^([^=@]*)@/.exec(value) ?? []
    if (name !== undefined)
      into.push({ text: name === '' ? '' : `${name}=`, as: 'urlencode', file: `${written} ${value}` })
    else if (value.startsWith('+') && into === this.#query) into.push({ text: value.slice(1), as: 'raw' })
    else into.push({ text: value, as: 'urlencode' })
  }

  #formField(value: string, written: string): void {
    const [name, text = ''] = splitAt(value, '=')
    if (/^[@<]/.test(text)) {
      this.#skip(`${written} ${value}`, `${NO_FILES}: put the content, if it is text, into the value of the field.`)
      this.#fields.push({ name, value: '' })
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
    for (const { file } of this.#query) this.#noteFile(file, 'the query')
    for (const { file } of this.#data) this.#noteFile(file, this.#isGet ? 'the query' : 'the body')
    this.#noteFile(this.#upload?.written, 'the body')
    const hasBody = this.#upload !== null || (!this.#isGet && (this.#data.length > 0 || this.#fields.length > 0))
    const method = this.#chosenMethod(hasBody)
    if (hasBody && method === 'HEAD') this.#skip('Body', 'A HEAD request cannot have one.')
    const body = hasBody && method !== 'HEAD' ? this.#body() : undefined
    const url = this.#fullUrl()
    const auth = this.#sendableAuth() ?? this.#authFromHeaders()
    const query = queryParts.filter(isHere).flatMap((part) => queryPairs(part))
    return {
      method,
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
    const usual = this.#upload ? 'PUT' : hasBody ? 'POST' : 'GET'
    const method = this.#method ?? (this.#isHead ? 'HEAD' : usual)
    if (METHODS.includes(method)) return method
    this.#skip(`-X ${method}`, `The methods are ${METHODS.join(', ')}.`)
    return usual
  }

  #fullUrl(): string {
    const given = this.#url ?? ''
    if (given === '') this.#skip('URL', 'The command has none.')
    const full = given === '' || given.includes('://') || given.startsWith('{{') ? given : `http://${given}`
    const { url: one, patterns } = this.#expands ? firstOfPatterns(full) : { url: full, patterns: [] }
    for (const pattern of patterns) this.#skip(pattern, PATTERN)
    const { url, credentials } = credentialsApart(escapedBraces(one))
    if (credentials !== null) this.#credentials(credentials)
    return this.#upload ? withFileName(url, this.#upload.name) : url
  }

  /** Takes credentials out of the URL, as curl does; inside it they would not be sealed. */
  #credentials(credentials: string): void {
    if (this.#auth) this.#skip('Credentials in the URL', 'The command has other credentials, which win.')
    else this.#auth = authOfUrl(credentials)
  }

  #noteFile(written: string | undefined, place: string): void {
    if (written !== undefined) this.#skip(written, `${NO_FILES}: put the content into ${place}.`)
  }

  /** Returns no credentials for a scheme that proves them without sending them: they must not be sent. */
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
    const type = this.#find('content-type')?.value
    const parts = this.#data.filter(isHere)
    if (this.#upload) return this.#fileBody(type)
    if (this.#data.every(({ as }) => as === 'json')) {
      if (!this.#find('accept')) this.#headers.push({ name: 'Accept', value: 'application/json' })
      if (parts.length === 0) return this.#fileBody(type ?? 'application/json')
      return jsonOrText(parts.map(({ text }) => text).join(''), 'application/json')
    }
    if (parts.length === 0) return this.#fileBody(type ?? 'application/x-www-form-urlencoded')
    if (type === undefined || /^application\/x-www-form-urlencoded$/i.test(type))
      return this.#formBody(parts, type !== undefined)
    const text = parts.map(dataText).join('&')
    if (/^application\/json$/i.test(type)) {
      this.#dropContentType(/./)
      return jsonOrText(text, type)
    }
    if (/[/+]json\b/i.test(type)) return jsonOrText(text, null)
    this.#dropContentType(/./)
    return { kind: 'text', value: text, contentType: type }
  }

  /** An empty body in place of a file's content. */
  #fileBody(type: string | undefined): HttpBody {
    const isJson = type !== undefined && /[/+]json\b/i.test(type)
    if (!isJson || /^application\/json$/i.test(type)) this.#dropContentType(/./)
    if (isJson) return { kind: 'json', value: {} }
    return { kind: 'text', value: '', ...(type === undefined ? {} : { contentType: type }) }
  }

  #formBody(parts: readonly DataPart[], isSaid: boolean): HttpBody {
    const text = parts.map(dataText).join('&')
    const only = parts.length === 1 ? jsonValue(text) : undefined
    if (!isSaid && typeof only?.value === 'object' && only.value !== null) {
      this.#skip('Content-Type', 'curl would call this JSON a form; the step sends it as application/json.')
      return { kind: 'json', value: only.value }
    }
    this.#dropContentType(/./)
    const fields = parts.flatMap((part) => pairsOf(part) ?? [null])
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

  /** Moves credentials from headers to the settings for authentication, which are sealed when the flow is saved. */
  #authFromHeaders(): HttpAuth | null {
    for (const [at, { name, value }] of this.#headers.entries()) {
      const auth = authOfHeader(name, value)
      if (!auth) continue
      this.#headers.splice(at, 1)
      return auth
    }
    return null
  }
}

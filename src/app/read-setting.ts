// Reads single settings from the environment, and says what is wrong with one.
import { isAddressRange } from '../base/address-range.ts'

export type Environment = Record<string, string | undefined>

export class ConfigError extends Error {}

/** Reads settings of every kind. `refuse` names the setting, and gives an example of what it takes. */
export class SettingReader {
  readonly #environment: Environment
  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Returns undefined for an unset and for an empty variable. */
  get(name: string): string | undefined {
    return this.#environment[name]?.trim() || undefined
  }

  refuse(name: string, fault: string, example: string): never {
    throw new ConfigError(`${name}: ${fault}. Example: ${name}=${example}`)
  }

  text(name: string, fallback: string): string {
    return this.get(name) ?? fallback
  }

  list(name: string): string[] {
    return (this.get(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }

  number(name: string, fallback: number, minimum: number, maximum: number): number {
    const text = this.get(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (!Number.isFinite(value)) this.refuse(name, `"${text}" is not a number`, String(fallback))
    if (value < minimum || value > maximum)
      this.refuse(name, `${text} is not between ${minimum} and ${maximum}`, String(fallback))
    return value
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.number(name, fallback, minimum, maximum)
    if (!Number.isInteger(value)) this.refuse(name, `${value} is not a whole number`, String(fallback))
    return value
  }

  choice<T extends string>(name: string, allowed: readonly [T, ...T[]]): T {
    const text = this.get(name)
    if (text === undefined) return allowed[0]
    const value = allowed.find((option) => option === text.toLowerCase())
    return value ?? this.refuse(name, `"${text}" is not one of ${allowed.join(', ')}`, allowed[0])
  }

  /** Reads a size in binary units: 10mb is 10,485,760 bytes. */
  size(name: string, fallback: string, mostGb = 1): number {
    const text = this.get(name) ?? fallback
    const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text)
    if (!match) this.refuse(name, `"${text}" is not a size`, fallback)
    const unit = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match[2] ?? 'b').toLowerCase()]!
    const bytes = Math.floor(Number(match[1]) * unit)
    if (bytes < 1 || bytes > mostGb * 1024 ** 3)
      this.refuse(name, `${text} is not between 1 byte and ${mostGb}gb`, fallback)
    return bytes
  }

  origin(name: string, fallback: string): string {
    const text = this.get(name)
    if (text === undefined) return fallback
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      this.refuse(name, `"${text}" is not an http or https URL`, 'https://flows.example.com')
    if (url.pathname !== '/' || url.search || url.hash || url.username)
      this.refuse(name, `"${text}" is more than an origin (scheme, host and port)`, url.origin)
    return url.origin
  }

  /** Returns the variables whose names begin with the prefix, without it. */
  prefixed(prefix: string): Record<string, string> {
    const found: Record<string, string> = Object.create(null)
    for (const [name, value] of Object.entries(this.#environment))
      if (name.startsWith(prefix) && name.length > prefix.length && value !== undefined)
        found[name.slice(prefix.length)] = value
    return found
  }

  cidrs(name: string): string[] {
    const entries = this.list(name)
    for (const entry of entries)
      if (!isAddressRange(entry)) this.refuse(name, `"${entry}" is not an address or CIDR range`, '10.0.0.0/8,::1')
    return entries
  }
}

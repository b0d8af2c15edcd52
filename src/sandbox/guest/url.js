// Defines URL and URLSearchParams; the host parses, so both behave as in Node.
;(({ ask, define }) => {
  class URLSearchParams {
    #pairs = []
    #changed = () => {}
    constructor(init = '', changed) {
      if (typeof changed === 'function') this.#changed = changed
      if (init instanceof URLSearchParams) this.#pairs = [...init.entries()]
      else if (typeof init === 'object' && init !== null) {
        const pairs = typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init)
        this.#pairs = pairs.map((pair) => {
          const [name, value, ...rest] = [...pair]
          if (value === undefined || rest.length) throw new TypeError('Each query pair must be a [name, value] list')
          return [`${name}`, `${value}`]
        })
      } else this.#pairs = ask('parseQuery', [`${init}`])
    }
    #set(pairs) {
      this.#pairs = pairs
      this.#changed(this.toString())
    }
    get size() {
      return this.#pairs.length
    }
    append(name, value) {
      this.#set([...this.#pairs, [`${name}`, `${value}`]])
    }
    delete(name, value) {
      this.#set(this.#pairs.filter((pair) => pair[0] !== `${name}` || (value !== undefined && pair[1] !== `${value}`)))
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === `${name}`)?.[1] ?? null
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === `${name}`).map((pair) => pair[1])
    }
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === `${name}` && (value === undefined || pair[1] === `${value}`))
    }
    set(name, value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === `${name}`)
      if (at === -1) return this.append(name, value)
      const rest = this.#pairs.filter((pair, i) => i <= at || pair[0] !== `${name}`)
      this.#set(rest.map((pair, i) => (i === at ? [pair[0], `${value}`] : pair)))
    }
    sort() {
      this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this)
    }
    *keys() {
      for (const [name] of this.#pairs) yield name
    }
    *values() {
      for (const [, value] of this.#pairs) yield value
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value]
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString() {
      return ask('formatQuery', [this.#pairs])
    }
    get [Symbol.toStringTag]() {
      return 'URLSearchParams'
    }
  }

  class URL {
    #parts
    #params
    constructor(url, base) {
      this.#parts = ask('parseUrl', base === undefined ? [`${url}`] : [`${url}`, `${base}`])
      if (this.#parts === null) throw new TypeError(`Invalid URL: ${`${url}`.slice(0, 200)}`)
    }
    static canParse(url, base) {
      return ask('parseUrl', base === undefined ? [`${url}`] : [`${url}`, `${base}`]) !== null
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null
    }
    static {
      for (const part of [
        'href',
        'origin',
        'protocol',
        'username',
        'password',
        'host',
        'hostname',
        'port',
        'pathname',
        'search',
        'hash',
      ])
        Object.defineProperty(URL.prototype, part, {
          configurable: true,
          enumerable: true,
          get() {
            return this.#parts[part]
          },
          set(value) {
            if (part === 'origin') return
            const changed = ask('changeUrl', [this.#parts.href, part, `${value}`])
            if (changed === null) throw new TypeError(`Invalid URL: ${`${value}`.slice(0, 200)}`)
            this.#parts = changed
            this.#params = undefined
          },
        })
    }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.#parts.search, (query) => {
        this.#parts = ask('changeUrl', [this.#parts.href, 'search', query])
      })
      return this.#params
    }
    toString() {
      return this.#parts.href
    }
    toJSON() {
      return this.#parts.href
    }
    get [Symbol.toStringTag]() {
      return 'URL'
    }
  }

  define({ URL, URLSearchParams })
})(__kit)

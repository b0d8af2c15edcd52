// The part of node:crypto that code steps get. Chunks are collected here, and the host hashes them in one call.
;(({ ask, askText, define, copyBytes, stringify }) => {
  const ALGORITHMS = { __proto__: null, md5: 1, sha1: 1, sha224: 1, sha256: 1, sha384: 1, sha512: 1 }
  const known = (algorithm) => {
    if (typeof algorithm === 'string' && ALGORITHMS[algorithm]) return algorithm
    const name = `${algorithm}`.toLowerCase().replace(/^sha-/, 'sha')
    if (ALGORITHMS[name]) return name
    throw new Error(`Digest method not supported: ${algorithm}; there are ${Object.keys(ALGORITHMS).join(', ')}`)
  }

  /** Up to this length all is told in one text, which crosses once: each crossing takes longer than a short hash itself. */
  const ONE_TEXT = 3000

  class Hash {
    /** The algorithm and all chunks, each after a line with its kind, length and encoding. Undefined after the digest. */
    #said
    /** Bytes and long texts, which cross by themselves; null: there are none. */
    #apart = null
    constructor(algorithm) {
      this.#said = algorithm
    }
    update(data, encoding) {
      const said = this.#said
      if (said === undefined) throw new Error('Digest already called')
      if (typeof data === 'string') {
        const kind = `${data.length} ${encoding ?? 'utf8'}`
        if (encoding !== undefined && kind.includes('\n'))
          throw new TypeError(`Unknown encoding: ${encoding}`.slice(0, 58))
        if (said.length + data.length < ONE_TEXT) this.#said = `${said}\ni${kind}\n${data}`
        else this.#add(`t${kind}`, data)
      } else {
        const bytes = copyBytes(data)
        if (bytes === undefined) throw new TypeError('crypto takes a string, a Uint8Array or an ArrayBuffer')
        this.#add('b', bytes)
      }
      return this
    }
    #add(kind, chunk) {
      this.#said += `\n${kind}`
      this.#apart ??= []
      this.#apart.push(chunk)
    }
    digest(encoding) {
      const said = this.#said
      if (said === undefined) throw new Error('Digest already called')
      this.#said = undefined
      const wanted = encoding === undefined || encoding === 'buffer' ? '' : encoding
      const apart = this.#apart
      const digested =
        (isPlain(said, apart) ? askText('hash', `t${said.length} ${wanted}\n${said}`, apart) : undefined) ??
        askText('hash', `j ${wanted}\n${stringify(said)}`, apart?.map(asJson))
      return wanted === '' ? new Uint8Array(digested) : digested
    }
  }
  /**
   * Returns whether no text holds half a surrogate pair, which could cross as JSON only. A NUL too, but to look for one here would take
   * longer than all else: the host gets a text up to its first NUL, and says so where the length is another.
   */
  const isPlain = (said, apart) =>
    said.isWellFormed() && (apart === null || apart.every((chunk) => typeof chunk !== 'string' || chunk.isWellFormed()))
  const asJson = (chunk) => (typeof chunk === 'string' ? stringify(chunk) : chunk)

  const crypto = {
    createHash(algorithm) {
      return new Hash(known(algorithm))
    },
    createHmac(algorithm, key) {
      return new Hash(`hmac-${known(algorithm)}`).update(key ?? null)
    },
    timingSafeEqual(a, b) {
      return ask('equal', [], chunkBytes(a), chunkBytes(b))
    },
    randomUUID() {
      return ask('uuid', [])
    },
  }
  const encoder = new TextEncoder()
  const chunkBytes = (data) => copyBytes(typeof data === 'string' ? encoder.encode(data) : data)

  define({
    crypto,
    require: function require(name) {
      if (name === 'crypto' || name === 'node:crypto') return crypto
      throw new Error(`Cannot find module '${name}'`)
    },
  })
})(__kit)

// The part of node:crypto that code steps get. Chunks are collected here, and the host hashes them in one call.
;(({ ask, askText, define, copyBytes, stringify }) => {
  const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
  const known = (algorithm) => {
    if (ALGORITHMS.includes(algorithm)) return algorithm
    const name = `${algorithm}`.toLowerCase().replace(/^sha-/, 'sha')
    if (ALGORITHMS.includes(name)) return name
    throw new Error(`Digest method not supported: ${algorithm}; there are ${ALGORITHMS.join(', ')}`)
  }

  class Hash {
    #operation
    #algorithm
    /**
     * A line for each chunk: how it crosses, and its encoding. Text crosses unchanged, with its length: the host gets it up to the first
     * NUL. To look for one here would take longer than all else.
     */
    #kinds = ''
    #chunks = []
    #done = false
    constructor(operation, algorithm, key) {
      this.#operation = operation
      this.#algorithm = algorithm
      if (key !== undefined) this.update(key)
    }
    update(data, encoding) {
      if (this.#done) throw new Error('Digest already called')
      if (typeof data === 'string') {
        // Half a surrogate pair cannot cross unchanged.
        const isPlain = data.isWellFormed()
        this.#kinds += `\n${isPlain ? `t${data.length} ` : 'j'}${encoding ?? 'utf8'}`
        this.#chunks.push(isPlain ? data : stringify(data))
      } else {
        const bytes = copyBytes(data)
        if (bytes === undefined) throw new TypeError('crypto takes a string, a Uint8Array or an ArrayBuffer')
        this.#kinds += '\nb'
        this.#chunks.push(bytes)
      }
      return this
    }
    digest(encoding) {
      if (this.#done) throw new Error('Digest already called')
      this.#done = true
      const wanted = encoding === undefined || encoding === 'buffer' ? '' : encoding
      const digested = this.#ask(wanted) ?? this.#askWithoutNuls(wanted)
      return wanted === '' ? new Uint8Array(digested) : digested
    }
    #ask(wanted) {
      return askText(this.#operation, `${this.#algorithm}\n${wanted}${this.#kinds}`, this.#chunks)
    }
    #askWithoutNuls(wanted) {
      const kinds = this.#kinds.split('\n')
      this.#chunks = this.#chunks.map((chunk, i) => (kinds[i + 1][0] === 't' ? stringify(chunk) : chunk))
      this.#kinds = kinds.map((kind) => kind.replace(/^t\d+ /, 'j')).join('\n')
      return this.#ask(wanted)
    }
  }
  class Hmac extends Hash {}

  const crypto = {
    createHash(algorithm) {
      return new Hash('hash', known(algorithm))
    },
    createHmac(algorithm, key) {
      return new Hmac('hmac', known(algorithm), key ?? null)
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

// The part of node:crypto that code steps get. Chunks are collected here, and the host hashes them in one call.
;(({ ask, askText, define, copyBytes, stringify }) => {
  const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
  const known = (algorithm) => {
    if (ALGORITHMS.includes(algorithm)) return algorithm
    const name = `${algorithm}`.toLowerCase().replace(/^sha-/, 'sha')
    if (ALGORITHMS.includes(name)) return name
    throw new Error(`Digest method not supported: ${algorithm}; there are ${ALGORITHMS.join(', ')}`)
  }

  /** C strings end at NUL and cannot hold half a surrogate pair; other text crosses unchanged, at memcpy's speed. */
  const crossesPlain = (text) => text.isWellFormed() && !text.includes('\0')

  class Hash {
    #operation
    #algorithm
    /** A line for each chunk: how it crosses, and its encoding. */
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
        const isPlain = crossesPlain(data)
        this.#kinds += `\n${isPlain ? 't' : 'j'}${encoding ?? 'utf8'}`
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
      const digested = askText(this.#operation, `${this.#algorithm}\n${wanted}${this.#kinds}`, this.#chunks)
      return wanted === '' ? new Uint8Array(digested) : digested
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

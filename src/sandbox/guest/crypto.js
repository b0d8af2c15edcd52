// The part of node:crypto that code steps get. Chunks are collected here, and the host hashes them in one call.
;(({ ask, define, copyBytes }) => {
  const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
  const known = (algorithm) => {
    if (ALGORITHMS.includes(algorithm)) return algorithm
    const name = `${algorithm}`.toLowerCase().replace(/^sha-/, 'sha')
    if (ALGORITHMS.includes(name)) return name
    throw new Error(`Digest method not supported: ${algorithm}; there are ${ALGORITHMS.join(', ')}`)
  }

  const chunkOf = (data, encoding) => {
    if (typeof data === 'string') return { text: data, encoding: encoding ?? 'utf8' }
    const bytes = copyBytes(data)
    if (bytes === undefined) throw new TypeError('crypto takes a string, a Uint8Array or an ArrayBuffer')
    return { bytes }
  }

  /** C strings end at NUL and cannot hold half a surrogate pair; other text crosses unchanged, at memcpy's speed. */
  const crossesPlain = (text) => text.isWellFormed() && !text.includes('\0')

  const digest = (operation, algorithm, chunks, encoding) => {
    const extras = []
    const parts = []
    for (const { bytes, text, encoding } of chunks) {
      if (bytes) parts.push(['bytes', extras.push(bytes) - 1])
      else if (crossesPlain(text)) parts.push(['text', extras.push(text) - 1, encoding])
      else parts.push(['json', text, encoding])
    }
    const wanted = encoding === 'buffer' ? undefined : encoding
    const digested = ask(operation, { algorithm, parts, encoding: wanted }, ...extras)
    return wanted === undefined ? new Uint8Array(digested) : digested
  }

  class Hash {
    #operation
    #algorithm
    #chunks
    #done = false
    constructor(operation, algorithm, chunks) {
      this.#operation = operation
      this.#algorithm = algorithm
      this.#chunks = chunks
    }
    update(data, encoding) {
      if (this.#done) throw new Error('Digest already called')
      this.#chunks.push(chunkOf(data, encoding))
      return this
    }
    digest(encoding) {
      if (this.#done) throw new Error('Digest already called')
      this.#done = true
      return digest(this.#operation, this.#algorithm, this.#chunks, encoding)
    }
  }
  class Hmac extends Hash {}

  const crypto = {
    createHash(algorithm) {
      return new Hash('hash', known(algorithm), [])
    },
    createHmac(algorithm, key) {
      return new Hmac('hmac', known(algorithm), [chunkOf(key)])
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

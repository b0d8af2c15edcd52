// Defines TextEncoder, TextDecoder, atob, btoa and structuredClone.
;(({ ask, define, copyBytes }) => {
  class TextEncoder {
    get encoding() {
      return 'utf-8'
    }
    encode(text = '') {
      return new Uint8Array(ask('encode', [`${text}`]))
    }
    encodeInto(text, target) {
      const bytes = this.encode(text)
      if (bytes.length > target.length) throw new RangeError('encodeInto: the target is too small')
      target.set(bytes)
      return { read: text.length, written: bytes.length }
    }
  }

  class TextDecoder {
    #fatal
    #ignoreBOM
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      if (!['utf-8', 'utf8', 'unicode-1-1-utf-8'].includes(`${label}`.trim().toLowerCase()))
        throw new RangeError(`TextDecoder: only utf-8 is supported, not '${label}'`)
      this.#fatal = Boolean(fatal)
      this.#ignoreBOM = Boolean(ignoreBOM)
    }
    get encoding() {
      return 'utf-8'
    }
    get fatal() {
      return this.#fatal
    }
    get ignoreBOM() {
      return this.#ignoreBOM
    }
    decode(data) {
      if (data === undefined) return ''
      const bytes = copyBytes(data)
      if (bytes === undefined) throw new TypeError('TextDecoder.decode takes an ArrayBuffer or a view of one')
      return ask('decode', [this.#fatal, this.#ignoreBOM], bytes)
    }
  }

  const clone = (value, seen) => {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new DOMException(`${String(value).slice(0, 60)} could not be cloned.`, 'DataCloneError')
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    const keep = (copy) => {
      seen.set(value, copy)
      return copy
    }
    if (value instanceof Date) return keep(new Date(value.getTime()))
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
    if (value instanceof Boolean || value instanceof Number || value instanceof String)
      return keep(Object(value.valueOf()))
    if (value instanceof ArrayBuffer) return keep(value.slice(0))
    if (ArrayBuffer.isView(value)) {
      const buffer = clone(value.buffer, seen)
      return keep(new value.constructor(buffer, value.byteOffset, value.length ?? value.byteLength))
    }
    if (value instanceof Map) {
      const copy = keep(new Map())
      for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen))
      return copy
    }
    if (value instanceof Set) {
      const copy = keep(new Set())
      for (const item of value) copy.add(clone(item, seen))
      return copy
    }
    if (value instanceof Error) {
      const copy = keep(Object.create(Object.getPrototypeOf(value)))
      for (const name of ['name', 'message', 'stack', 'cause'])
        if (name in value)
          Object.defineProperty(copy, name, { value: clone(value[name], seen), writable: true, configurable: true })
      return copy
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef)
      throw new DOMException(`${Object.prototype.toString.call(value)} could not be cloned.`, 'DataCloneError')
    const copy = keep(Array.isArray(value) ? [] : {})
    if (Array.isArray(value)) copy.length = value.length
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen)
    return copy
  }

  define({
    TextEncoder,
    TextDecoder,
    atob: function atob(text) {
      return ask('atob', [`${text}`])
    },
    btoa: function btoa(text) {
      return ask('btoa', [`${text}`])
    },
    structuredClone: function structuredClone(value) {
      return clone(value, new Map())
    },
  })
})(__kit)

// Runs inside QuickJS before the user's code: builds the globals on one host function, and drives a run. Only text and bytes
// cross. A change that a script makes here lasts for its own run only.
;((host) => {
  const { parse, stringify } = JSON
  const global = globalThis
  for (const name of ['__host', 'SharedArrayBuffer', 'performance']) delete global[name]

  /**
   * The host answers `[value]`, `=text`, `{name, message}` for an error, `~` if it got a text only in part, or bytes, which become the
   * guest's only by a copy.
   */
  const ask = (operation, args, ...extras) => askText(operation, stringify(args), extras)
  const askText = (operation, args, extras) => {
    const said = extras ? host(operation, args, ...extras) : host(operation, args)
    if (typeof said === 'object') return said.slice(0)
    if (said[0] === '=') return said.slice(1)
    if (said === '~') return undefined
    const answer = parse(said)
    if (Array.isArray(answer)) return answer[0]
    const ErrorType = { RangeError, TypeError, SyntaxError }[answer.name] ?? Error
    throw new ErrorType(answer.message)
  }

  const define = (values) => {
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(global, name, { value, writable: true, configurable: true, enumerable: false })
  }

  /** Returns the bytes of a view or buffer, in a new ArrayBuffer. */
  const copyBytes = (data) => {
    if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
    if (data instanceof ArrayBuffer) return data.slice(0)
    return undefined
  }

  const describe = (error) => {
    try {
      if (error instanceof Error || (typeof error === 'object' && error !== null && typeof error.stack === 'string')) {
        const cause = error.cause === undefined ? '' : ` [cause: ${text(error.cause)}]`
        return {
          name: `${error.name}`,
          message: `${error.message}${cause}`.slice(0, 4000),
          stack: `${error.stack}`.slice(0, 8000),
        }
      }
      return { name: '', message: text(error).slice(0, 4000), stack: '' }
    } catch {
      return { name: 'Error', message: 'the thrown value cannot be shown as text', stack: '' }
    }
  }

  const text = (value) => {
    if (typeof value === 'string') return value
    if (value === null || typeof value !== 'object')
      return typeof value === 'function' ? `[Function ${value.name || 'anonymous'}]` : String(value)
    if (value instanceof Error)
      return String(value.stack).startsWith(' ') ? `${value}\n${value.stack}`.trimEnd() : `${value}`
    try {
      if (value instanceof Map) return `Map ${stringify([...value])}`
      if (value instanceof Set) return `Set ${stringify([...value])}`
      return stringify(value) ?? String(value)
    } catch {
      return Object.prototype.toString.call(value)
    }
  }

  let logFull = false
  const write =
    (level) =>
    (...values) => {
      if (logFull) return
      const line = values.map(text).join(' ')
      logFull = ask('log', [level, line.length > 70000 ? line.slice(0, 70000) : line])
    }
  const console = {
    log: write(''),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    debug: write('debug'),
  }

  // sfc32: QuickJS's own generator would give every run the same numbers, since its state is part of the image.
  let state
  const next = () => {
    const [a, b, c, d] = state
    const t = (((a + b) | 0) + d) | 0
    state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + t) | 0, (d + 1) | 0]
    return t >>> 0
  }
  Math.random = function random() {
    state ??= ask('seed', [])
    return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992
  }

  const serialise = (output) => {
    const json = stringify(output)
    return json === undefined ? 'null' : json
  }

  let loaded
  /** Evaluates the text, which the host makes part of the image where nothing in it depends on the run. */
  const prepare = async () => {
    loaded = await import('code')
  }

  const fail = (words) => {
    host('fail', stringify(words))
    return ''
  }

  /** Calls the function of the text. */
  const start = (input) => {
    const { default: main } = loaded
    if (typeof main !== 'function') return fail({ name: 'NoFunction', message: typeof main, stack: '' })
    const returned = main(input)
    if (typeof returned === 'object' && returned !== null && typeof returned.then === 'function')
      return finishLater(async () => finish(await returned))
    return finish(returned)
  }

  /** Returns JSON; empty if the host was told why there is none. */
  const finish = (output) => {
    try {
      return serialise(output)
    } catch (error) {
      const { name, message, stack } = describe(error)
      return fail({ name, message, stack, serialising: true })
    }
  }

  const finishLater = async (work) => {
    try {
      const json = await work()
      if (json !== '') host('done', json)
    } catch (error) {
      fail(describe(error))
    }
  }

  /**
   * `said`: the input as JSON, or `=` and a text. Returns what `finish` does, or a promise if the host hears of it later: not each time,
   * since a promise and a turn of the job queue would cost more than the usual synchronous code itself.
   */
  const drive = (said) => {
    try {
      const input = said[0] === '=' ? said.slice(1) : parse(said)
      if (loaded) return start(input)
      return finishLater(async () => {
        loaded = await import('code')
        return start(input)
      })
    } catch (error) {
      return fail(describe(error))
    }
  }

  const reportUnawaited = (reason) => {
    fail({ ...describe(reason), unawaited: true })
  }

  define({ console })
  global.__kit = { ask, askText, define, copyBytes, stringify, prepare, drive, reportUnawaited }
})(__host)

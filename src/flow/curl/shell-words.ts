// Splits a pasted command into words as a shell would: POSIX, or the Windows prompt if carets indicate it.

export interface ShellWords {
  words: string[]
  /** What a shell would do and an import cannot: run another command, or fill in a value. */
  notTaken: { what: string; reason: string }[]
}

/** Splits the text. Variables become templates of `env`, where a flow reads such values. */
export function shellWords(text: string): ShellWords {
  return isPrompt(text) ? promptWords(text) : posixWords(text)
}

// Skips what a POSIX shell quotes: a caret inside it is a character of the value.
const QUOTED_OR_CARET = /\\[\s\S]|\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\^(?:\r?\n|")/g

/** Returns whether a line ends with a caret or a quote follows one, as on the Windows prompt. */
function isPrompt(text: string): boolean {
  return (text.match(QUOTED_OR_CARET) ?? []).some((part) => part.startsWith('^'))
}

class Words {
  readonly words: string[] = []
  readonly notTaken: ShellWords['notTaken'] = []
  #word: string | null = null

  add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  end(): void {
    if (this.#word !== null) this.words.push(this.#word)
    this.#word = null
  }

  get isInWord(): boolean {
    return this.#word !== null
  }

  skip(what: string, reason: string): void {
    if (!this.notTaken.some((one) => one.what === what)) this.notTaken.push({ what, reason })
  }
}

const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/

// In a URL that is not quoted, a letter follows & and ;.
const OPERATOR = /^(?:[|<>]|[;&](?:\s|&|$))/

function posixWords(text: string): ShellWords {
  const result = new Words()
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const character = text[at]!
    const continued = /^\\\r?\n/.exec(rest)?.[0]
    if (continued) at += continued.length
    else if (character === '\\') {
      result.add(text[at + 1] ?? '')
      at += 2
    } else if (character === "'") at = singleQuoted(text, at, result)
    else if (character === '"') at = doubleQuoted(text, at, result)
    else if (rest.startsWith("$'")) at = ansiQuoted(text, at, result)
    else if (character === '$' || character === '`') at = expansion(text, at, result)
    else if (/\s/.test(character)) {
      result.end()
      at++
      // A line that does not end with a backslash ends the command.
      if (character === '\n' && result.words.length && text.slice(at).trim()) {
        result.skip(text.slice(at).trim().split('\n', 1)[0]!, 'The import takes only the first command.')
        break
      }
    } else if (OPERATOR.test(rest) || (!result.isInWord && /^(?:[;&]|\d+>)/.test(rest))) {
      result.skip(rest.trim(), 'The rest of the line belongs to the shell.')
      break
    } else if (character === '#' && !result.isInWord) {
      at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at)
    } else {
      result.add(character)
      at++
    }
  }
  result.end()
  return result
}

function singleQuoted(text: string, at: number, result: Words): number {
  const end = text.indexOf("'", at + 1)
  result.add(text.slice(at + 1, end === -1 ? text.length : end))
  if (end === -1) result.skip("'", 'A quote is never closed; the text goes to the end.')
  return end === -1 ? text.length : end + 1
}

function doubleQuoted(text: string, from: number, result: Words): number {
  result.add('')
  let at = from + 1
  while (at < text.length && text[at] !== '"') {
    const escaped = /^\\(?:([$`"\\])|\r?\n)/.exec(text.slice(at))
    if (escaped) {
      result.add(escaped[1] ?? '')
      at += escaped[0].length
    } else if (text[at] === '$' || text[at] === '`') at = expansion(text, at, result)
    else result.add(text[at++]!)
  }
  if (at >= text.length) result.skip('"', 'A quote is never closed; the text goes to the end.')
  return at + 1
}

const ESCAPES: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  '0': '\0',
}

/** Reads `$'…'` of bash, in which browsers write bodies with line breaks. */
function ansiQuoted(text: string, from: number, result: Words): number {
  result.add('')
  let at = from + 2
  let bytes: number[] = []
  const flush = () => {
    if (bytes.length) result.add(new TextDecoder().decode(new Uint8Array(bytes)))
    bytes = []
  }
  while (at < text.length && text[at] !== "'") {
    const byte = /^\\x([0-9a-fA-F]{1,2})/.exec(text.slice(at, at + 4))
    if (byte) {
      bytes.push(Number.parseInt(byte[1]!, 16))
      at += byte[0].length
      continue
    }
    flush()
    const unit = /^\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/.exec(text.slice(at, at + 10))
    if (unit) {
      const code = Number.parseInt(unit[1] ?? unit[2]!, 16)
      result.add(unit[1] !== undefined ? String.fromCharCode(code) : String.fromCodePoint(Math.min(code, 0x10ffff)))
      at += unit[0].length
    } else if (text[at] === '\\') {
      const escaped = text[at + 1] ?? ''
      result.add(ESCAPES[escaped] ?? escaped)
      at += 2
    } else result.add(text[at++]!)
  }
  flush()
  if (at >= text.length) result.skip("$'", 'A quote is never closed; the text goes to the end.')
  return at + 1
}

function expansion(text: string, at: number, result: Words): number {
  const variable = VARIABLE.exec(text.slice(at))
  if (variable) {
    const name = variable[1] ?? variable[2]!
    result.add(`{{ env.${name} }}`)
    result.skip(variable[0], `A shell variable: it became {{ env.${name} }}; set MILLRACE_ENV_${name} on the server.`)
    return at + variable[0].length
  }
  const close = text[at] === '`' ? text.indexOf('`', at + 1) : text.startsWith('$(', at) ? text.indexOf(')', at) : -1
  if (close !== -1) {
    const command = text.slice(at, close + 1)
    result.add(command)
    result.skip(command, 'The result of another command: put its value here.')
    return close + 1
  }
  result.add(text[at]!)
  return at + 1
}

/** Splits a command of the Windows prompt: only double quotes; carets escape outside of quotes and before them. */
function promptWords(text: string): ShellWords {
  const plain = text
    .replaceAll(/\^\r?\n(\r?\n)?/g, (_, line: string | undefined) => (line ? '\n' : ' '))
    .replaceAll(/\^([\s\S])/g, '$1')
  const result = new Words()
  let at = 0
  let quoted = false
  while (at < plain.length) {
    const character = plain[at]!
    if (character === '\\' && plain[at + 1] === '"') {
      result.add('"')
      at += 2
      continue
    }
    // Two quotes inside quotes stand for one.
    if (character === '"' && quoted && plain[at + 1] === '"') {
      result.add('"')
      at += 2
      continue
    }
    if (character === '"') {
      quoted = !quoted
      result.add('')
    } else if (/\s/.test(character) && !quoted) result.end()
    else if (/[|&<>]/.test(character) && !quoted) {
      result.skip(plain.slice(at).trim(), 'The rest of the line belongs to the shell.')
      break
    } else result.add(character)
    at++
  }
  result.end()
  return result
}

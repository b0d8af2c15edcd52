// Turns what the guest threw into a message for the user, with the line of their code.
import { CODE, filled, SANDBOX_ERRORS } from '../base/error-catalogue.ts'
import type { Failure } from './messages.ts'
import type { GuestWords } from './quickjs/guest-error.ts'

const EXAMPLE = 'Write for example: export default (input) => ({ total: input.items.length })'
const OFFERED =
  'Code steps have crypto, console, URL, URLSearchParams, TextEncoder, TextDecoder, atob, btoa and structuredClone.'

export const timedOut = (timeoutMs: number): Failure => ({
  code: CODE.code_timeout,
  message: filled(SANDBOX_ERRORS.code_timeout.message, { seconds: timeoutMs / 1000 }),
  hint: SANDBOX_ERRORS.code_timeout.hint,
})

export const outOfMemory = (memoryBytes: number): Failure => ({
  code: CODE.code_memory,
  message: filled(SANDBOX_ERRORS.code_memory.message, { megabytes: Math.round(memoryBytes / (1 << 20)) }),
  hint: SANDBOX_ERRORS.code_memory.hint,
})

export const neverFinished: Failure = {
  code: CODE.code_failed,
  message: 'The code never finished: it waits for a promise that nothing will settle.',
  hint: 'Check that every promise is resolved or rejected; code steps have no timers and no network to wait for.',
}

export const sandboxBroke: Failure = {
  code: CODE.code_failed,
  message: 'The code brought its sandbox down.',
  hint: 'Look for very deep recursion or nesting. Nothing else was harmed: the sandbox is thrown away and replaced.',
}

export function explainFailure(words: GuestWords, code: string, memoryBytes: number): Failure {
  const { name, message } = words
  if (name === 'InternalError' && message === 'out of memory') return outOfMemory(memoryBytes)
  // Without memory for an error, QuickJS throws null.
  if (name === '' && message === 'null' && !/throw\s+null|reject/.test(code)) return outOfMemory(memoryBytes)
  if (name === 'NoFunction')
    return {
      code: CODE.code_failed,
      message:
        message === 'undefined'
          ? 'The code has no default export.'
          : `The default export is a ${message}, not a function.`,
      hint: `The step calls the function that the code exports as default. ${EXAMPLE}`,
    }
  if (words.serialising && !(name === 'InternalError'))
    return {
      code: CODE.code_failed,
      message: `The returned value cannot be written as JSON: ${shown(name, message)}${place(words, code)}`,
      hint: 'Return plain JSON: no circular references; turn a BigInt into text with String(value).',
    }
  if (words.unawaited)
    return {
      code: CODE.code_failed,
      message: `A promise was rejected and nothing awaited it: ${shown(name, message)}${place(words, code)}`,
      hint: 'Put await before the call that makes the promise, return the promise, or handle its error with .catch().',
    }
  return {
    code: CODE.code_failed,
    message: `${shown(name, message)}${place(words, code)}`,
    hint: hintFor(name, message),
  }
}

const shown = (name: string, message: string): string => (name === '' ? message : `${name}: ${message}`)

/** Returns ` (line 3, column 5)`: the first place in the user's code that the stack names. */
function place({ name, message, stack }: GuestWords, code: string): string {
  const found = /(?:^|[\s(])code:(\d+):(\d+)/m.exec(stack)
  if (!found) return ''
  const [line, column] = [Number(found[1]), Number(found[2])]
  const word = missingName(name, message) ?? /^cannot (?:read|set) property '([\w$]+)' of /.exec(message)?.[1]
  return (word && placeOfWord(word, code, line, column)) || ` (line ${line}, column ${column})`
}

const missingName = (name: string, message: string): string | undefined =>
  name === 'ReferenceError' ? /^([\w$]+) is not defined$/.exec(message)?.[1] : undefined

/** Returns the next mention of a missing name or property, because QuickJS records places at calls only. */
function placeOfWord(word: string, code: string, fromLine: number, fromColumn: number): string | undefined {
  for (const [i, text] of code.split('\n').entries()) {
    if (i + 1 < fromLine) continue
    let at = text.indexOf(word, i + 1 === fromLine ? fromColumn - 1 : 0)
    for (; at !== -1; at = text.indexOf(word, at + 1))
      if (!/[\w$]/.test(text[at - 1] ?? ' ') && !/[\w$]/.test(text[at + word.length] ?? ' '))
        return ` (line ${i + 1}, column ${at + 1})`
  }
  return undefined
}

function hintFor(name: string, message: string): string {
  if (/^(could not load module|Cannot find module) /.test(message))
    return `There are no modules in code steps, except 'node:crypto'. ${OFFERED}`
  const missing = missingName(name, message)
  if (missing === 'Buffer')
    return `There is no Buffer in code steps: use new TextEncoder().encode(text), atob and btoa. ${OFFERED}`
  if (missing === 'fetch' || missing === 'XMLHttpRequest')
    return 'Code steps have no network: make the request with an http step and pass its result in as input.'
  if (missing === 'setTimeout' || missing === 'setInterval')
    return 'Code steps have no timers: use a wait step between two code steps.'
  if (missing === 'module' || missing === 'exports') return `Export the function as default. ${EXAMPLE}`
  if (missing === 'process')
    return 'Code steps see no environment: pass what you need in as input, for example {{ config.NAME }}.'
  if (missing !== undefined) return `Check the spelling of ${missing}, or pass it in as input. ${OFFERED}`
  if (name === 'RangeError' && /call stack/.test(message))
    return 'The code calls itself too deeply: look for recursion without an end.'
  if (name === 'SyntaxError')
    return 'Correct the code at this place; the step runs JavaScript, or TypeScript whose types can be stripped.'
  return SANDBOX_ERRORS.code_failed.hint
}

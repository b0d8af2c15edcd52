/** Renders the URL of a request so that no inserted value can change the host or leave its path segment. */

import { CODE } from '../../base/error-catalogue.ts'
import type { Expression, Template } from './parse-template.ts'
import { evaluateText } from './render.ts'
import type { Bindings } from './values/bindings.ts'
import { ExpressionError } from './values/errors.ts'
import { Evaluation } from './values/evaluation.ts'

// A backslash counts as a slash, as it does in browsers.
const IN_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)$/i
const AFTER_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*[/?#\\]/i
const PORT = /^[^@]*(?:@[^@]*)*:\d*$/
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

export function renderUrl(template: Template, bindings: Bindings): string {
  const run = new Evaluation(bindings)
  const insertions: { at: number; source: string }[] = []
  let url = ''
  for (const [index, part] of template.parts.entries()) {
    if (typeof part === 'string') {
      url += part
      continue
    }
    const text = evaluateText(run, part)
    refuseControls(text, part)
    if (part.isRaw || index === 0) {
      url += text
    } else if (AFTER_ORIGIN.test(url)) {
      insertions.push({ at: url.length, source: part.source })
      url += encodeComponent(text, part)
    } else {
      refuseOutsideHost(url, text, part)
      url += text
    }
  }
  if (/[\r\n\0]/.test(url)) throw invalid('The URL has a line break or NUL in it', 'Remove it.')
  for (const { at, source } of insertions) refuseDotSegment(url, at, source)
  return url
}

function refuseControls(text: string, { source }: Expression): void {
  if (/[\r\n\0]/.test(text)) {
    throw invalid(`{{ ${source} }} has a line break or NUL in it`, 'Use trim() if it only ends with one.')
  }
}

function encodeComponent(text: string, { source }: Expression): string {
  if (!text.isWellFormed()) throw invalid(`{{ ${source} }} has half a character in it`, 'Check where the text was cut.')
  return encodeURIComponent(text)
}

/** Throws for text that could end the origin or start another one, while the origin is incomplete. */
function refuseOutsideHost(url: string, text: string, { source }: Expression): void {
  const authority = IN_AUTHORITY.exec(url)?.[1]
  if (authority !== undefined && PORT.test(authority)) {
    if (!/^\d+$/.test(text)) throw invalid(`{{ ${source} }} is not a port number`, 'A port consists of digits.')
    return
  }
  // An empty host would make the first path segment the host.
  if (!/^[a-z0-9.-]*$/i.test(text) || (authority !== undefined && text === '')) {
    throw invalid(
      `{{ ${source} }} is in the host of the URL and can hold only letters, digits, - and .`,
      `Put the / of the path into the text before it, or write {{ raw(${source}) }} if you trust the value.`,
    )
  }
}

function refuseDotSegment(url: string, at: number, source: string): void {
  const origin = AFTER_ORIGIN.exec(url)![0]
  const pathEnd = url.slice(origin.length - 1).search(/[?#]/)
  const path = pathEnd === -1 ? url : url.slice(0, origin.length - 1 + pathEnd)
  if (at > path.length) return
  const start = Math.max(path.lastIndexOf('/', at - 1), path.lastIndexOf('\\', at - 1)) + 1
  const length = path.slice(start).search(/[/\\]/)
  if (DOT_SEGMENT.test(length === -1 ? path.slice(start) : path.slice(start, start + length))) {
    throw invalid(`{{ ${source} }} makes a path segment . or ..`, 'Check the value; it would lead to another path.')
  }
}

function invalid(message: string, hint: string): ExpressionError {
  return new ExpressionError(CODE.invalid_url, message, hint)
}

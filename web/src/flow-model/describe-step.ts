// One line about what a step does, for its card.
import type { StepDocument } from '../../../src/flow/document.ts'
import { nestedLists } from './flow-tree.ts'

export function describeStep(step: StepDocument): string {
  switch (step.kind) {
    case 'http':
      return `${textOf(step['method']) || 'GET'} ${withoutScheme(textOf(step['url'])) || 'no URL yet'}`
    case 'branch':
      return describeBranch(step)
    case 'loop':
      return step['while'] === undefined ? `each ${bare(step['each']) || 'of a list'}` : `while ${bare(step['while'])}`
    case 'wait':
      return step['until'] === undefined ? describeSeconds(step['seconds']) : `until ${bare(step['until'])}`
    case 'code':
      return firstLine(textOf(step['code']))
    case 'set':
      return Object.keys(asObject(step['vars'])).join(', ') || 'no variables yet'
    case 'store':
      return `${textOf(step['op'])} ${bare(step['key']) || 'no key yet'}`
    case 'respond':
      return `${bare(step['status'] ?? 200)} to the caller`
    case 'stop':
      return 'ends the run as succeeded'
    case 'fail':
      return textOf(step['message']) || 'ends the run as failed'
    default:
      return step.name ?? ''
  }
}

/** The trigger's line: how a delivery gets in, and what it gets back. */
export function describeTrigger(trigger: Record<string, unknown>): string {
  const auth = asObject(trigger['auth'])
  const response = asObject(trigger['response'])
  const parts = [
    auth['kind'] === 'signature'
      ? `signed (${textOf(auth['scheme'])})`
      : auth['kind'] === 'header' || auth['kind'] === 'query'
        ? `${textOf(auth['kind'])} ${textOf(auth['name'])}`
        : '',
    trigger['when'] === undefined ? '' : 'filtered',
    trigger['dedupe'] === undefined ? '' : 'deduplicated',
    response['mode'] === 'finished' ? 'replies when finished' : 'replies at once',
  ]
  return parts.filter(Boolean).join(' · ')
}

function describeBranch(step: StepDocument): string {
  const cases = nestedLists(step).filter(({ role }) => role === 'case')
  const [first] = Array.isArray(step['cases']) ? step['cases'] : []
  if (cases.length === 1) return bare(asObject(first)['when']) || 'no condition yet'
  return cases.length === 0 ? 'no cases yet' : `the first of ${cases.length} cases that holds`
}

/** The label over a column. */
export function describeCase(step: StepDocument, index: number): string {
  const one = asObject((Array.isArray(step['cases']) ? step['cases'] : [])[index])
  return textOf(one['name']) || bare(one['when']) || `case ${index + 1}`
}

function describeSeconds(seconds: unknown): string {
  if (typeof seconds !== 'number') return seconds === undefined ? 'no time yet' : `${bare(seconds)} seconds`
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${round(seconds / 60)} min`
  return seconds < 172_800 ? `${round(seconds / 3600)} h` : `${round(seconds / 86_400)} days`
}

const round = (number: number): number => Math.round(number * 10) / 10

/** Without its braces, where it is one expression. */
export function bare(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} items`
  const text = textOf(value)
  const [, inside] = /^\s*\{\{\s*([\s\S]*?)\s*\}\}\s*$/.exec(text) ?? []
  return inside !== undefined && !inside.includes('{{') ? inside : text
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

const firstLine = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('//') && !line.startsWith('import ')) ?? 'no code yet'

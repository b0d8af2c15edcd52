// Removes what could not be published from an imported request, and reports it.
import type { NameValue } from '../curl/http-settings.ts'
import type { NotTaken } from '../curl/parse-curl.ts'
import { hasBreak, isWrittenByClient, unfitForHeader } from '../outbound-parts.ts'
import { isHeaderName } from '../reply-header.ts'
import { placeholder } from './parameters.ts'

export const SET_BY_CLIENT = 'The client writes it when it sends the request.'
const NO_HEADER_NAME = 'It cannot be the name of a header.'
const NOT_AS_IT_IS = 'The value in the description cannot be sent: the step uses a variable.'

/** Returns null for a valid header name. */
export function faultOfHeaderName(name: string): string | null {
  if (isWrittenByClient(name)) return SET_BY_CLIENT
  return isHeaderName(name) ? null : NO_HEADER_NAME
}

export function sendableHeaders(headers: readonly NameValue[], notTaken: NotTaken[]): NameValue[] {
  const kept = headers.flatMap(({ name, value }) => {
    const fault = faultOfHeaderName(name)
    if (fault !== null) {
      notTaken.push({ what: `${name} (header)`, reason: fault })
      return []
    }
    if (unfitForHeader(value) === null) return { name, value }
    notTaken.push({ what: `${name} (header)`, reason: NOT_AS_IT_IS })
    return { name, value: placeholder(name) }
  })
  return atMost(kept, 'header', notTaken)
}

export function sendableQuery(query: readonly NameValue[], notTaken: NotTaken[]): NameValue[] {
  const kept = named(query, 'query', notTaken).flatMap(({ name, value }) => {
    if (!hasBreak(name) && !hasBreak(value)) return { name, value }
    const fits = !hasBreak(name)
    notTaken.push({ what: `${name} (query)`, reason: fits ? NOT_AS_IT_IS : 'Its name has a line break.' })
    return fits ? { name, value: placeholder(name) } : []
  })
  return atMost(kept, 'query', notTaken)
}

export const sendableFields = (fields: readonly NameValue[], notTaken: NotTaken[]): NameValue[] =>
  atMost(named(fields, 'form', notTaken), 'form', notTaken)

function named(list: readonly NameValue[], place: string, notTaken: NotTaken[]): NameValue[] {
  const kept = list.filter(({ name }) => name !== '')
  if (kept.length < list.length) notTaken.push({ what: `A value (${place})`, reason: 'It has no name.' })
  return kept
}

/** The number that a step may have (NameValueList). */
const MOST = 1_000

function atMost(list: NameValue[], place: string, notTaken: NotTaken[]): NameValue[] {
  if (list.length > MOST)
    notTaken.push({ what: `${list.length - MOST} more (${place})`, reason: `A step may have ${MOST}.` })
  return list.slice(0, MOST)
}

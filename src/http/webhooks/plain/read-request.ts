// Reads the deliveries that nearly all senders send: JSON, small, alone and whole in the bytes that have come, and written as everybody
// writes them. Whatever is otherwise in the least is left to node:http, which knows the rest of the protocol.
import type { Socket } from 'node:net'
import { SMALL_BODY } from '../../../operations/deliveries/body-budget.ts'

/** What is used of node:http's request, and the body. */
export interface PlainRequest {
  method: 'POST'
  url: string
  httpVersion: '1.1'
  rawHeaders: string[]
  headers: { host: string; 'x-forwarded-for': string | undefined }
  socket: Socket
  complete: true
  body: Buffer
}

const START = 'POST /api/v1/webhooks/'
const VERSION = ' HTTP/1.1\r\n'
const HEAD_END = Buffer.from('\r\n\r\n')
const LONGEST_HEAD = 8_192

const TARGET = /^[\w\-.~/?=&%+,:@]+$/
const NAME = /^[\w-]+$/
/** Controls, and line breaks that are not those of HTTP. */
const FAULT = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const LENGTH = /^[1-9]\d{0,4}$/
const JSON_TYPE = /^application\/json(?:;|$)/

/** These change how the body or the connection is to be read. */
const LEFT_TO_NODE = new Set([
  'transfer-encoding',
  'content-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection',
  'keep-alive',
  'http2-settings',
])

/** Returns null for what node:http has to read. */
export function readRequest(bytes: Buffer, socket: Socket): PlainRequest | null {
  if (bytes.toString('latin1', 0, START.length) !== START) return null
  const end = bytes.indexOf(HEAD_END)
  if (end === -1 || end > LONGEST_HEAD) return null
  const head = bytes.toString('latin1', 0, end + 2)
  if (FAULT.test(head)) return null
  const space = head.indexOf(' ', START.length)
  const url = head.slice(5, space)
  if (!head.startsWith(VERSION, space) || !TARGET.test(url)) return null

  const rawHeaders: string[] = []
  let host: string | undefined
  let type: string | undefined
  let length: string | undefined
  let forwarded: string | undefined
  for (let at = space + VERSION.length; at < head.length; ) {
    const lineEnd = head.indexOf('\r\n', at)
    const colon = head.indexOf(':', at)
    if (colon === -1 || colon > lineEnd) return null
    const name = head.slice(at, colon)
    if (!NAME.test(name)) return null
    const value = withoutBlanks(head, colon + 1, lineEnd)
    rawHeaders.push(name, value)
    at = lineEnd + 2
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'host') {
      if (host !== undefined) return null
      host = value
    } else if (lowerCase === 'content-type') {
      if (type !== undefined || !JSON_TYPE.test(value)) return null
      type = value
    } else if (lowerCase === 'content-length') {
      if (length !== undefined || !LENGTH.test(value)) return null
      length = value
    } else if (lowerCase === 'x-forwarded-for') forwarded = forwarded === undefined ? value : `${forwarded}, ${value}`
    else if (lowerCase === 'connection') {
      if (value.toLowerCase() !== 'keep-alive') return null
    } else if (LEFT_TO_NODE.has(lowerCase)) return null
  }
  const body = bytes.subarray(end + HEAD_END.length)
  // Longer: the next request came with it.
  if (host === undefined || type === undefined || body.length !== Number(length)) return null
  if (body.length > SMALL_BODY) return null
  const headers = { host, 'x-forwarded-for': forwarded }
  return { method: 'POST', url, httpVersion: '1.1', rawHeaders, headers, socket, complete: true, body }
}

/** Blanks are spaces and tabs; what `trim` takes for more of them is part of the value. */
function withoutBlanks(head: string, from: number, to: number): string {
  let [start, end] = [from, to]
  while (start < end && isBlank(head.charCodeAt(start))) start++
  while (end > start && isBlank(head.charCodeAt(end - 1))) end--
  return head.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

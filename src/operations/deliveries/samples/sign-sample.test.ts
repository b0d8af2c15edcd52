import { describe, expect, it } from 'vitest'
import { senderFiles } from '../../../app/senders/sender-files.ts'
import { hashing } from '../../../base/hashing.ts'
import { optionalResolver } from '../../../flow/compile.ts'
import { signsAlone } from '../../../flow/senders/describe-sender.ts'
import { FIELD_NAMES, type Sender } from '../../../flow/senders/schema.ts'
import { BASE_URL, letsIn, TARGET } from '../sender-request.testkit.ts'
import { signSample } from './sign-sample.ts'

const NOW = Date.UTC(2026, 10, 16, 12)
const KEYS: Record<string, string> = { hex: '00ff10aa', base64: 'AP8QqgAA', whsec: 'whsec_AP8QqgAA', text: 'a secret' }

function fieldsOf({ fields, auth }: Sender): Record<string, string> {
  const key = [auth].flat().find((one) => one.kind === 'signature')?.key ?? 'text'
  const values: Record<string, string> = { secret: KEYS[key]!, url: `${BASE_URL}${TARGET}` }
  for (const { name } of fields) if (FIELD_NAMES.includes(name)) values[name] ??= `the ${name}`
  return values
}

const senders = senderFiles.names().map((name) => senderFiles.find(name)!)

describe('a signed sample', () => {
  it.each(senders.filter((sender) => !signsAlone(sender)).map((sender) => [sender.name, sender] as const))(
    'of %s is let in, with its own secret only, and has the event that it says',
    (_name, sender) => {
      const fields = fieldsOf(sender)
      for (const sample of sender.samples) {
        const signing = { fields, url: `${BASE_URL}${TARGET}`, nowMs: NOW, seed: 'req_1', hashing }
        const { rawHeaders, search, body } = signSample(sender, sample, signing)
        const request = { rawHeaders, body, target: TARGET + search, nowMs: NOW }
        expect(letsIn(sender, fields, request)).toBe(true)
        if (sender.auth && !Array.isArray(sender.auth) && sender.auth.kind !== 'none')
          expect(letsIn(sender, otherThan(fields), request)).not.toBe(true)
        if (sender.event === null) continue
        const text = body.toString()
        const headers = Object.fromEntries(
          rawHeaders.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), rawHeaders[i + 1]!]])),
        )
        const parsed = sample.form ?? (sample.text === undefined ? JSON.parse(text) : text)
        const webhook = { body: parsed, headers, query: sample.query ?? {}, rawBody: text }
        const bindings = { roots: { webhook }, now: '', uuid: '', ...hashing }
        expect(optionalResolver(sender.event)(bindings)).toBe(sample.event)
      }
    },
  )
})

/** Returns other secrets of the same form. */
const otherThan = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name === 'url' ? value : value.replace(/^(whsec_)?./, '$1B')]),
  )

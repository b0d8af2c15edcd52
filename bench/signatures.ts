// Measures what it costs to verify who sends: node bench/signatures.ts [--rounds 40]. It holds requests against the files of senders as a
// webhook does, in this process and without a server, beside the same requests to a flow that takes everyone.
import { generateKeyPairSync, sign } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { GivenFields } from '../src/flow/senders/compile-sender.ts'
import type { Sender } from '../src/flow/senders/schema.ts'
import { gate, type SentRequest } from '../src/operations/deliveries/sender-request.testkit.ts'
import { samplesOf, senderNamed } from '../test/senders/sender-named.testkit.ts'
import { send } from '../test/senders/vendor.testkit.ts'
import { VENDORS } from '../test/senders/vendors.testkit.ts'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } })
const ROUNDS = Number(options.rounds)
const BATCH = 250

interface Case {
  title: string
  sender: Pick<Sender, 'name' | 'auth'>
  fields: GivenFields
  request: SentRequest
}

function ofSender(title: string, name: string): Case {
  const { headers, body } = send(VENDORS[name]!, samplesOf(name)[0]!)
  return {
    title,
    sender: senderNamed(name),
    fields: VENDORS[name]!.fields,
    request: { rawHeaders: headers.flat(), body },
  }
}

/** No sender of the files uses RSA; flows of their own may. */
function withRsa(): Case {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const body = Buffer.from(JSON.stringify(samplesOf('github')[0]!.body))
  const rawHeaders = ['X-Signature', sign('sha256', body, privateKey).toString('base64')]
  const auth = {
    kind: 'signature',
    algorithm: 'rsa-sha256',
    encoding: 'base64',
    header: 'X-Signature',
    signed: '{{ webhook.rawBody }}',
  } as const
  return {
    title: 'RSA with 2048 bits',
    sender: { name: 'rsa', auth },
    fields: { publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string },
    request: { rawHeaders, body },
  }
}

const CASES: readonly Case[] = [
  ofSender('a token in a header: GitLab', 'gitlab'),
  ofSender('HMAC-SHA-256 of the body: GitHub', 'github'),
  ofSender('HMAC-SHA-256 with the time: Stripe', 'stripe'),
  ofSender('HMAC-SHA-256 with id and time: Standard Webhooks', 'standard-webhooks'),
  ofSender('HMAC-SHA-256 of fields in the body: Adyen', 'adyen'),
  ofSender('HMAC-SHA-1 of the URL and a form: Twilio', 'twilio'),
  ofSender('Ed25519: Discord', 'discord'),
  ofSender('ECDSA with P-256: SendGrid', 'sendgrid'),
  withRsa(),
]

/** Returns the processor time of one request in microseconds: the least of the rounds, which other work disturbed least. */
function costOf(run: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = process.cpuUsage()
    for (let i = 0; i < BATCH; i++) run()
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / BATCH
  })
  return Math.min(...times)
}

console.log('| | bytes | all of the check, µs | of that verifying, µs |\n| --- | --- | --- | --- |')
for (const { title, sender, fields, request } of CASES) {
  const [closed, open] = [gate(sender, fields), gate({ name: sender.name, auth: { kind: 'none' } }, fields)]
  if (closed(request) !== true) throw new Error(`${title}: ${String(closed(request))}`)
  // Alternating, so that a machine that slows down slows both.
  const pairs = Array.from({ length: 3 }, () => [costOf(() => closed(request)), costOf(() => open(request))] as const)
  const [all, without] = [Math.min(...pairs.map(([one]) => one)), Math.min(...pairs.map(([, other]) => other))]
  console.log(
    `| ${title} | ${request.body.length} | ${all.toFixed(1)} | **${Math.max(0, all - without).toFixed(1)}** |`,
  )
}

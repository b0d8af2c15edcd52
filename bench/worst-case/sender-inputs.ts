// What a stranger can put into the signature of a delivery, and into what is signed: all of it is read before anyone is known.
import { senderFiles } from '../../src/app/senders/sender-files.ts'
import { letsIn, TARGET } from '../../src/operations/deliveries/sender-request.testkit.ts'
import { FORM_INPUTS, family, type Input, repeated } from './inputs.ts'
import type { Surface } from './surfaces.ts'

const SIGNATURE_INPUTS: Input[] = family('signature', {
  commas: repeated(','),
  'entries of the version': repeated('v1=ab,', 't=1,', 'v1=ab'),
  'entries of other names': repeated('v0=ab,', 't=1,', 'v1=ab'),
  times: repeated('t=1,', '', 'v1=ab'),
  'one long time': repeated('9', 't=', ',v1=ab'),
  'one long signature': repeated('ab', 't=1,v1='),
  'white space': repeated(' ', 't=1,', ',v1=ab'),
})

const stripe = senderFiles.find('stripe')!
const twilio = senderFiles.find('twilio')!

export const senderSurfaces: readonly Surface[] = [
  {
    name: 'signature of a sender',
    who: 'a sender',
    inputs: SIGNATURE_INPUTS,
    // Headers above 16 KiB are refused.
    most: 16_000,
    prepare: (text) => () =>
      letsIn(stripe, { secret: 's' }, { rawHeaders: ['Stripe-Signature', text], body: '{}', nowMs: 1_000 }),
  },
  {
    name: 'form that a sender signs',
    who: 'a sender',
    inputs: FORM_INPUTS,
    prepare: (text) => () =>
      letsIn(
        twilio,
        { secret: 's' },
        {
          rawHeaders: ['Content-Type', 'application/x-www-form-urlencoded', 'X-Twilio-Signature', 'AAAA'],
          body: text,
          target: TARGET,
        },
      ),
  },
]

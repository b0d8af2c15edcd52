import { describeSender, type SenderView } from '../../../flow/senders/describe-sender.ts'
import { NO_SENDERS, type Sender, type SenderSample, type Senders } from '../../../flow/senders/schema.ts'
import { notFound } from '../../operation-error.ts'
import type { DeliveryServices } from '../services.ts'
import { filledSample } from './sign-sample.ts'

type SenderServices = Pick<DeliveryServices, 'surroundings' | 'hashing' | 'now'>

export const sendersOf = ({ surroundings }: Pick<DeliveryServices, 'surroundings'>): Senders =>
  surroundings().senders ?? NO_SENDERS

export function listSenders(services: SenderServices): SenderView[] {
  const senders = sendersOf(services)
  return senders.names().map((name) => describeSender(senders.find(name)!))
}

/** Returns a sender by its name or an alias, with its samples as it sends them. */
export function readSender(services: SenderServices, name: string): SenderView & { samples: SenderSample[] } {
  const sender = findSender(services, name)
  return { ...describeSender(sender), samples: sender.samples.map((sample) => shownSample(services, sample)) }
}

export function findSender(services: Pick<DeliveryServices, 'surroundings'>, name: string): Sender {
  const sender = sendersOf(services).find(name)
  if (!sender) throw notFound('sender', name)
  return sender
}

/** Stands for what only the flow knows. */
const SHOWN_FIELDS = { secret: '…', verifyToken: '…', publicKey: '…', user: '…', password: '…' }

const shownSample = ({ hashing, now }: SenderServices, sample: SenderSample): SenderSample =>
  filledSample(sample, {
    fields: SHOWN_FIELDS,
    url: 'https://example.com/webhook',
    nowMs: now(),
    seed: sample.event,
    hashing,
  })

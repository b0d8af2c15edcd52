import { describe, expect, it } from 'vitest'
import type { Sender } from '../../api/api-types.ts'
import { blankSender, connectionField, findSenders, senderCalled, senderNameOf } from './find-senders.ts'

const sender = (name: string, title: string, more: Partial<Sender> = {}): Sender => ({
  name,
  title,
  aliases: [],
  words: [],
  color: '#000000',
  letters: 'Xx',
  fields: [],
  console: [],
  handshake: false,
  handsOver: [],
  accept: [],
  signs: null,
  covers: { body: false, time: false },
  events: [],
  notes: null,
  ...more,
})

const SENDERS = [
  sender('stripe', 'Stripe', { words: ['payments', 'invoice'] }),
  sender('standard-webhooks', 'Standard Webhooks', { aliases: ['svix', 'clerk'] }),
  sender('github', 'GitHub', { words: ['git', 'code'] }),
  sender('meta', 'Meta', { words: ['WhatsApp', 'Instagram'] }),
  sender('square', 'Square', { words: ['payments'] }),
]
const found = (typed: string) => findSenders(SENDERS, typed).map(({ name }) => name)

describe('the search for a sender', () => {
  it('lists all by title while nothing is typed', () => {
    expect(found(' ')).toEqual(['github', 'meta', 'square', 'standard-webhooks', 'stripe'])
  })

  it('finds by title, alias and word, in any letter case, the best first', () => {
    expect(found('st')).toEqual(['standard-webhooks', 'stripe', 'meta'])
    expect(found('SVIX')).toEqual(['standard-webhooks'])
    expect(found('webhooks')).toEqual(['standard-webhooks'])
    expect(found('whats')).toEqual(['meta'])
    expect(found('payments')).toEqual(['square', 'stripe'])
    expect(found('hub')).toEqual(['github'])
    expect(found('nobody')).toEqual([])
  })

  it('knows a sender by its alias too', () => {
    expect(senderCalled(SENDERS, 'clerk')?.name).toBe('standard-webhooks')
    expect(senderCalled(SENDERS, 'nobody')).toBeNull()
    expect(senderCalled(SENDERS, null)).toBeNull()
  })
})

describe('the sender of a trigger', () => {
  it('is named in an object', () => {
    expect(senderNameOf({ kind: 'webhook', sender: { name: 'meta' } })).toBe('meta')
    expect(senderNameOf({ kind: 'webhook', sender: 'meta' })).toBeNull()
    expect(senderNameOf({ kind: 'webhook' })).toBeNull()
  })

  it('begins with a connection for what it hands over', () => {
    const field = { name: 'secret' as const, label: 'Secret', hint: '' }
    expect(blankSender(sender('stripe', 'Stripe', { fields: [field] }))).toEqual({ name: 'stripe' })
    const asana = sender('microsoft-graph', 'Asana', { fields: [{ ...field, fromHandshake: true }] })
    const blank = blankSender(asana)
    expect(blank).toEqual({ name: 'microsoft-graph', secret: '{{ connections.microsoft_graph.secret }}' })
    expect(connectionField(blank['secret'])).toEqual({ connection: 'microsoft_graph', field: 'secret' })
    expect(connectionField('{{ env.SECRET }}')).toBeNull()
  })
})

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import {
  SendersBody,
  SenderWithSamplesBody,
  SendSampleRequest,
  SentSampleBody,
} from '../../../contract/senders/sender-bodies.ts'
import { listSenders, readSender } from '../../../operations/deliveries/samples/read-senders.ts'
import { sendSample } from '../../../operations/deliveries/samples/send-sample.ts'
import type { Services } from '../../../operations/services.ts'

const Name = Type.Object({ name: Type.String() })
const Id = Type.Object({ id: Type.String() })

export function senderRoutes(app: FastifyInstance, services: Services): void {
  app.get(
    '/api/v1/senders',
    {
      schema: {
        tags: ['flows'],
        summary: 'The senders that a trigger can name, with what each of them needs',
        response: { 200: SendersBody },
      },
    },
    async () => ({ senders: listSenders(services) }),
  )
  app.get<{ Params: Static<typeof Name> }>(
    '/api/v1/senders/:name',
    {
      schema: {
        tags: ['flows'],
        summary: 'A sender by its name or an alias, with sample events',
        params: Name,
        response: { 200: SenderWithSamplesBody },
      },
    },
    async ({ params }) => readSender(services, params.name),
  )
  app.post<{ Params: Static<typeof Id>; Body: Static<typeof SendSampleRequest> }>(
    '/api/v1/flows/:id/send-sample',
    {
      schema: {
        tags: ['flows'],
        summary: "Send a sample event of the flow's sender to its own webhook, signed as that sender signs",
        params: Id,
        body: SendSampleRequest,
        response: { 200: SentSampleBody },
      },
    },
    ({ params, body, actor }) =>
      sendSample(services, actor!, params.id, {
        event: body.event ?? null,
        test: body.test ?? true,
        privateKey: body.privateKey ?? null,
      }),
  )
}

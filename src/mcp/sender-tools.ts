// The tools for senders, with the rights of the token.
import Type from 'typebox'
import { readTool, type Tool, writeTool } from './tool.ts'

const idOf = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description })

interface ListedSender {
  name: string
  title: string
  aliases: string[]
  fields: unknown[]
  handshake: boolean
  events: string[]
}

export const senderTools: readonly Tool[] = [
  readTool({
    name: 'list_senders',
    needs: [],
    title: 'List senders',
    description:
      'Lists the services whose webhooks are verified by name, as trigger.sender: {name, …fields}: each with the fields that the trigger has to give and the events that send_sample can send. With sender: one of them, with what to do in its console, and its sample events.',
    input: { sender: Type.Optional(idOf('The name of a sender, such as stripe')) },
    request: ({ sender }) => ({ method: 'GET', path: sender === undefined ? '/senders' : `/senders/${sender}` }),
    show: (body: { senders?: ListedSender[] }) =>
      body.senders === undefined
        ? body
        : {
            senders: body.senders.map(({ name, title, aliases, fields, handshake, events }) => ({
              name,
              title,
              aliases,
              fields,
              handshake,
              events,
            })),
          },
  }),
  writeTool(
    { destructiveHint: true, idempotentHint: false, openWorldHint: true },
    {
      name: 'send_sample',
      needs: ['flows:write'],
      title: 'Send a sample event',
      description:
        'Sends a sample event of the flow’s sender to the flow’s own webhook, signed as that sender signs. With test: true (the default) it goes to the test URL, is kept as a sample and starts nothing; with test: false it starts a run of the live version, which sends real requests. Answers with what the webhook answered.',
      input: {
        flow: idOf('The id of the flow: flow_…'),
        event: Type.Optional(Type.String({ maxLength: 200, description: 'One of the events that list_senders names' })),
        test: Type.Optional(Type.Boolean({ default: true })),
      },
      request: ({ flow, event, test = true }) => ({
        method: 'POST',
        path: `/flows/${flow}/send-sample`,
        body: { ...(event !== undefined && { event }), test },
      }),
    },
  ),
]

// `millrace senders …`: the services whose webhooks are verified by name.
import type { Sender } from '../../client/bodies.ts'
import { defineCommand } from '../../command.ts'
import { fields, table } from '../../terminal/table.ts'

export const listSenders = defineCommand({
  name: 'senders list',
  summary: 'List the senders that a trigger can name',
  examples: [['which services are known', 'millrace senders list']],
  async run({ connect, show, terminal }) {
    const body = await (await connect()).get<{ senders: Sender[] }>('/senders')
    return show(body, () =>
      table(
        terminal,
        ['NAME', 'TITLE', 'NEEDS', 'CHECKED BY', 'EVENTS'],
        body.senders.map((one) => [
          one.name,
          one.aliases.length ? `${one.title} (${one.aliases.join(', ')})` : one.title,
          one.fields
            .filter(({ optional }) => !optional)
            .map(({ name }) => name)
            .join(', '),
          one.signs ?? 'a token',
          one.events.join(', '),
        ]),
      ),
    )
  },
})

export const showSender = defineCommand({
  name: 'senders show',
  summary: 'Show a sender: what the trigger has to give, and what to do in its console',
  args: ['<sender>'],
  examples: [['how to take its events', 'millrace senders show stripe']],
  async run({ connect, args, show, terminal }) {
    const sender = await (await connect()).get<Sender>(`/senders/${encodeURIComponent(args[0]!)}`)
    return show(sender, () =>
      [
        fields(terminal, [
          ['sender', `${sender.title} (${[sender.name, ...sender.aliases].join(', ')})`],
          ['checked by', `${sender.signs ?? 'a token'}, ${coverage(sender)}`],
          ['handshake', sender.handshake ? 'checks the URL first' : 'none'],
          ['accepts', sender.accept.join(', ')],
          ['events', sender.events.join(', ')],
          ...(sender.notes ? [['notes', sender.notes] as const] : []),
        ]),
        '',
        terminal.style('dim', 'the trigger gives'),
        ...sender.fields.map(
          ({ name, label, hint, optional, fromHandshake }) =>
            `  ${name}${optional ? ' (optional)' : ''}  ${label}: ${fromHandshake ? 'the sender hands it over' : hint}`,
        ),
        '',
        terminal.style('dim', `in ${sender.title}`),
        ...sender.console.map((step, index) => `  ${index + 1}. ${step.replaceAll('{url}', 'the webhook URL')}`),
      ].join('\n'),
    )
  },
})

const coverage = ({ covers: { body, time } }: Sender): string =>
  body ? (time ? 'over body and time' : 'over the body') : 'which covers neither body nor time'

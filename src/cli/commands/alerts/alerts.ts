// `millrace alerts …`: who is told when something fails.
import { defineCommand, text } from '../../command.ts'
import { CliError, EXIT } from '../../exit-code.ts'
import { showTime } from '../../terminal/show-time.ts'
import { table } from '../../terminal/table.ts'

interface Alert {
  id: string
  rule: string
  count?: number
  minutes?: number
  seconds?: number
  flow: { id: string; name: string | null } | null
  tag: string | null
  target: { kind: 'webhook'; url: string } | { kind: 'email'; to: string[] }
  sentAt: string | null
  problem: string | null
}

export const listAlerts = defineCommand({
  name: 'alerts list',
  summary: 'List alerts, with the time of the latest message and what is wrong with them',
  examples: [['all alerts', 'millrace alerts list']],
  async run({ connect, show, terminal }) {
    const { items } = await (await connect()).get<{ items: Alert[] }>('/alerts')
    return show({ items }, () =>
      items.length === 0
        ? 'There are no alerts.'
        : table(
            terminal,
            ['ID', 'RULE', 'FOR', 'TARGET', 'SENT', 'PROBLEM'],
            items.map((alert) => [
              alert.id,
              ruleOf(alert),
              alert.flow?.name ?? alert.flow?.id ?? (alert.tag === null ? 'all' : `tag ${alert.tag}`),
              alert.target.kind === 'email' ? alert.target.to.join(', ') : alert.target.url,
              showTime(alert.sentAt),
              alert.problem ?? '-',
            ]),
          ),
    )
  },
})

const ruleOf = ({ rule, count, minutes, seconds }: Alert): string =>
  [
    rule,
    ...(count === undefined ? [] : [String(count)]),
    ...(minutes === undefined ? [] : [`in ${minutes} min`]),
    ...(seconds === undefined ? [] : [`${seconds} s`]),
  ].join(' ')

export const addAlert = defineCommand({
  name: 'alerts add',
  summary: 'Make an alert; the secret of a webhook is shown only once',
  args: ['<rule>'],
  options: {
    url: text('url', 'the webhook that is told'),
    email: text('addresses', 'the e-mail addresses that are told, separated by commas'),
    flow: text('flow', 'the id or slug of the flow; by default all flows'),
    tag: text('tag', 'for the flows with this tag'),
    count: text('n', 'how many failures or rejections'),
    minutes: text('n', 'within how many minutes'),
    seconds: text('n', 'for how many seconds'),
  },
  examples: [
    ['the first failure of any flow', 'millrace alerts add first_failure --email team@example.com'],
    [
      'ten failures within five minutes',
      'millrace alerts add failures --count 10 --minutes 5 --url https://chat.example.com/alerts',
    ],
  ],
  async run({ connect, args, options, show, note }) {
    const { url, email, flow, tag } = options
    if ((url === undefined) === (email === undefined))
      throw new CliError(EXIT.usage, 'usage', 'Give --url or --email: who is told?')
    const target =
      url === undefined ? { kind: 'email', to: email!.split(',').map((one) => one.trim()) } : { kind: 'webhook', url }
    const body = { rule: args[0], ...numbersOf(options), ...(flow && { flow }), ...(tag && { tag }), target }
    const alert = await (await connect()).call<Alert & { secret?: string }>('POST', '/alerts', { body })
    if (alert.secret !== undefined) note('Store the secret now: it is not shown again.')
    return show(alert, () => [alert.id, ...(alert.secret === undefined ? [] : [alert.secret])].join('\n'))
  },
})

const numbersOf = (options: Partial<Record<'count' | 'minutes' | 'seconds', string | undefined>>) =>
  Object.fromEntries(
    (['count', 'minutes', 'seconds'] as const).flatMap((name) =>
      options[name] === undefined ? [] : [[name, Number(options[name])]],
    ),
  )

export const testAlert = defineCommand({
  name: 'alerts test',
  summary: 'Send a message to the target of an alert now',
  args: ['<alert-id>'],
  examples: [['does it arrive?', 'millrace alerts test alr_01m7…']],
  async run({ connect, args, show }) {
    const path = `/alerts/${encodeURIComponent(args[0]!)}/test`
    const result = await (await connect()).call<{ sent: boolean; message: string | null }>('POST', path)
    if (!result.sent) throw new CliError(EXIT.failed, 'not_sent', `It was not sent: ${result.message}`)
    return show(result, () => 'Sent.')
  },
})

export const removeAlert = defineCommand({
  name: 'alerts remove',
  summary: 'Delete an alert and its unsent messages',
  args: ['<alert-id>'],
  examples: [['by its id from the list', 'millrace alerts remove alr_01m7…']],
  async run({ connect, args, show }) {
    await (await connect()).call('DELETE', `/alerts/${encodeURIComponent(args[0]!)}`)
    return show({ removed: args[0] }, () => `Removed ${args[0]}.`)
  },
})

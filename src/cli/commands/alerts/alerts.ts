// `millrace alerts …`: who is told when something fails.
import { CODE } from '../../../base/error-catalogue.ts'
import { defineCommand, flag, text } from '../../command.ts'
import { CliError, EXIT, usageError } from '../../exit-code.ts'
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

const TARGET_AND_RULE = {
  url: text('url', 'the webhook that is told'),
  email: text('addresses', 'the e-mail addresses that are told, separated by commas'),
  flow: text('flow', 'the id or slug of the flow; by default all flows'),
  tag: text('tag', 'for the flows with this tag'),
  count: text('n', 'how many failures or rejections'),
  minutes: text('n', 'within how many minutes'),
  seconds: text('n', 'for how many seconds'),
}

const targetOf = ({ url, email }: { url?: string | undefined; email?: string | undefined }) =>
  url === undefined ? { kind: 'email', to: email!.split(',').map((one) => one.trim()) } : { kind: 'webhook', url }

export const addAlert = defineCommand({
  name: 'alerts add',
  summary: 'Make an alert; the secret of a webhook is shown only once',
  args: ['<rule>'],
  options: TARGET_AND_RULE,
  examples: [
    ['the first failure of any flow', 'millrace alerts add first_failure --email team@example.com'],
    [
      'ten failures within five minutes',
      'millrace alerts add failures --count 10 --minutes 5 --url https://chat.example.com/alerts',
    ],
  ],
  async run({ connect, args, options, show, note }) {
    const { url, email, flow, tag } = options
    if ((url === undefined) === (email === undefined)) throw usageError('Give --url or --email: who is told?')
    const body = {
      rule: args[0],
      ...numbersOf(options),
      ...(flow && { flow }),
      ...(tag && { tag }),
      target: targetOf(options),
    }
    const alert = await (await connect()).call<MadeAlert>('POST', '/alerts', { body })
    if (alert.secret !== undefined) note(KEEP_SECRET)
    return show(alert, () => idAndSecret(alert))
  },
})

type MadeAlert = Alert & { secret?: string }
const KEEP_SECRET = 'Store the secret now: it is not shown again.'
const idAndSecret = ({ id, secret }: MadeAlert): string => [id, ...(secret === undefined ? [] : [secret])].join('\n')

export const updateAlert = defineCommand({
  name: 'alerts update',
  summary: 'Change an alert; what is not given stays as it is, and so does the secret of a webhook',
  args: ['<alert-id>'],
  options: {
    rule: text('rule', 'the rule; the numbers of another one have to be given with it'),
    ...TARGET_AND_RULE,
    flow: text('flow', 'for this flow: its id or slug'),
    'all-flows': flag('for all flows again'),
  },
  examples: [
    ['for the flows with a tag', 'millrace alerts update alr_01m7… --tag billing'],
    ['another rule', 'millrace alerts update alr_01m7… --rule failures --count 20 --minutes 10'],
  ],
  async run({ connect, args, options, show, note }) {
    const { rule, url, email, flow, tag } = options
    if (url !== undefined && email !== undefined) throw usageError('Give --url or --email, not both: who is told?')
    if (options['all-flows'] && (flow || tag))
      throw usageError('--all-flows takes the limit away, and --flow and --tag set one: give one or the other.')
    const api = await connect()
    const { items } = await api.get<{ items: Alert[] }>('/alerts')
    const before = items.find(({ id }) => id === args[0])
    if (!before)
      throw new CliError(
        EXIT.notFound,
        CODE.not_found,
        `There is no alert ${args[0]}; "millrace alerts list" shows them.`,
      )
    const { count, minutes, seconds } = before
    const body = {
      rule: rule ?? before.rule,
      ...(rule === undefined || rule === before.rule ? { count, minutes, seconds } : {}),
      ...numbersOf(options),
      ...(options['all-flows'] || flow || tag
        ? { flow, tag }
        : { flow: before.flow?.id, tag: before.tag ?? undefined }),
      target: url === undefined && email === undefined ? before.target : targetOf(options),
    }
    const alert = await api.call<MadeAlert>('PUT', `/alerts/${encodeURIComponent(before.id)}`, { body })
    if (alert.secret !== undefined) note(KEEP_SECRET)
    return show(alert, () => idAndSecret(alert))
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

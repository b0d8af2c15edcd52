// `millrace failures …` and `millrace replays …`: failed runs by their cause, and jobs that replay many of them.
import type { ApiClient } from '../client/api-client.ts'
import type { Failure, ReplayJob, ReplayPreview } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { type Context, defineCommand, flag, list, number, text } from '../command.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import { givenLabels, labelsQuery } from '../labels-query.ts'
import { showTime } from '../terminal/show-time.ts'
import { fields, table } from '../terminal/table.ts'
import { visibleJson } from '../terminal/visible.ts'

export const listFailures = defineCommand({
  name: 'failures list',
  summary: 'List failed runs by their cause, the latest first',
  options: {
    flow: text('flow', 'only of this flow'),
    state: text('state', 'open (the default), resolved, muted or all'),
    label: list('name=value', 'only with a run that has this label'),
    limit: number('count', 'how many at most; 20 by default'),
  },
  examples: [['what fails now', 'millrace failures list']],
  async run({ connect, options, show, terminal }) {
    const api = await connect()
    const query = labelsQuery(options.label)
    if (options.flow !== undefined) query.set('flow', (await findFlow(api, options.flow)).id)
    const { state = 'open' } = options
    if (state !== 'all') query.set('state', state)
    const items = await api.list<Failure>(`/failures?${query.toString()}`, options.limit ?? 20)
    return show({ items }, () =>
      items.length === 0
        ? 'No failures match.'
        : table(
            terminal,
            ['ID', 'RUNS', 'LAST', 'STATE', 'FLOW', 'STEP', 'MESSAGE'],
            items.map((failure) => [
              failure.id,
              String(failure.count),
              showTime(failure.lastAt),
              failure.state,
              failure.flowName ?? failure.flow,
              failure.step ?? '',
              failure.message,
            ]),
          ),
    )
  },
})

const failurePath = (id: string | undefined): string => `/failures/${encodeURIComponent(id!)}`

export const showFailure = defineCommand({
  name: 'failures show',
  summary: 'Show one cause of failures',
  args: ['<failure>'],
  examples: [['with its latest run', 'millrace failures show fail_5f0c…']],
  async run({ connect, args, show, terminal }) {
    const failure = await (await connect()).get<Failure>(failurePath(args[0]))
    return show(failure, () =>
      fields(terminal, [
        ['message', failure.message],
        ['flow', failure.flowName ?? failure.flow],
        ['step', failure.step ?? 'none'],
        ['code', failure.status === null ? failure.code : `${failure.code} (${failure.status})`],
        ['runs', String(failure.count)],
        ['first', showTime(failure.firstAt)],
        ['last', showTime(failure.lastAt)],
        ['versions', failure.versions.join(', ') || 'draft'],
        ['latest run', failure.latestRun],
        ['state', failure.until === null ? failure.state : `${failure.state} until ${showTime(failure.until)}`],
      ]),
    )
  },
})

export const resolveFailure = defineCommand({
  name: 'failures resolve',
  summary: 'Mark a failure as resolved; it opens again by itself when it comes back',
  args: ['<failure>'],
  options: { reopen: flag('open it again instead') },
  examples: [['after the fix', 'millrace failures resolve fail_5f0c…']],
  async run({ connect, args, options, show }) {
    const body = { state: options.reopen ? 'open' : 'resolved' }
    const failure = await (await connect()).call<Failure>('PUT', failurePath(args[0]), { body })
    return show(failure, () => `${failure.id} is ${failure.state}.`)
  },
})

export const muteFailure = defineCommand({
  name: 'failures mute',
  summary: 'Mute a failure until a time',
  args: ['<failure>'],
  options: { until: text('time', 'ISO 8601: 2026-11-17T08:00:00Z') },
  examples: [['it is known', 'millrace failures mute fail_5f0c… --until 2036-11-17T08:00:00Z']],
  async run({ connect, args, options, show }) {
    if (options.until === undefined) throw new CliError(EXIT.usage, 'usage', 'Give a time with --until.')
    const body = { state: 'muted', until: options.until }
    const failure = await (await connect()).call<Failure>('PUT', failurePath(args[0]), { body })
    return show(failure, () => `${failure.id} is muted until ${showTime(failure.until!)}.`)
  },
})

export const createReplays = defineCommand({
  name: 'replays create',
  summary: 'Replay every run that matches',
  options: {
    failure: text('failure', 'only runs of this failure'),
    flow: text('flow', 'only runs of this flow'),
    status: text('status', 'failed (the default), succeeded or cancelled'),
    since: text('time', 'runs since this time; ISO 8601: 2026-11-15T08:00:00Z'),
    until: text('time', 'runs before this time'),
    label: list('name=value', 'only with this label'),
    from: text('place', 'failed: the step that failed (the default); start; or the path of a step'),
    version: text('version', 'same (the default), published, draft or a number'),
    pace: number('count', 'replays per second; 50 by default'),
    again: flag('also runs that were replayed with success before'),
    replays: flag('also runs that are replays themselves'),
    'dry-run': flag('only say how many there are'),
    wait: flag('follow the job to its end, with a bar'),
  },
  details: 'With --wait the exit code is 0 if every replay succeeded, and 1 if not.',
  examples: [
    ['how many are there', 'millrace replays create --failure fail_5f0c… --dry-run'],
    [
      'all of a failure, with the fixed flow',
      'millrace replays create --failure fail_5f0c… --version published --wait',
    ],
  ],
  async run(context) {
    const { connect, options, show } = context
    const api = await connect()
    const { failure, status, since, until, from, version, pace, again, replays } = options
    const filter = {
      ...(options.flow !== undefined && { flow: (await findFlow(api, options.flow)).id }),
      ...(failure !== undefined && { failure }),
      ...(status !== undefined && { status }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(options.label.length > 0 && { label: givenLabels(options.label) }),
    }
    const body = {
      filter,
      ...(from !== undefined && { from: from === 'failed' || from === 'start' ? from : { step: from } }),
      ...(version !== undefined && { version: /^\d+$/.test(version) ? Number(version) : version }),
      ...(pace !== undefined && { pace }),
      ...(again && { again }),
      ...(replays && { replays }),
    }
    const preview = await api.call<ReplayPreview>('POST', '/replays', { body: { ...body, dryRun: true } })
    const before = preview.alreadyReplayed > 0 ? `; ${preview.alreadyReplayed} were replayed with success before` : ''
    if (options['dry-run']) return show(preview, () => `${preview.total} runs would be replayed${before}.`)
    const job = await api.call<ReplayJob>('POST', '/replays', { body })
    if (options.wait) return followReplays(context, api, job.id)
    return show(job, () => `Started ${job.id}: ${job.total} runs${before}.`)
  },
})

const replayPath = (id: string | undefined): string => `/replays/${encodeURIComponent(id!)}`

export const showReplays = defineCommand({
  name: 'replays show',
  summary: 'Show how far a job is that replays runs',
  args: ['<replay>'],
  options: { wait: flag('follow it to its end') },
  examples: [['how far it is', 'millrace replays show rpl_01m7…']],
  async run(context) {
    const { connect, args, options, show } = context
    const api = await connect()
    if (options.wait) return followReplays(context, api, args[0]!)
    const job = await api.get<ReplayJob>(replayPath(args[0]))
    return show(job, () =>
      [progressOf(job), ...(job.problems ?? []).map(({ message, count }) => `${count} × ${message}`)].join('\n'),
    )
  },
})

const changing = (change: 'pause' | 'resume' | 'cancel', summary: string) =>
  defineCommand({
    name: `replays ${change}`,
    summary,
    args: ['<replay>'],
    examples: [[summary.toLowerCase(), `millrace replays ${change} rpl_01m7…`]],
    async run({ connect, args, show }) {
      const job = await (await connect()).call<ReplayJob>('POST', `${replayPath(args[0])}/${change}`)
      return show(job, () => progressOf(job))
    },
  })

export const pauseReplays = changing('pause', 'Start no more replays of a job for now')
export const resumeReplays = changing('resume', 'Go on with a paused job')
export const cancelReplays = changing('cancel', 'Start no more replays of a job')

const BAR = 30

/** "[██████        ] 4,123 of 10,000, 3 failed (running)" */
function progressOf({ state, total, done, failed }: ReplayJob): string {
  const filled = total === 0 ? BAR : Math.floor(((done + failed) / total) * BAR)
  return `[${'█'.repeat(filled)}${' '.repeat(BAR - filled)}] ${done + failed} of ${total}, ${failed} failed (${state})`
}

/** Shows the bar until the job has ended. */
async function followReplays(
  { terminal, wantsJson, show }: Pick<Context<unknown>, 'terminal' | 'wantsJson' | 'show'>,
  api: ApiClient,
  id: string,
): Promise<ExitCode> {
  for await (const { type, data } of api.events(`${replayPath(id)}/events`)) {
    if (type !== 'replay') continue
    const job = data as ReplayJob
    if (job.finishedAt === null) {
      if (wantsJson) terminal.out(visibleJson(job))
      else terminal.progress(progressOf(job))
      continue
    }
    terminal.progress('')
    show(job, () => progressOf(job))
    return job.state === 'done' && job.failed === 0 ? EXIT.ok : EXIT.failed
  }
  throw new CliError(EXIT.unreachable, 'unreachable', 'The server ended the stream of events.')
}

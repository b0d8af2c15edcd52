// `millrace runs …`: lists, follows, exports, replays and cancels runs.
import { writeFileSync } from 'node:fs'
import type { Fixture } from '../../flow/fixture.ts'
import { formatFlowYaml } from '../../flow/flow-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { Found, Run, RunSummary, Step } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { type Context, defineCommand, flag, list, number, text } from '../command.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import { labelsQuery } from '../labels-query.ts'
import { showDuration, showTime } from '../terminal/show-time.ts'
import { fields, table } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { visibleJson } from '../terminal/visible.ts'

const COLOURS: Record<string, 'green' | 'red' | 'yellow' | 'cyan'> = {
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  running: 'cyan',
}

const statusOf = (terminal: Terminal, status: string): string =>
  COLOURS[status] ? terminal.style(COLOURS[status], status) : status

export const listRuns = defineCommand({
  name: 'runs list',
  summary: 'List runs, newest first',
  options: {
    flow: text('flow', 'only of this flow'),
    status: text('status', 'queued, running, waiting, succeeded, failed or cancelled'),
    since: text('time', 'ISO 8601: 2026-11-15T08:00:00Z'),
    until: text('time', 'before this time'),
    label: list('name=value', 'only with this label'),
    limit: number('count', 'how many at most; 20 by default'),
  },
  examples: [
    ['the latest failures', 'millrace runs list --status failed'],
    ['the runs of an order', 'millrace runs list --label order=A-1001'],
  ],
  async run({ connect, options, show, terminal }) {
    const api = await connect()
    const query = labelsQuery(options.label)
    if (options.flow !== undefined) query.set('flow', (await findFlow(api, options.flow)).id)
    for (const name of ['status', 'since', 'until'] as const) if (options[name]) query.set(name, options[name])
    const items = await api.list<RunSummary>(`/runs?${query.toString()}`, options.limit ?? 20)
    return show({ items }, () => (items.length === 0 ? 'No runs match.' : runTable(terminal, items)))
  },
})

const runTable = (terminal: Terminal, runs: readonly RunSummary[]): string =>
  table(
    terminal,
    ['ID', 'STATUS', 'STARTED', 'TOOK', 'FLOW', 'ERROR'],
    runs.map((run) => [
      run.id,
      statusOf(terminal, run.status),
      showTime(run.startedAt ?? run.createdAt),
      showDuration(run.startedAt, run.finishedAt),
      run.flowName ?? run.flowId,
      run.error?.message ?? '',
    ]),
  )

export const search = defineCommand({
  name: 'search',
  summary: 'Find runs, deliveries, labels and flows',
  args: ['<text>'],
  details: 'Takes a run id, a delivery id, the beginning of the value of a label, or part of the name of a flow.',
  examples: [['by the number of an order', 'millrace search A-1001']],
  async run({ connect, args, show, terminal }) {
    const api = await connect()
    const found = await api.get<Found>(`/search?q=${encodeURIComponent(args[0]!)}`)
    return show(found, () => {
      const parts = [
        found.runs.length && runTable(terminal, found.runs),
        found.labels.length &&
          table(
            terminal,
            ['LABEL', 'NEWEST RUN'],
            found.labels.map((one) => [`${one.name}=${one.value}`, one.run]),
          ),
        found.deliveries.length &&
          table(
            terminal,
            ['DELIVERY', 'OUTCOME'],
            found.deliveries.map((one) => [one.id, one.outcome]),
          ),
        found.flows.length &&
          table(
            terminal,
            ['FLOW', 'NAME'],
            found.flows.map((one) => [one.id, one.name]),
          ),
      ]
      return parts.filter(Boolean).join('\n\n') || 'Nothing is found.'
    })
  },
})

export const showRun = defineCommand({
  name: 'runs show',
  summary: 'Show a run with its steps',
  args: ['<run>'],
  options: { full: flag('with the input and output of each step') },
  examples: [
    ['at a glance', 'millrace runs show run_01m7…'],
    ['with what each step sent and received', 'millrace runs show run_01m7… --full'],
  ],
  async run({ connect, args, options, show, terminal }) {
    const run = await (await connect()).get<Run>(`/runs/${encodeURIComponent(args[0]!)}`)
    return show(run, () => describe(terminal, run, options.full))
  },
})

function describe(terminal: Terminal, run: Run, full: boolean): string {
  const lines = [
    fields(terminal, [
      ['run', run.id],
      ['flow', `${run.flowName ?? run.flowId}${run.version === null ? ' (draft)' : ` v${run.version}`}`],
      ['status', statusOf(terminal, run.status)],
      ['created', showTime(run.createdAt)],
      ['took', showDuration(run.startedAt, run.finishedAt)],
      ...(run.replayOf ? [['replay of', run.replayOf] as const] : []),
      ...(run.edited ? [['data', 'edited for the replay'] as const] : []),
      ...(run.dataDeleted ? [['data', 'deleted with its end, as the flow says'] as const] : []),
      ...(run.replayedAs ? [['replayed as', `${run.replayedAs.run} (${run.replayedAs.status})`] as const] : []),
      ...Object.entries(run.labels ?? {}).map(([name, value]) => [`label ${name}`, value] as const),
      ...(run.error ? [['error', `${run.error.code}: ${run.error.message}`] as const] : []),
      ...(run.error?.hint ? [['hint', run.error.hint] as const] : []),
    ]),
  ]
  if (Object.keys(run.vars).length) lines.push('', terminal.style('dim', 'vars'), indented(run.vars))
  if (run.steps.length) lines.push('')
  for (const step of run.steps) lines.push(stepLine(terminal, step), ...(full ? stepDetails(terminal, step) : []))
  return lines.join('\n')
}

const stepLine = (terminal: Terminal, step: Step): string => {
  const attempt = step.attempt > 1 ? ` (attempt ${step.attempt})` : ''
  const error = step.error ? `  ${step.error.code}: ${step.error.message}` : ''
  return `${statusOf(terminal, step.status).padEnd(9)}  ${step.path}  ${terminal.style('dim', `${step.kind}, ${showDuration(step.startedAt, step.finishedAt)}${attempt}`)}${error}`
}

const stepDetails = (terminal: Terminal, { input, output, logs, attempts = [] }: Step): string[] => [
  ...attempts.map(({ number: nth, startedAt, durationMs, status, error }) =>
    terminal.style(
      'dim',
      `  attempt ${nth}  ${showTime(startedAt)}  ${durationMs === null ? 'under way' : `${durationMs} ms`}  ${error?.code ?? ''} ${status ?? ''}`.trimEnd(),
    ),
  ),
  terminal.style('dim', '  input'),
  indented(input),
  terminal.style('dim', '  output'),
  indented(output),
  ...(logs.length ? [terminal.style('dim', '  log'), ...logs.map((line) => `    ${line}`)] : []),
]

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll(/^/gm, '    ')

export const exportRun = defineCommand({
  name: 'runs export',
  summary: 'Write a finished run as a test of its flow, with placeholders for secrets',
  args: ['<run>'],
  options: {
    output: text('file', 'write to this file, not to the terminal'),
    flow: text('file', 'the file of its flow, as the test refers to it'),
  },
  examples: [
    ['turn a failure into a test', 'millrace runs export run_01m7… --output flows/orders.test.yaml'],
    ['then run the test', 'millrace test flows/orders.test.yaml'],
  ],
  async run({ connect, args, options, show, showDocument }) {
    const api = await connect()
    const fixture = await api.get<Fixture>(`/runs/${encodeURIComponent(args[0]!)}/fixture`)
    const document = { ...(options.flow === undefined ? {} : { flow: options.flow }), ...fixture }
    const yaml = formatFlowYaml(document)
    if (options.output === undefined) return showDocument(document, () => yaml)
    writeFileSync(options.output, yaml)
    return show({ file: options.output, run: args[0] }, () => `Wrote ${options.output}.`)
  },
})

export const harOfRun = defineCommand({
  name: 'runs har',
  summary: 'Write the requests of a run and their replies as an HTTP Archive (HAR)',
  args: ['<run>'],
  options: { output: text('file', 'write to this file, not to the terminal') },
  details: 'Secrets are masked as in the run. The developer tools of browsers and HTTP debuggers open such files.',
  examples: [['to a file', 'millrace runs har run_01m7… --output run.har']],
  async run({ connect, args, options, show, showDocument }) {
    const har = await (await connect()).get<object>(`/runs/${encodeURIComponent(args[0]!)}/har`)
    if (options.output === undefined) return showDocument(har, () => JSON.stringify(har, null, 2))
    writeFileSync(options.output, `${JSON.stringify(har, null, 2)}\n`)
    return show({ file: options.output, run: args[0] }, () => `Wrote ${options.output}.`)
  },
})

export const tailRuns = defineCommand({
  name: 'runs tail',
  summary: 'Follow one run to its end, or all runs as they happen',
  args: ['[run]'],
  options: { flow: text('flow', 'only runs of this flow') },
  details: 'With --json each line is one event. For one run the exit code is 0 if it succeeded, and 1 if not.',
  examples: [
    ['everything', 'millrace runs tail'],
    ['one flow', "millrace runs tail --flow 'Order alerts'"],
    ['wait for a run', 'millrace runs tail run_01m7… && echo done'],
  ],
  async run(context) {
    const { connect, args, options } = context
    const api = await connect()
    if (args[0] !== undefined) return followRun(context, api, args[0])
    if (api.isIdle) throw nothingRuns()
    const path = options.flow === undefined ? '/events' : `/flows/${(await findFlow(api, options.flow)).id}/events`
    for await (const { type, data } of api.events(path)) {
      if (context.wantsJson) context.terminal.out(visibleJson({ type, data }))
      else if (type === 'run')
        context.terminal.out(
          `${showTime(new Date().toISOString())}  ${statusOf(context.terminal, data.status)}  ${data.id}${data.error ? `  ${data.error.message}` : ''}`,
        )
    }
    return EXIT.ok
  },
})

const ENDED = new Set(['succeeded', 'failed', 'cancelled'])

const nothingRuns = () =>
  new CliError(
    EXIT.unreachable,
    'not_running',
    'No server runs on this data folder, so no run can continue. Start "millrace serve", or name a server with --server.',
  )

/** Shows each step as it ends; resolves when the run has. */
export async function followRun(
  { terminal, wantsJson }: Pick<Context<unknown>, 'terminal' | 'wantsJson'>,
  api: ApiClient,
  id: string,
): Promise<ExitCode> {
  const shown = new Set<string>()
  const showStep = (step: Step) => {
    const state = `${step.path} ${step.status} ${step.attempt}`
    if (wantsJson || step.status === 'running' || shown.has(state)) return
    shown.add(state)
    terminal.out(stepLine(terminal, step))
  }
  for await (const { type, data } of api.events(`/runs/${encodeURIComponent(id)}/events`)) {
    if (wantsJson) terminal.out(visibleJson({ type, data }))
    if (type === 'step') showStep(data)
    if (type !== 'run') continue
    for (const step of data.steps ?? []) showStep(step)
    if (!ENDED.has(data.status)) {
      if (api.isIdle) throw nothingRuns()
      continue
    }
    if (!wantsJson)
      terminal.out(
        `${statusOf(terminal, data.status)}  ${id}${data.error ? `  ${data.error.code}: ${data.error.message}` : ''}`,
      )
    return data.status === 'succeeded' ? EXIT.ok : EXIT.failed
  }
  return EXIT.unreachable
}

export const replayRun = defineCommand({
  name: 'runs replay',
  summary: 'Run the same delivery again, from the start or from a step',
  args: ['<run>'],
  options: {
    from: text('path', 'begin with this step; results of earlier steps come from the first run'),
    version: text('version', 'same (the default), published, draft or a number'),
    wait: flag('follow the new run to its end'),
  },
  examples: [
    ['from the start', 'millrace runs replay run_01m7…'],
    ['with the fixed flow, from the failed step', 'millrace runs replay run_01m7… --version published --from large'],
  ],
  async run(context) {
    const { connect, args, options, show } = context
    const api = await connect()
    const { from, version } = options
    const body = {
      ...(from && { from }),
      ...(version && { version: /^\d+$/.test(version) ? Number(version) : version }),
    }
    const run = await api.call<Run>('POST', `/runs/${encodeURIComponent(args[0]!)}/replay`, { body })
    if (options.wait) return followRun(context, api, run.id)
    return show(run, () => `Started ${run.id}.`)
  },
})

export const cancelRun = defineCommand({
  name: 'runs cancel',
  summary: 'End a run that is queued, running or waiting',
  args: ['<run>'],
  examples: [['stop a run', 'millrace runs cancel run_01m8…']],
  async run({ connect, args, show }) {
    const run = await (await connect()).call<Run>('POST', `/runs/${encodeURIComponent(args[0]!)}/cancel`)
    return show(run, () => `${run.id} is ${run.status}.`)
  },
})

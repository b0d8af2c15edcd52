// `millrace flows …`: lists, shows, checks and publishes flows.
import { writeFileSync } from 'node:fs'
import { formatFlowYaml } from '../../flow/flow-text.ts'
import type { Flow, Published, Validation } from '../client/bodies.ts'
import { findFlow } from '../client/find-flow.ts'
import { defineCommand, flag, text } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { flowPaths, readFlowFile } from '../files/flow-files.ts'
import { showTime } from '../terminal/show-time.ts'
import { fields, table } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

const stateOf = (terminal: Terminal, { published }: Flow): string =>
  published ? terminal.style('green', `live v${published.version}`) : terminal.style('dim', 'draft')

export const listFlows = defineCommand({
  name: 'flows list',
  summary: 'List flows, newest first',
  options: {
    search: text('text', 'only flows with this text in their name'),
    tag: text('tag', 'only flows with this tag'),
  },
  examples: [
    ['every flow', 'millrace flows list'],
    ['flows about orders, for a script', 'millrace flows list --search order --json'],
    ['flows with a tag', 'millrace flows list --tag billing'],
  ],
  async run({ connect, options, show, terminal }) {
    const api = await connect()
    const query = new URLSearchParams()
    if (options.search) query.set('q', options.search)
    if (options.tag) query.set('tag', options.tag)
    const items = await api.list<Flow>(query.size === 0 ? '/flows' : `/flows?${query.toString()}`)
    return show({ items }, () =>
      items.length === 0
        ? 'There are no flows.'
        : table(
            terminal,
            ['ID', 'STATE', 'CHANGED', 'NAME'],
            items.map((flow) => [flow.id, stateOf(terminal, flow), showTime(flow.updatedAt), flow.name]),
          ),
    )
  },
})

export const showFlow = defineCommand({
  name: 'flows show',
  summary: 'Show a flow with its webhook URLs and its draft',
  args: ['<flow>'],
  details: 'Name a flow by its id or, if only one flow has it, by its name.',
  examples: [
    ['by name', "millrace flows show 'Order alerts'"],
    ['for a script', "millrace flows show 'Order alerts' --json"],
  ],
  async run({ connect, args, show, terminal }) {
    const flow = await findFlow(await connect(), args[0]!)
    return show(flow, () =>
      [
        fields(terminal, [
          ['name', flow.name],
          ['id', flow.id],
          ['state', stateOf(terminal, flow)],
          ['revision', String(flow.revision)],
          ['changed', showTime(flow.updatedAt)],
          ['webhook', flow.webhook.url],
          ['test URL', flow.webhook.testUrl],
        ]),
        '',
        formatFlowYaml(flow.draft).trimEnd(),
      ].join('\n'),
    )
  },
})

export const validateFlows = defineCommand({
  name: 'flows validate',
  summary: 'Check flow files as publishing would, without saving anything',
  args: ['<file...>'],
  options: { flow: text('flow', 'warn about references that no sample or test of this flow contains') },
  details: 'The server knows the connections and variables. To check files without a server, use "millrace test".',
  examples: [
    ['one file', 'millrace flows validate flows/orders.yaml'],
    ['every flow in a folder', 'millrace flows validate flows/'],
    ['also against the samples of a flow', "millrace flows validate flows/orders.yaml --flow 'Order alerts'"],
  ],
  async run({ connect, args, options, show, terminal }) {
    const files = flowPaths(args).map(readFlowFile)
    const api = await connect()
    const query = options.flow === undefined ? '' : `?flow=${(await findFlow(api, options.flow)).id}`
    const results: (Validation & { file: string })[] = []
    for (const { path, document } of files)
      results.push({
        file: path,
        ...(await api.call<Validation>('POST', `/flows/validate${query}`, { body: document })),
      })
    const line = (kind: string, { path, message }: { path: string; message: string }) =>
      `  ${kind} ${path || '/'}: ${message}`
    show({ files: results }, () =>
      results
        .flatMap(({ file, issues, warnings }) => [
          `${issues.length ? terminal.style('red', 'invalid') : terminal.style('green', 'valid')}  ${file}`,
          ...issues.map((issue) => line('error', issue)),
          ...warnings.map((warning) => line('warning', warning)),
        ])
        .join('\n'),
    )
    return results.some(({ issues }) => issues.length) ? EXIT.failed : EXIT.ok
  },
})

export const exportFlow = defineCommand({
  name: 'flows export',
  summary: 'Write a flow as YAML, the draft or one version of it',
  args: ['<flow>'],
  options: {
    output: text('file', 'write to this file, not to the terminal'),
    version: text('number', 'this published version, not the draft'),
  },
  details:
    'Secrets that were typed into the flow are sealed:… values, which work only in the original flow:\nbefore you use the file for another flow, replace them with connections or env.',
  examples: [
    ['the draft, to a file', "millrace flows export 'Order alerts' --output flows/orders.yaml"],
    ['what was live before', "millrace flows export 'Order alerts' --version 1"],
  ],
  async run({ connect, args, options, show, showDocument, note }) {
    const api = await connect()
    const flow = await findFlow(api, args[0]!)
    const document =
      options.version === undefined
        ? flow.draft
        : (await api.get<{ document: unknown }>(`/flows/${flow.id}/versions/${encodeURIComponent(options.version)}`))
            .document
    const yaml = formatFlowYaml(document)
    if (yaml.includes('sealed:'))
      note('note: the sealed:… values work only in this flow; for another flow, replace them with connections or env.')
    if (options.output === undefined) return showDocument(document, () => yaml)
    writeFileSync(options.output, yaml)
    return show({ file: options.output, flow: flow.id }, () => `Wrote ${options.output}.`)
  },
})

export const curlOfStep = defineCommand({
  name: 'flows curl',
  summary: "Write a request of a flow's draft as a curl command",
  args: ['<flow>', '<step>'],
  details: 'Templates stay as they are; placeholders such as <token> replace secrets.',
  examples: [['to try it by hand', "millrace flows curl 'Order alerts' order"]],
  async run({ connect, args, showDocument }) {
    const api = await connect()
    const flow = await findFlow(api, args[0]!)
    const body = await api.get<{ curl: string }>(`/flows/${flow.id}/steps/${encodeURIComponent(args[1]!)}/curl`)
    return showDocument(body, () => body.curl)
  },
})

export const publishFlow = defineCommand({
  name: 'flows publish',
  summary: "Make a flow's draft its live version",
  args: ['<flow>'],
  examples: [['go live', "millrace flows publish 'Order alerts'"]],
  async run({ connect, args, show, terminal }) {
    const api = await connect()
    const flow = await findFlow(api, args[0]!)
    const published = await api.call<Published>('POST', `/flows/${flow.id}/publish`)
    return show({ id: flow.id, ...published }, () =>
      [
        `${flow.name} is live as version ${published.version}: ${flow.webhook.url}`,
        ...published.warnings.map(
          ({ path, message }) => `${terminal.style('yellow', 'warning')} ${path || '/'}: ${message}`,
        ),
      ].join('\n'),
    )
  },
})

export const unpublishFlow = defineCommand({
  name: 'flows unpublish',
  summary: 'Unpublish a flow: its webhook answers 404 until you publish it again',
  args: ['<flow>'],
  options: { yes: flag('do not ask') },
  examples: [['in a script', "millrace flows unpublish 'Old orders' --yes"]],
  async run({ connect, args, options, show, terminal }) {
    const api = await connect()
    const found = await findFlow(api, args[0]!)
    if (!options.yes && terminal.isInteractive && !(await terminal.confirm(`Unpublish "${found.name}"?`)))
      return EXIT.failed
    const flow = await api.call<Flow>('POST', `/flows/${found.id}/unpublish`)
    return show(flow, () => `${flow.name} is unpublished: its webhook answers 404.`)
  },
})

// `millrace flows apply` and `flows diff`: a folder of files is the source of the flows.
import { carryOut, type Done } from '../apply/carry-out.ts'
import type { Action, Item, Plan } from '../apply/plan.ts'
import { defineCommand, flag, text } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { lineDiff } from '../terminal/line-diff.ts'
import type { Terminal } from '../terminal/terminal.ts'

const common = {
  prune: flag('also delete flows whose file no longer exists'),
  publish: flag('publish the flows'),
  source: text('name', "the folder's name on the server; by default the name of the folder"),
  adopt: flag('take over flows of the same name that were made by hand'),
  force: flag('overwrite edits on the server'),
}

export const applyFlows = defineCommand({
  name: 'flows apply',
  summary: 'Make the flows on the server match a folder',
  args: ['<folder>'],
  options: { ...common, yes: flag('do not ask') },
  details:
    'Shows the changes, asks, and makes them. The server remembers which file each flow came from, and at which\nrevision: it does not overwrite a flow that was edited since (exit code 4), except with --force.\nInstead of a folder you can give one of its files.',
  examples: [
    ['show the changes, then ask', 'millrace flows apply flows/'],
    ['in a pipeline', 'millrace flows apply flows/ --publish --prune --yes'],
  ],
  async run({ connect, args, options, show, note, terminal, wantsJson }) {
    const api = await connect()
    const { makePlan } = await import('../apply/plan.ts')
    const plan = await makePlan(api, args[0]!, options)
    if (!wantsJson) terminal.out(describe(terminal, plan))
    const refused = refusalOf(plan)
    if (refused) throw refused
    const toDo = plan.items.filter(isToDo)
    if (toDo.length && !options.yes && !(await terminal.confirm('Apply this?')))
      throw new CliError(
        terminal.isInteractive ? EXIT.failed : EXIT.usage,
        'not_applied',
        `Nothing was applied.${terminal.isInteractive ? '' : ' Use --yes to apply without a question.'}`,
      )
    const done: Done[] = []
    await carryOut(api, plan, (one) => {
      done.push(one)
      if (one.action !== 'unchanged' || one.version !== null) note(doneLine(one))
    })
    return show({ source: plan.source, flows: done }, () =>
      toDo.length ? `Applied ${count(toDo.length)}.` : 'Nothing to do.',
    )
  },
})

export const diffFlows = defineCommand({
  name: 'flows diff',
  summary: 'Show what "flows apply" would change, without changing it',
  args: ['<folder>'],
  options: common,
  details: 'The exit code is 0 if the flows on the server match the folder, and 4 if not.',
  examples: [
    ['has somebody edited a live flow?', 'millrace flows diff flows/'],
    ['every night', 'millrace flows diff flows/ --publish --prune || echo "flows differ from Git"'],
  ],
  async run({ connect, args, options, show, terminal }) {
    const { makePlan } = await import('../apply/plan.ts')
    const plan = await makePlan(await connect(), args[0]!, options)
    show(planBody(plan), () => describe(terminal, plan))
    return plan.items.some((item) => isToDo(item) || BLOCKED.has(item.action)) ? EXIT.conflict : EXIT.ok
  },
})

const BLOCKED = new Set<Action>(['drift', 'exists'])
const isToDo = ({ action, publish }: Item): boolean =>
  publish || action === 'create' || action === 'change' || action === 'delete' || action === 'move'

const count = (flows: number): string => (flows === 1 ? '1 flow' : `${flows} flows`)

function refusalOf({ items }: Plan): CliError | null {
  const drifted = items.filter(({ action }) => action === 'drift')
  const existing = items.filter(({ action }) => action === 'exists')
  if (drifted.length === 0 && existing.length === 0) return null
  const details = [
    ...drifted.map(({ path, name }) => `${path}: "${name}" was edited on the server since it was applied.`),
    ...existing.map(({ path, name }) => `${path}: a flow "${name}" already exists that did not come from these files.`),
  ]
  if (drifted.length)
    details.push('Bring the edits into the files with "millrace flows export", or overwrite them with --force.')
  if (existing.length)
    details.push('Take it over with --adopt if only one flow has the name, or give your flow another name.')
  return new CliError(EXIT.conflict, drifted.length ? 'drift' : 'exists', 'Nothing was applied.', details)
}

const planBody = ({ source, items }: Plan) => ({
  source,
  flows: items.map(({ action, path, name, flow, publish, movedFrom, warnings }) => ({
    action,
    path,
    name,
    id: flow?.id ?? null,
    publish,
    movedFrom,
    warnings,
  })),
})

const SIGNS: Record<Action, [sign: string, colour: 'green' | 'yellow' | 'red' | 'dim']> = {
  create: ['+', 'green'],
  change: ['~', 'yellow'],
  move: ['>', 'yellow'],
  delete: ['-', 'red'],
  drift: ['!', 'red'],
  exists: ['!', 'red'],
  left: ['?', 'dim'],
  unchanged: ['=', 'dim'],
}

function describe(terminal: Terminal, { items }: Plan): string {
  const lines = items
    .filter(({ action, publish }) => action !== 'unchanged' || publish)
    .flatMap((item) => describeItem(terminal, item))
  const same = items.filter(({ action }) => action === 'unchanged').length
  return [...lines, ...(same ? [terminal.style('dim', `= ${count(same)} unchanged`)] : [])].join('\n') || 'No flows.'
}

function describeItem(terminal: Terminal, item: Item): string[] {
  const [sign, colour] = SIGNS[item.action]
  const head = terminal.style(colour, `${sign} ${item.action === 'unchanged' ? 'publish' : item.action}`)
  const and = item.publish && item.action !== 'unchanged' ? ', and publish' : ''
  const lines = [`${head}  ${item.path}  ${item.name}${and}${remark(item)}`]
  if (item.action === 'change' || item.action === 'drift')
    lines.push(...lineDiff(terminal, item.before, item.after).map((line) => `    ${line}`))
  if (item.untold)
    lines.push(
      `    note: ${item.untold} typed into the file cannot be compared; env or connections keep secrets out of files`,
    )
  return [...lines, ...item.warnings.map((warning) => `    ${terminal.style('yellow', 'warning')} ${warning}`)]
}

function remark({ action, movedFrom, flow, applied }: Item): string {
  if (movedFrom) return ` (was ${movedFrom})`
  if (action === 'drift') return ` (edited on the server: revision ${flow!.revision}, applied at ${applied})`
  if (action === 'exists') return ' (did not come from these files)'
  if (action === 'left') return ' (its file no longer exists; --prune deletes it)'
  return ''
}

function doneLine({ action, path, name, version, webhook }: Done): string {
  const live = version === null ? '' : `, live as version ${version}: ${webhook}`
  return `${PAST[action] ?? action} ${path} (${name})${live}`
}

const PAST: Partial<Record<Action, string>> = {
  create: 'created',
  change: 'changed',
  move: 'moved',
  delete: 'deleted',
  unchanged: 'published',
}

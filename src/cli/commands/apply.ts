// `millrace flows apply` and `flows diff`: a folder of files is the source of the flows.
import { carryOut, type Done } from '../apply/carry-out.ts'
import type { Action, Item, Plan } from '../apply/plan.ts'
import { defineCommand, flag, text } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { lineDiff } from '../terminal/line-diff.ts'
import type { Terminal } from '../terminal/terminal.ts'

const common = {
  prune: flag('also delete flows whose file is gone'),
  publish: flag('make them live'),
  source: text('name', "what the folder is called on the server; the folder's name unless you say"),
  adopt: flag('take over flows of the same name that were made by hand'),
  force: flag('overwrite what was changed on the server since'),
}

export const applyFlows = defineCommand({
  name: 'flows apply',
  summary: 'Make the flows on the server those of a folder',
  args: ['<folder>'],
  options: { ...common, yes: flag('do not ask') },
  details:
    'It shows what it would do, asks, and does it. The server remembers which file each flow came from, and at which\nrevision: a flow that was edited there since is not overwritten (exit code 4), unless with --force.\nInstead of a folder it takes one of its files.',
  examples: [
    ['look, answer, apply', 'millrace flows apply flows/'],
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
        `Nothing was applied.${terminal.isInteractive ? '' : ' Give --yes to apply it without a question.'}`,
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
  summary: 'Show what "flows apply" would do, and do nothing',
  args: ['<folder>'],
  options: common,
  details: 'The exit code is 0 where the server has the flows of the folder, and 4 where it has not.',
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
    ...existing.map(
      ({ path, name }) => `${path}: there is a flow "${name}" already that did not come from these files.`,
    ),
  ]
  if (drifted.length)
    details.push('Bring the edits into the files with "millrace flows export", or overwrite them with --force.')
  if (existing.length)
    details.push('Take it over with --adopt where only one has the name, or give yours another name.')
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
  if (action === 'left') return ' (its file is gone; --prune deletes it)'
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

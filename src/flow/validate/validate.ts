// Finds every problem of a flow document at once: of its shape, and whatever keeps it from being published.
import Type, { type TSchema } from 'typebox'
import type { IssueCode } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { checkValue, type Visitor } from '../check.ts'
import { FailureFlow, Head, type Kinds } from '../document.ts'
import { type Reference, type Template, TemplateSyntaxError } from '../expression/index.ts'
import { type Finding, Findings, type Issue, nearest, type Patience, quoted } from '../issue.ts'
import { type IsSecretField, MOST_ORIGINS, SecretFlow } from '../secret-flow.ts'
import { NO_SENDERS } from '../senders/schema.ts'
import { type LoopLists, listPath } from '../shape/data-shapes.ts'
import { unseenReference } from '../shape/unseen-reference.ts'
import { stepLists } from '../step-lists.ts'
import { Trigger, triggerKinds } from '../triggers/index.ts'
import { checkLabels } from '../triggers/labels.ts'
import type { ReplyUse, ReportTrigger } from '../triggers/trigger-kind.ts'
import { CallbackUse } from './callback-use.ts'
import { type ConnectionUse, useProblem } from './connection-use.ts'
import {
  COMMON_ROOTS,
  FAILURE_ROOTS,
  NO_CALLBACKS,
  notHere,
  type Place,
  placeAt,
  TRIGGER_ROOTS,
  unreachable,
  Visible,
} from './place.ts'
import { IN_CALL, IN_LABEL, IN_REPLY, REVEALS } from './secret-words.ts'
import { StepOutline } from './step-outline.ts'
import type { Surroundings } from './surroundings.ts'
import { LONGEST_EXPRESSIONS, MOST_EXPRESSIONS, TemplateReader, unreadFile } from './template-reader.ts'
import { type Names, variablesBeside } from './variables-beside.ts'

/** A document is checked in one go: the code of its steps is read up to this number of characters. */
const LONGEST_CODE_READ = 65_536

const NOTHING: ReadonlySet<string> = new Set()
const NO_LOOPS: LoopLists = new Map()

export function validate(document: unknown, kinds: Kinds, surroundings: Surroundings): Finding[] {
  const validator = new Validator(kinds, surroundings)
  validator.document(document)
  return validator.findings.all
}

/** Returns every place where a document names a connection. */
export function connectionUses(document: unknown, kinds: Kinds): ConnectionUse[] {
  const validator = new Validator(kinds, { connections: new Map(), env: NOTHING, config: NOTHING })
  validator.document(document)
  return validator.uses
}

/** Returns the sources of the secrets that a document names, in the form that `Secrets.touch` expects. */
export function secretSources(document: unknown, kinds: Kinds): Set<string> {
  const validator = new Validator(kinds, { connections: new Map(), env: NOTHING, config: NOTHING })
  validator.document(document)
  const connections = validator.uses.map(({ name }) => `connection:${name}`)
  return new Set([...connections, ...[...validator.env].map((name) => `env:${name}`)])
}

export const publishIssues = (findings: readonly Finding[]): Issue[] =>
  plain(findings.filter((f) => f.weight !== 'warning'))
export const shapeIssues = (findings: readonly Finding[]): Issue[] =>
  plain(findings.filter((f) => f.weight === 'shape'))
export const warnings = (findings: readonly Finding[]): Issue[] => plain(findings.filter((f) => f.weight === 'warning'))

const plain = (findings: Finding[]): Issue[] => findings.map(({ path, code, message }) => ({ path, code, message }))

type PlaceOf = (path: string, lazy: boolean) => Place

class Validator {
  readonly findings = new Findings()
  readonly uses: ConnectionUse[] = []
  /** The variables of the environment that are named; `*` for all of them. */
  readonly env = new Set<string>()
  readonly #kinds: Kinds
  readonly #surroundings: Surroundings
  readonly #outline: StepOutline
  readonly #callbacks: CallbackUse
  readonly #patience: Patience = { comparisons: 5_000 }
  #replyUse: ReplyUse = 'none'
  /** The roots of steps, and of steps in the rounds of a loop. */
  #stepRoots: ReadonlySet<string> = NOTHING
  #roundRoots: ReadonlySet<string> = NOTHING
  readonly #templates = new TemplateReader()
  #codeLeft = LONGEST_CODE_READ
  #secrets!: SecretFlow
  readonly #revealed = new Set<string>()

  constructor(kinds: Kinds, surroundings: Surroundings) {
    this.#kinds = kinds
    this.#outline = new StepOutline(kinds, this.findings)
    this.#callbacks = new CallbackUse(kinds, (step) => this.#outline.nestedLists(step))
    this.#surroundings = surroundings
  }

  #add(weight: Finding['weight'], path: string, code: IssueCode, message: string): void {
    this.findings.add(weight, path, code, message)
  }

  document(document: unknown): void {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      this.#add('shape', '', 'wrong_type', 'A flow is an object with name, trigger and steps.')
      return
    }
    // Steps are checked kind by kind below; this schema only says that they are a list.
    const shell = Type.Object(
      {
        ...Head,
        trigger: Type.Unknown(),
        steps: Type.Array(Type.Unknown()),
        onFailure: Type.Optional(Type.Unknown()),
      },
      { additionalProperties: false },
    )
    this.#check(shell, document, '', null)
    const { trigger, onFailure } = document as { trigger?: unknown; onFailure?: unknown }
    const lists = stepLists(document)
    if (!lists.every(({ list, path }) => this.#outline.collect(list, path, 1))) return
    for (const { list, path } of lists) this.#callbacks.collect(list, path)
    const { connections } = this.#surroundings
    const isSecretField: IsSecretField = (name, field) => !connections.get(name)?.open?.has(field)
    this.#secrets = new SecretFlow(document, this.#kinds, isSecretField, (source) => this.#templates.parse(source))
    this.#trigger(trigger)
    const seen = new Visible(null)
    for (const { list, path } of lists) {
      if (path === '/onFailure') this.#beginFailure()
      this.#steps(list, path, seen, NO_LOOPS, NOTHING)
    }
    if (onFailure !== undefined && !Array.isArray(onFailure)) this.#check(FailureFlow, onFailure, '/onFailure', null)
    if (new Set(this.uses.map(({ name }) => name)).size > MOST_ORIGINS)
      this.#add('publish', '/steps', 'too_many_connections', `A flow names at most ${MOST_ORIGINS} connections.`)
  }

  /** From here on steps run after the run has failed: nobody waits for a reply, and they may read why it failed. */
  #beginFailure(): void {
    this.#replyUse = 'none'
    this.#stepRoots = new Set([...this.#stepRoots, ...FAILURE_ROOTS])
    this.#roundRoots = new Set([...this.#roundRoots, ...FAILURE_ROOTS])
  }

  #check(schema: TSchema, value: unknown, path: string, placeOf: PlaceOf | null): void {
    checkValue(schema, value, path, this.findings, this.#visitor(placeOf), this.#patience)
  }

  #trigger(trigger: unknown): void {
    const given = isObject(trigger) ? trigger : {}
    const kind = triggerKinds.get(String(given['kind']))
    // As long as the kind is not chosen, every root may turn out to be there.
    const runRoots = [...(kind ? [kind.root] : TRIGGER_ROOTS.keys()), ...COMMON_ROOTS]
    this.#stepRoots = new Set([...runRoots, 'callbacks'])
    this.#roundRoots = new Set([...runRoots, 'callbacks', 'loop', 'loops'])
    if (trigger === undefined) return
    // Steps for failed runs come after the reply.
    const inRun = [...this.#outline.ids].filter(([, at]) => !at.startsWith('/onFailure/'))
    const everything = new Set(inRun.map(([id]) => id))
    const { response } = given
    const revealedBy = isObject(response) && response['reveal'] === true ? '/trigger/response/reveal' : null
    const senders = this.#surroundings.senders ?? null
    const later = kind?.arrivesLater?.(given, senders ?? NO_SENDERS)
    if (kind) this.#replyUse = kind.replyUse(given)
    const place = (path: string): Place => ({
      roots: new Set(kind?.rootsAt(path, given, runRoots) ?? runRoots),
      steps: everything,
      loops: NO_LOOPS,
      setBeside: NOTHING,
      callbackProblem: (id) => this.#callbacks.problemInReply(id),
      answersCaller: path.startsWith('/trigger/response/'),
      isLabel: path.startsWith('/trigger/labels/'),
      arrivesLater: later?.has(path),
      revealedBy,
    })
    this.#check(kind?.settings ?? Trigger, trigger, '/trigger', place)
    const report: ReportTrigger = (path, code, message, weight = 'publish') =>
      this.#add(weight, `/trigger${path}`, code, message)
    kind?.check(given, report, this.#surroundings.now, senders)
    checkLabels(given, report)
  }

  /** Walks a list in order of execution; `seen` gathers the ids whose results later steps may read. */
  #steps(list: unknown[], path: string, seen: Visible, loops: LoopLists, setBeside: Names): void {
    const end = list.findIndex((step) => this.#outline.endsRun(step))
    for (const [i, step] of list.entries()) {
      this.#step(step, `${path}/${i}`, seen, loops, setBeside)
      if (end !== -1 && i > end)
        this.#add('warning', `${path}/${i}`, 'unreachable_step', unreachable((list[end] as { id?: unknown }).id))
    }
  }

  #step(step: unknown, path: string, seen: Visible, loops: LoopLists, setBeside: Names): void {
    if (typeof step !== 'object' || step === null || Array.isArray(step)) {
      this.#add('shape', path, 'wrong_type', 'A step is an object with id, kind and its settings.')
      return
    }
    const { id, kind: kindName } = step as { id?: unknown; kind?: unknown }
    const kind = this.#outline.kindOf(step)
    if (!kind && typeof kindName === 'string' && kindName !== '') {
      this.#add(
        'shape',
        `${path}/kind`,
        'unknown_kind',
        `${quoted(kindName)} is not a step kind${this.#near(kindName, this.#kinds.keys())}; the kinds are ${[...this.#kinds.keys()].join(', ')}.`,
      )
      return
    }
    const nested = this.#outline.nestedLists(step)
    const rounds = nested.find((n) => n.view === 'each' || n.view === 'while')
    const inner = new Visible(seen)
    if (rounds)
      this.#outline.collectIds(
        nested.map((n) => n.list),
        inner,
      )
    const roots = loops.size ? this.#roundRoots : this.#stepRoots
    const each = (step as { each?: unknown }).each
    const innerLoops = rounds && typeof id === 'string' ? new Map([...loops, [id, listPath(each, loops)]]) : loops
    const answersCaller = kind?.answersCaller === true
    if (answersCaller && this.#replyUse === 'none')
      this.#add(
        'warning',
        path,
        'unheard_reply',
        'Nobody waits for this reply: the trigger answers at once. Set trigger.response.mode to finished.',
      )
    if (answersCaller && this.#replyUse === 'result')
      for (const key of ['status', 'headers'])
        if (Object.hasOwn(step, key))
          this.#add('warning', `${path}/${key}`, 'unheard_reply', `${key} has no effect: only the body is the result.`)
    const revealedBy = (step as { reveal?: unknown }).reveal === true ? `${path}/reveal` : null
    const startsRun = kind?.startsRun === true
    const callbackProblem = (name: string) => this.#callbacks.problem(name, step)
    const here: Place = {
      roots,
      steps: seen,
      loops,
      setBeside,
      callbackProblem,
      answersCaller,
      startsRun,
      revealedBy,
    }
    // A loop's condition and what it collects are evaluated inside its rounds.
    const inside: Place = rounds
      ? { ...here, roots: this.#roundRoots, steps: inner, loops: innerLoops, callbackProblem: () => NO_CALLBACKS }
      : here
    this.#check(this.#outline.schemaOf(step), step, path, (at, lazy) =>
      placeAt(kind, at.slice(path.length), lazy ? inside : here),
    )
    for (const issue of kind?.check?.(step as Record<string, unknown>, this.#mayRead) ?? [])
      this.#add(issue.warning ? 'warning' : 'publish', path + issue.path, issue.code, issue.message)
    const setByOthers = variablesBeside(nested, path, setBeside, this.#outline, this.findings)
    for (const [i, { list, path: at, view }] of nested.entries()) {
      const visible = new Visible(view === 'while' ? inner : seen)
      this.#steps(list, path + at, visible, rounds ? innerLoops : loops, setByOthers[i]!)
    }
    // Rounds of `each` keep their results; those of branches or of the last round of `while` can be read later.
    const left = nested.filter((n) => n.view !== 'each').map((n) => n.list)
    this.#outline.collectIds(left, seen)
    if (typeof id === 'string') seen.add(id)
  }

  readonly #mayRead = (characters: number): boolean => {
    this.#codeLeft -= characters
    return this.#codeLeft >= 0
  }

  #visitor(placeOf: PlaceOf | null): Visitor {
    return {
      steps: () => {},
      secret: (path) => {
        this.#add(
          'warning',
          path,
          'hard_coded_secret',
          'A secret is typed into the flow. It is stored encrypted, but belongs in a connection or in the environment, where it can be changed without publishing: use {{ connections.<name>.<field> }} or {{ env.<NAME> }}.',
        )
      },
      connection: (name, path, kinds) => {
        const problem = this.#use({ name, field: null, kinds })
        if (problem) this.#add('publish', path, ...problem)
      },
      template: (source, path, mode, lazy) => {
        const template = this.#template(source, path)
        if (!template) return
        if (template instanceof TemplateSyntaxError) {
          this.#add(
            'publish',
            path,
            'expression_syntax',
            `${template.message} (at character ${template.position + 1}). ${template.hint}`,
          )
          return
        }
        if (mode === 'condition' && template.parts.filter((part) => typeof part !== 'string' || part.trim()).length > 1)
          this.#add(
            'publish',
            path,
            'invalid_format',
            'A condition is one {{ expression }}: put the comparison inside the braces, such as {{ a == b }}.',
          )
        const misread = lazy || path.startsWith('/trigger/') ? unreadFile(template) : null
        if (misread) this.#add('publish', path, 'expression_syntax', misread)
        if (!placeOf) return
        const place = placeOf(path, lazy)
        for (const part of template.parts)
          if (typeof part !== 'string') for (const reference of part.references) this.#reference(reference, path, place)
      },
    }
  }

  /** Returns null if there are too many templates, which is reported once. */
  #template(source: string, path: string): Template | TemplateSyntaxError | null {
    if (this.#templates.isExhausted) return null
    const read = this.#templates.read(source)
    if (!read)
      this.#add(
        'shape',
        path,
        'too_many_expressions',
        `A flow has at most ${MOST_EXPRESSIONS} expressions, of ${LONGEST_EXPRESSIONS} characters together; this one and those after it were not looked at.`,
      )
    return read
  }

  #near(name: string, known: Iterable<string>): string {
    const near = nearest(name, known, this.#patience)
    return near ? ` (did you mean "${near}"?)` : ''
  }

  #reference(reference: Reference, path: string, place: Place): void {
    const at = ` (at character ${reference.start + 1})`
    const problem = this.#referenceProblem(reference.path, place)
    if (problem) this.#add('publish', path, problem[0], problem[1] + at)
    else if (place.revealedBy !== null && !this.#revealed.has(place.revealedBy) && this.#isSecret(reference, place)) {
      this.#revealed.add(place.revealedBy)
      this.#add('warning', place.revealedBy, 'reveals_secret', REVEALS)
    }
    const { data } = this.#surroundings
    const unseen = problem || !data ? null : unseenReference(reference, data, place.loops, this.#patience)
    if (unseen) this.#add('warning', path, 'unseen_reference', unseen + at)
    const [root, name] = reference.path
    if (root === 'env') this.env.add(name ?? '*')
    if (root === 'env' && name !== undefined && !problem && !this.#surroundings.env.has(name))
      this.#add('warning', path, 'unknown_env', `MILLRACE_ENV_${name} is not set in the server's environment${at}.`)
    if (root === 'config' && name !== undefined && !problem && !this.#surroundings.config.has(name))
      this.#add('warning', path, 'unknown_config', `MILLRACE_VAR_${name} is not set in the server's environment${at}.`)
  }

  #isSecret({ path }: Pick<Reference, 'path'>, { loops }: Place): boolean {
    return this.#secrets.sourcesOf({ path }, [...loops.keys()]).size > 0
  }

  #use(use: ConnectionUse): [code: IssueCode, message: string] | null {
    this.uses.push(use)
    const { connections, flow = null } = this.#surroundings
    return useProblem(use, connections, (name, known) => this.#near(name, known), flow)
  }

  #callbackProblem(id: string | undefined, field: string | undefined, place: Place): [IssueCode, string] | null {
    if (id === undefined || field !== 'url')
      return ['unknown_reference', 'Write out whose URL is meant: callbacks.<id of the wait step>.url.']
    if (!this.#callbacks.has(id)) {
      const near = this.#near(id, this.#callbacks.names)
      return ['unknown_step', `There is no step "${id}" that waits for a callback or an approval${near}.`]
    }
    const problem = place.callbackProblem(id)
    return problem === null ? null : ['step_not_run_yet', problem]
  }

  #referenceProblem([root, ...rest]: string[], place: Place): [code: IssueCode, message: string] | null {
    if (root === undefined) return null
    const path = [root, ...rest]
    if (place.answersCaller && place.revealedBy === null && (root === 'connections' || this.#isSecret({ path }, place)))
      return ['secret_in_reply', IN_REPLY]
    if (place.startsRun && place.revealedBy === null && this.#isSecret({ path }, place))
      return ['secret_in_call', IN_CALL]
    if (place.isLabel && (root === 'connections' || root === 'env')) return ['secret_in_label', IN_LABEL]
    if (!place.roots.has(root)) return ['unknown_reference', notHere(root, place, this.#stepRoots)]
    const [name, field] = rest
    if (root === 'callbacks') return this.#callbackProblem(name, field, place)
    if (root === 'connections')
      return name === undefined || field === undefined
        ? ['unnamed_connection', 'Write out which field of which connection is meant: connections.<name>.<field>.']
        : this.#use({ name, field: place.arrivesLater ? null : field, kinds: null })
    if (name === undefined) return null
    if (root === 'steps' && !place.steps.has(name))
      return this.#outline.ids.has(name)
        ? ['step_not_run_yet', `steps.${name} cannot have run when this is evaluated; move that step before this one.`]
        : ['unknown_step', `There is no step "${name}"${this.#near(name, this.#outline.ids.keys())}.`]
    if (root === 'vars' && !this.#outline.vars.has(name))
      return ['unknown_variable', `No set step sets the variable "${name}"${this.#near(name, this.#outline.vars)}.`]
    if (root === 'vars' && place.setBeside.has(name))
      return ['shared_variable', `vars.${name} is set in another branch at the same time; read it after the branches.`]
    if (root === 'loops' && !place.loops.has(name))
      return ['unknown_reference', `loops.${name} is not a loop around this step.`]
    return null
  }
}

// Finds every problem of a flow document at once: its shape, and what would keep it from being published.
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { checkValue, type Visitor } from './check.ts'
import { checkTrigger } from './check-trigger.ts'
import { type ConnectionShapes, type ConnectionUse, useProblem } from './connection-use.ts'
import { type Kinds, StepCommon, stepSchema, Trigger } from './document.ts'
import { parseTemplate, type Reference, type Template, TemplateSyntaxError } from './expression/index.ts'
import { type Finding, type Issue, nearest } from './issue.ts'
import type { StepListScope } from './schema.ts'
import { SecretFlow } from './secret-flow.ts'
import { type DataShapes, type LoopLists, listPath } from './shape/data-shapes.ts'
import { unseenReference } from './shape/unseen-reference.ts'

/** What outside the document its templates may refer to. */
export interface Surroundings {
  connections: ConnectionShapes
  env: ReadonlySet<string>
  /** What the flow was tried with. */
  data?: DataShapes
}

/** What a template at some place may refer to. */
interface Place {
  roots: ReadonlySet<string>
  /** Step ids whose results may be there. */
  steps: ReadonlySet<string>
  loops: LoopLists
  answersCaller: boolean
  /** Where the document says that what stands here may be seen. */
  revealedBy: string | null
}

const RUN_ROOTS = ['webhook', 'steps', 'vars', 'env', 'connections', 'run', 'flow']
const NOTHING: ReadonlySet<string> = new Set()
const NO_LOOPS: LoopLists = new Map()
const EMPTY_STEP = Type.Object(StepCommon, { additionalProperties: true })

export function validate(document: unknown, kinds: Kinds, surroundings: Surroundings): Finding[] {
  const validator = new Validator(kinds, surroundings)
  validator.document(document)
  return validator.findings
}

/** Every place where a document names a connection. */
export function connectionUses(document: unknown, kinds: Kinds): ConnectionUse[] {
  const validator = new Validator(kinds, { connections: new Map(), env: NOTHING })
  validator.document(document)
  return validator.uses
}

/** Where secrets come from that a document names, in the words of `Secrets.touch`. */
export function secretSources(document: unknown, kinds: Kinds): Set<string> {
  const validator = new Validator(kinds, { connections: new Map(), env: NOTHING })
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

/** none: no scope of its own; each: rounds see their own results; while: rounds see the previous one's too. */
interface NestedList {
  list: unknown[]
  path: string
  scope: 'none' | 'each' | 'while'
}

class Validator {
  readonly findings: Finding[] = []
  readonly uses: ConnectionUse[] = []
  /** The variables of the environment that are named; `*` for all of them. */
  readonly env = new Set<string>()
  readonly #kinds: Kinds
  readonly #surroundings: Surroundings
  /** Every step id of the document, and every variable that a step sets. */
  readonly #ids = new Map<string, string>()
  readonly #vars = new Set<string>()
  #callerWaits = false
  #secrets!: SecretFlow
  readonly #revealed = new Set<string>()

  constructor(kinds: Kinds, surroundings: Surroundings) {
    this.#kinds = kinds
    this.#surroundings = surroundings
  }

  #add(weight: Finding['weight'], path: string, code: string, message: string): void {
    this.findings.push({ weight, path, code, message })
  }

  document(document: unknown): void {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      this.#add('shape', '', 'wrong_type', 'A flow is an object with name, trigger and steps.')
      return
    }
    // Steps are checked kind by kind below; here only that they are a list.
    const shell = Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 200 }),
        trigger: Type.Unknown(),
        steps: Type.Array(Type.Unknown()),
      },
      { additionalProperties: false },
    )
    checkValue(shell, document, '', this.findings, this.#visitor(null))
    const { trigger, steps } = document as { trigger?: unknown; steps?: unknown }
    const list = Array.isArray(steps) ? steps : []
    this.#collectNames(list, '/steps')
    const { connections } = this.#surroundings
    this.#secrets = new SecretFlow(document, this.#kinds, (name, field) => !connections.get(name)?.open?.has(field))
    this.#trigger(trigger)
    this.#steps(list, '/steps', new Set(), NO_LOOPS)
  }

  #trigger(trigger: unknown): void {
    if (trigger === undefined) return
    const everything = new Set(this.#ids.keys())
    const { mode, reveal } = (trigger as { response?: { mode?: unknown; reveal?: unknown } } | null)?.response ?? {}
    const revealedBy = reveal === true ? '/trigger/response/reveal' : null
    this.#callerWaits = mode === 'finished'
    const place = (path: string): Place => {
      const reply = path.startsWith('/trigger/response/')
      const roots = !reply
        ? path.startsWith('/trigger/auth')
          ? ['env', 'connections']
          : ['webhook', 'env', 'flow']
        : path.startsWith('/trigger/response/error')
          ? [...RUN_ROOTS, 'error']
          : mode === 'finished'
            ? RUN_ROOTS
            : ['webhook', 'run', 'flow']
      return { roots: new Set(roots), steps: everything, loops: NO_LOOPS, answersCaller: reply, revealedBy }
    }
    checkValue(Trigger, trigger, '/trigger', this.findings, this.#visitor(place))
    if (typeof trigger === 'object' && trigger !== null) this.findings.push(...checkTrigger(trigger))
  }

  /** Ids and variables first: a reference may point forward, and then deserves a better message than "unknown". */
  #collectNames(list: unknown[], path: string): void {
    for (const [i, step] of list.entries()) {
      if (typeof step !== 'object' || step === null) continue
      const { id, kind } = step as { id?: unknown; kind?: unknown }
      if (typeof id === 'string' && id !== '') {
        const first = this.#ids.get(id)
        if (first === undefined) this.#ids.set(id, `${path}/${i}`)
        else
          this.#add(
            'publish',
            `${path}/${i}/id`,
            'duplicate_id',
            `The id "${id}" is used already at ${first}; step ids are unique in a flow.`,
          )
      }
      const vars = (step as { vars?: unknown }).vars
      if (kind === 'set' && typeof vars === 'object' && vars !== null)
        for (const name of Object.keys(vars)) this.#vars.add(name)
      for (const nested of this.#nestedLists(step, `${path}/${i}`)) this.#collectNames(nested.list, nested.path)
    }
  }

  #nestedLists(step: object, path: string): NestedList[] {
    const lists: NestedList[] = []
    // Which of the two a loop is, its settings tell.
    const rounds = Object.hasOwn(step, 'while') ? 'while' : 'each'
    const visitor = {
      template() {},
      secret() {},
      connection() {},
      steps: (list: unknown[], at: string, scope: StepListScope) =>
        lists.push({ list, path: at, scope: scope === 'rounds' ? rounds : 'none' }),
    }
    checkValue(this.#schemaOf(step), step, path, [], visitor)
    return lists
  }

  #schemaOf(step: object): TSchema {
    const kind = this.#kinds.get(String((step as { kind?: unknown }).kind))
    return kind ? stepSchema(kind) : EMPTY_STEP
  }

  /** Walks a list in order of execution; `seen` gathers the ids whose results later steps may read. */
  #steps(list: unknown[], path: string, seen: Set<string>, loops: LoopLists): void {
    for (const [i, step] of list.entries()) this.#step(step, `${path}/${i}`, seen, loops)
  }

  #step(step: unknown, path: string, seen: Set<string>, loops: LoopLists): void {
    if (typeof step !== 'object' || step === null || Array.isArray(step)) {
      this.#add('shape', path, 'wrong_type', 'A step is an object with id, kind and its settings.')
      return
    }
    const { id, kind: kindName } = step as { id?: unknown; kind?: unknown }
    const kind = this.#kinds.get(String(kindName))
    if (!kind && typeof kindName === 'string' && kindName !== '') {
      const near = nearest(kindName, this.#kinds.keys())
      this.#add(
        'shape',
        `${path}/kind`,
        'unknown_kind',
        `"${kindName}" is not a step kind${near ? ` (did you mean "${near}"?)` : ''}; the kinds are ${[...this.#kinds.keys()].join(', ')}.`,
      )
      return
    }
    const nested = this.#nestedLists(step, path)
    const rounds = nested.find((n) => n.scope !== 'none')
    const inner = new Set(seen)
    if (rounds)
      collectIds(
        nested.map((n) => n.list),
        inner,
        this,
      )
    const roots = new Set(loops.size ? [...RUN_ROOTS, 'loop', 'loops'] : RUN_ROOTS)
    const each = (step as { each?: unknown }).each
    const innerLoops = rounds && typeof id === 'string' ? new Map([...loops, [id, listPath(each, loops)]]) : loops
    const answersCaller = kind?.answersCaller === true
    if (answersCaller && !this.#callerWaits)
      this.#add(
        'warning',
        path,
        'unheard_reply',
        'Nobody waits for this reply: the trigger answers at once. Set trigger.response.mode to finished.',
      )
    const revealedBy = (step as { reveal?: unknown }).reveal === true ? `${path}/reveal` : null
    const here: Place = { roots, steps: new Set(seen), loops, answersCaller, revealedBy }
    // A loop's condition and what it collects are evaluated inside its rounds.
    const inside: Place = rounds
      ? { roots: new Set([...RUN_ROOTS, 'loop', 'loops']), steps: inner, loops: innerLoops, answersCaller, revealedBy }
      : here
    checkValue(
      this.#schemaOf(step),
      step,
      path,
      this.findings,
      this.#visitor((_, lazy) => (lazy ? inside : here)),
    )
    for (const issue of kind?.check?.(step as Record<string, unknown>) ?? [])
      this.#add(issue.warning ? 'warning' : 'publish', path + issue.path, issue.code, issue.message)
    for (const { list, path: at, scope } of nested) {
      const visible = scope === 'while' ? new Set(inner) : new Set(seen)
      this.#steps(list, at, visible, scope === 'none' ? loops : innerLoops)
    }
    // Rounds of `each` keep their results to themselves; what a branch or the last round of `while` left can be read later.
    const left = nested.filter((n) => n.scope !== 'each').map((n) => n.list)
    collectIds(left, seen, this)
    if (typeof id === 'string') seen.add(id)
  }

  /** Called by collectIds for lists below a step. */
  nestedListsOf(step: object): unknown[][] {
    return this.#nestedLists(step, '')
      .filter((n) => n.scope !== 'each')
      .map((n) => n.list)
  }

  #visitor(placeOf: ((path: string, lazy: boolean) => Place) | null): Visitor {
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
      connection: (name, path, kind) => {
        const problem = this.#use({ name, field: null, kind })
        if (problem) this.#add('publish', path, ...problem)
      },
      template: (source, path, mode, lazy) => {
        let template: Template
        try {
          template = parseTemplate(source)
        } catch (error) {
          if (!(error instanceof TemplateSyntaxError)) throw error
          this.#add(
            'publish',
            path,
            'expression_syntax',
            `${error.message} (at character ${error.position + 1}). ${error.hint}`,
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
        if (!placeOf) return
        const place = placeOf(path, lazy)
        for (const part of template.parts)
          if (typeof part !== 'string') for (const reference of part.references) this.#reference(reference, path, place)
      },
    }
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
    const unseen = problem || !data ? null : unseenReference(reference, data, place.loops)
    if (unseen) this.#add('warning', path, 'unseen_reference', unseen + at)
    const [root, name] = reference.path
    if (root === 'env') this.env.add(name ?? '*')
    if (root === 'env' && name !== undefined && !problem && !this.#surroundings.env.has(name))
      this.#add('warning', path, 'unknown_env', `MILLRACE_ENV_${name} is not set in the server's environment${at}.`)
  }

  #isSecret({ path }: Pick<Reference, 'path'>, { loops }: Place): boolean {
    return this.#secrets.sourcesOf({ path }, [...loops.keys()]).size > 0
  }

  #use(use: ConnectionUse): [code: string, message: string] | null {
    this.uses.push(use)
    return useProblem(use, this.#surroundings.connections, didYouMean)
  }

  #referenceProblem([root, ...rest]: string[], place: Place): [code: string, message: string] | null {
    if (root === undefined) return null
    const path = [root, ...rest]
    if (place.answersCaller && place.revealedBy === null && (root === 'connections' || this.#isSecret({ path }, place)))
      return ['secret_in_reply', IN_REPLY]
    if (!place.roots.has(root)) return ['unknown_reference', notHere(root, place)]
    const [name, field] = rest
    if (root === 'connections')
      return name === undefined || field === undefined
        ? ['unnamed_connection', 'Write out which field of which connection is meant: connections.<name>.<field>.']
        : this.#use({ name, field, kind: null })
    if (name === undefined) return null
    if (root === 'steps' && !place.steps.has(name))
      return this.#ids.has(name)
        ? ['step_not_run_yet', `steps.${name} cannot have run when this is evaluated; move that step before this one.`]
        : ['unknown_step', `There is no step "${name}"${didYouMean(name, this.#ids.keys())}.`]
    if (root === 'vars' && !this.#vars.has(name))
      return ['unknown_variable', `No set step sets the variable "${name}"${didYouMean(name, this.#vars)}.`]
    if (root === 'loops' && !place.loops.has(name))
      return ['unknown_reference', `loops.${name} is not a loop around this step.`]
    return null
  }
}

const IN_REPLY =
  'A reply to the caller may hold no secret, and this comes from a connection or the environment. If it may be known, say reveal: true where the reply is set, or on the step that makes it.'
const REVEALS =
  'This gives away what comes of a secret: whoever gets the reply, or may see the run, can read it. Remove reveal where that is not meant.'

function collectIds(
  lists: unknown[][],
  into: Set<string>,
  validator: { nestedListsOf(step: object): unknown[][] },
): void {
  for (const list of lists)
    for (const step of list) {
      if (typeof step !== 'object' || step === null) continue
      const id = (step as { id?: unknown }).id
      if (typeof id === 'string') into.add(id)
      collectIds(validator.nestedListsOf(step), into, validator)
    }
}

function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearest(name, known)
  return near ? ` (did you mean "${near}"?)` : ''
}

function notHere(root: string, place: Place): string {
  if (root === 'loop' || root === 'loops') return `${root} exists only inside a loop.`
  if (root === 'error') return 'error exists only in the error reply of the trigger.'
  return `${root} is not known here yet; ${[...place.roots].join(', ')} are.`
}

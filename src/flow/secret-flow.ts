// Follows secrets through a flow by reference: which templates hold one, whatever they do with it, and which results derive
// from them. Conditions and the replies of APIs are not followed.
import { checkValue } from './check.ts'
import { type Kinds, type StepDocument, stepSchema } from './document.ts'
import { type Expression, type Reference, type Template, TemplateSyntaxError, tryTemplate } from './expression/index.ts'
import { Findings } from './issue.ts'
import { stepLists } from './step-lists.ts'

/** Returns whether a field of a connection can be written and never read. */
export type IsSecretField = (connection: string, field: string) => boolean

/** The source of the whole environment of the service, all of which counts as secret. */
export const ENVIRONMENT = 'env'

/** The secrets of a step. */
export interface StepSecrets {
  /** Maps the place of a template in the step to the connections, or ENVIRONMENT, whose secrets it holds. */
  places: ReadonlyMap<string, ReadonlySet<string>>
  /** The places at which a value was derived from a secret, so that a search for the secret would not find it. */
  derived: ReadonlySet<string>
  /** The whole result is secret. */
  result: boolean
  isSecret(expression: Expression): boolean
}

/** The loops around a template, the innermost last. */
type Loops = readonly string[]
type Sources = ReadonlySet<string>

interface Place {
  path: string
  expressions: readonly Expression[]
  loops: Loops
}

interface Step {
  places: Place[]
  loops: Loops
  reveals: boolean
  secretFrom: readonly string[]
}

const NONE: Sources = new Set()

export class SecretFlow {
  readonly #kinds: Kinds
  readonly #isSecretField: IsSecretField
  readonly #parse: (source: string) => Template | TemplateSyntaxError | null
  /** Maps a source to what it makes secret: `vars.x`, `steps.y`, `loops.z`, `keys.k`, or each of these roots as a whole. */
  readonly #leadsTo = new Map<string, Set<string>>()
  readonly #origins = new Map<string, Set<string>>()
  readonly #steps = new Map<string, Step>()
  readonly #sources = new Map<string, Set<string>>()

  /** Accepts drafts: a template that cannot be parsed holds nothing. `parse` returns null if there is too much to parse. */
  constructor(
    document: unknown,
    kinds: Kinds,
    isSecretField: IsSecretField,
    parse: (source: string) => Template | TemplateSyntaxError | null = tryTemplate,
  ) {
    this.#kinds = kinds
    this.#isSecretField = isSecretField
    this.#parse = parse
    for (const { list } of stepLists(document)) this.#visit(list, [], null)
    for (const [origin, nodes] of this.#origins) for (const node of nodes) this.#spread(origin, node)
  }

  /** Returns null if the step holds no secret. */
  ofStep(id: string): StepSecrets | null {
    const step = this.#steps.get(id)
    if (!step) return null
    const places = new Map<string, Sources>()
    const derived = new Set<string>()
    for (const place of step.places) {
      const sources = this.#sourcesAt(place)
      if (sources.size === 0) continue
      places.set(place.path, sources)
      const isSecret = (expression: Expression) => this.#sourcesIn(expression, place.loops).size > 0
      if (place.expressions.some((one) => isSecret(one) && !AS_IT_IS.test(one.source))) derived.add(place.path)
    }
    const isOfResult = (path: string) =>
      step.secretFrom.some((name) => path === `/${name}` || path.startsWith(`/${name}/`))
    const result = !step.reveals && ([...places.keys()].some(isOfResult) || this.#sources.has(`read.${id}`))
    if (places.size === 0 && !result) return null
    return { places, derived, result, isSecret: (expression) => this.#sourcesIn(expression, step.loops).size > 0 }
  }

  /** Returns the sources of the secrets that a reference holds; `loops`: those around it. */
  sourcesOf({ path: [root, name, field] }: Pick<Reference, 'path'>, loops: Loops): Sources {
    const origin = this.#originOf(root, name, field)
    if (origin !== null) return new Set([origin])
    const found = new Set<string>()
    for (const node of nodesOf(root, name, loops))
      for (const source of this.#sources.get(node) ?? NONE) found.add(source)
    return found
  }

  #originOf(root?: string, name?: string, field?: string): string | null {
    if (root === 'env') return ENVIRONMENT
    if (root !== 'connections') return null
    return name === undefined || field === undefined || this.#isSecretField(name, field) ? (name ?? '') : null
  }

  #sourcesIn({ references }: Expression, loops: Loops): Sources {
    const found = new Set<string>()
    for (const reference of references) for (const source of this.sourcesOf(reference, loops)) found.add(source)
    return found
  }

  #sourcesAt({ expressions, loops }: Place): Sources {
    const found = new Set<string>()
    for (const expression of expressions) for (const source of this.#sourcesIn(expression, loops)) found.add(source)
    return found
  }

  #visit(list: unknown[], loops: Loops, outer: string | null): void {
    for (const step of list) {
      const { id, kind } = (step ?? {}) as Partial<StepDocument>
      const known = typeof kind === 'string' ? this.#kinds.get(kind) : undefined
      if (typeof id !== 'string' || !known) continue
      this.#step(step as StepDocument, known.secretFrom ?? [], loops)
      // A step that fails because of an inner step has the result of that step.
      if (outer !== null) this.#link(`steps.${id}`, `steps.${outer}`)
    }
  }

  #step(step: StepDocument, secretFrom: readonly string[], loops: Loops): void {
    const { id } = step
    const places: Place[] = []
    const inside = [...loops, id]
    checkValue(stepSchema(this.#kinds.get(step.kind)!), step, '', new Findings(), {
      template: (source, path, _mode, lazy) =>
        places.push({ path, expressions: this.#expressionsIn(source), loops: lazy ? inside : loops }),
      connection() {},
      secret() {},
      steps: (nested, _path, view) => this.#visit(nested, view === 'rounds' ? inside : loops, id),
    })
    const reveals = step.reveal === true
    this.#steps.set(id, { places, loops, reveals, secretFrom })
    if (reveals) return
    this.#link(`steps.${id}`, 'steps')
    for (const { path, expressions, loops: around } of places) {
      const targets = this.#targets(step, path, secretFrom)
      for (const { references } of expressions)
        for (const reference of references) this.#flows(reference, around, targets)
    }
    const keeps = this.#kinds.get(step.kind)!.keeps
    if (keeps?.isRead(step)) this.#readsKey(step, keeps.key)
  }

  #expressionsIn(source: string): Expression[] {
    const parsed = this.#parse(source)
    if (parsed === null || parsed instanceof TemplateSyntaxError) return []
    return parsed.parts.filter((part) => typeof part !== 'string')
  }

  /** Returns what becomes secret if the template at a place of a step holds a secret. */
  #targets(step: StepDocument, path: string, secretFrom: readonly string[]): string[] {
    const [, setting, name] = path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const targets = secretFrom.includes(setting!) ? [`steps.${step.id}`] : []
    const { assigns, keeps } = this.#kinds.get(step.kind)!
    if (setting === assigns) targets.push(`vars.${name!}`)
    if (keeps && setting === keeps.value) targets.push(keyOf(step, keeps.key) ?? ANY_KEY)
    if (setting === 'each') targets.push(`loops.${step.id}`)
    return targets
  }

  #readsKey(step: StepDocument, setting: string): void {
    const key = keyOf(step, setting)
    // A key that is computed when the flow runs may be any key.
    for (const from of key === null ? ['keys'] : [key, ANY_KEY])
      for (const to of [`steps.${step.id}`, `read.${step.id}`]) this.#link(from, to)
  }

  #flows({ path: [root, name, field] }: Reference, loops: Loops, targets: readonly string[]): void {
    const origin = this.#originOf(root, name, field)
    for (const target of targets) {
      if (origin !== null) add(this.#origins, this.#origins.size < MOST_ORIGINS ? origin : OTHERS, target)
      else for (const node of nodesOf(root, name, loops)) this.#link(node, target)
      this.#link(target, target.slice(0, target.indexOf('.')))
    }
  }

  #link(from: string, to: string): void {
    add(this.#leadsTo, from, to)
  }

  #spread(origin: string, first: string): void {
    const open = [first]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (this.#sources.get(node)?.has(origin)) continue
      add(this.#sources, node, origin)
      open.push(...(this.#leadsTo.get(node) ?? NONE))
    }
  }
}

/** Each connection is followed through the whole flow. A flow that names more cannot be published. */
export const MOST_ORIGINS = 50
const OTHERS = ''

/** Matches an expression that inserts a secret unchanged. */
const AS_IT_IS = /^(?:env|connections\.\w+)\.\w+$/

/** A key that a template computes. */
const ANY_KEY = 'keys.{{'

function keyOf(step: StepDocument, setting: string): string | null {
  const key = step[setting]
  return typeof key === 'string' && key.includes('{{') ? null : `keys.${String(key)}`
}

function nodesOf(root: string | undefined, name: string | undefined, loops: Loops): string[] {
  if (root === 'loop') return loops.length ? [`loops.${loops.at(-1)!}`] : []
  if (root !== 'vars' && root !== 'steps' && root !== 'loops') return []
  return [name === undefined ? root : `${root}.${name}`]
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key)
  if (values) values.add(value)
  else map.set(key, new Set([value]))
}

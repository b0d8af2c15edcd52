// Finds the literals of a document that are secrets by its schemas, also in drafts whose kinds are not chosen yet.

import { isObject } from '../base/is-object.ts'
import { hasTemplate, type SchemaNode } from './check.ts'
import { type Kinds, stepSchema } from './document.ts'
import { pointer } from './issue.ts'
import { Trigger } from './triggers/index.ts'

const STEP_LIST: SchemaNode = { type: 'array', 'x-steps': 'none' }

type Replace = (literal: string, path: string) => string

/** Returns the document with each secret literal replaced; the same reference if there is none. */
export function mapSecrets<T>(document: T, kinds: Kinds, replace: Replace): T {
  const steps = [...kinds.values()].map((kind) => stepSchema(kind) as SchemaNode)
  const node: SchemaNode = {
    properties: { trigger: Trigger as SchemaNode, steps: STEP_LIST, onFailure: STEP_LIST },
  }
  return new SecretMap(steps, replace).value(node, document, '') as T
}

class SecretMap {
  readonly #steps: SchemaNode[]
  readonly #replace: Replace
  constructor(steps: SchemaNode[], replace: Replace) {
    this.#steps = steps
    this.#replace = replace
  }

  value(schema: SchemaNode, value: unknown, path: string): unknown {
    if (schema['x-secret'])
      return Array.isArray(value) ? this.#list({ 'x-secret': true }, value, path) : this.#secret(value, path)
    if (schema.anyOf && !isObject(value)) {
      const mapped = schema.anyOf.map((option) => this.value(option, value, path))
      return mapped.find((one) => one !== value) ?? value
    }
    if (Array.isArray(value)) {
      const item = schema['x-steps'] ? { anyOf: this.#steps } : schema.items
      return item ? this.#list(item, value, path) : value
    }
    if (!isObject(value) || schema['x-template'] === 'tree') return value
    let mapped = value
    for (const option of optionsFor(schema, mapped)) mapped = this.#object(option, mapped, path)
    return mapped
  }

  #secret(value: unknown, path: string): unknown {
    const isLiteral = typeof value === 'string' ? value !== '' && !hasTemplate(value) : isPlain(value)
    return isLiteral ? this.#replace(String(value), path) : value
  }

  #list(schema: SchemaNode, list: unknown[], path: string): unknown[] {
    const items = list.map((item, i) => this.value(schema, item, pointer(path, i)))
    return items.some((item, i) => item !== list[i]) ? items : list
  }

  #object(schema: SchemaNode, value: Record<string, unknown>, path: string): Record<string, unknown> {
    const properties = schema.properties ?? {}
    const every = Object.values(schema.patternProperties ?? {})[0]
    const copy: Record<string, unknown> = Object.create(null)
    let changed = false
    for (const [key, item] of Object.entries(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : every
      copy[key] = property ? this.value(property, item, pointer(path, key)) : item
      changed ||= copy[key] !== item
    }
    return changed ? copy : value
  }
}

const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

/** Returns all options while no kind is chosen: a value that is a secret under any of them is one. */
function optionsFor(schema: SchemaNode, value: Record<string, unknown>): SchemaNode[] {
  if (!schema.anyOf) return [schema]
  const chosen = schema.anyOf.filter((option) => option.properties?.['kind']?.const === value['kind'])
  return chosen.length ? chosen : schema.anyOf
}

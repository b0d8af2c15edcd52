// Offers the vault and the redactor to the operations and the stores.
import type { Protect, Secrets } from '../operations/ports/secrets.ts'
import { hideTokens, hideTokensIn } from './callback-tokens.ts'
import type { Redactor } from './redactor.ts'
import { SecretSearch } from './secret-search.ts'
import type { Vault } from './vault.ts'

const bindingOf = (flowId: string): string => `flow:${flowId}`

export function createSecrets(vault: Vault, redactor: Redactor, now: () => number): Secrets {
  return {
    seal(literal, flowId) {
      redactor.addToFlow(flowId, literal)
      return vault.seal(literal, bindingOf(flowId))
    },
    unseal(sealed, flowId) {
      const literal = vault.unseal(sealed, bindingOf(flowId))
      if (literal !== null) redactor.addToFlow(flowId, literal)
      return literal
    },
    setSource: (source, values) => redactor.set(source, values, now()),
    forget: (before) => redactor.forget(before),
    touch: (flowId, sources) => redactor.touch(flowId, sources),
    finder(values) {
      const only = new SecretSearch(values)
      return (text) => only.contains(text)
    },
    holds: (text, flowId) => redactor.for(flowId ?? null).contains(text),
    // The data of a flow that is unused since the start was redacted when it was stored.
    redact: (value, flowId) =>
      hideTokensIn(
        flowId === undefined || redactor.knowsFlow(flowId) ? redactor.for(flowId ?? null).redactJson(value) : value,
      ),
    redactReply: (value, flowId, request) => redactor.redactReply(value, flowId, request),
  }
}

/** Separates a JSON text, which cannot contain it, from the secrets in it and from its flow. */
const SEPARATOR = '\0'

export function createProtect(vault: Vault, redactor: Redactor, now: () => number): Protect {
  return new Protection({ vault, redactor, now }, null)
}

/** A class, because each write makes an instance, and closures would have to be made with it. */
class Protection implements Protect {
  readonly #keeping: { vault: Vault; redactor: Redactor; now(): number }
  readonly #flowId: string | null

  constructor(keeping: { vault: Vault; redactor: Redactor; now(): number }, flowId: string | null) {
    this.#keeping = keeping
    this.#flowId = flowId
  }

  of(flowId: string): Protect {
    return new Protection(this.#keeping, flowId)
  }

  text(text: string): string {
    return hideTokens(this.#keeping.redactor.for(this.#flowId).redactText(text))
  }

  json(text: string): string {
    return hideTokens(this.#keeping.redactor.for(this.#flowId).redactJsonText(text))
  }

  seal(json: string, binding: string): string {
    const secrets = this.#keeping.redactor.for(this.#flowId).secretsIn(json)
    return this.#keeping.vault.seal([json, JSON.stringify(secrets), this.#flowId ?? ''].join(SEPARATOR), binding)
  }

  reveal(sealed: string, binding: string): string {
    const { vault, redactor, now } = this.#keeping
    const content = vault.unseal(sealed, binding)
    if (content === null)
      throw new Error(`What is sealed of ${binding} cannot be read: it was changed, or its key is gone.`)
    const [json, secrets, flowId] = content.split(SEPARATOR) as [string, string | undefined, string | undefined]
    for (const secret of JSON.parse(secrets ?? '[]') as string[]) redactor.remember(secret, flowId || null, now())
    return json
  }
}

// What the vault and the redactor do for the operations and the stores.
import type { Protect, Secrets } from '../operations/ports.ts'
import { Redactor } from './redactor.ts'
import type { Vault } from './vault.ts'

const bindingOf = (flowId: string): string => `flow:${flowId}`

export function createSecrets(vault: Vault, redactor: Redactor, now: () => number): Secrets {
  return {
    seal(literal, flowId) {
      redactor.add(literal)
      return vault.seal(literal, bindingOf(flowId))
    },
    unseal(sealed, flowId) {
      const literal = vault.unseal(sealed, bindingOf(flowId))
      if (literal !== null) redactor.add(literal)
      return literal
    },
    setSource: (source, values) => redactor.set(source, values, now()),
    forget: (before) => redactor.forget(before),
    finder(values) {
      const only = new Redactor()
      for (const value of values) only.add(value)
      return (text) => only.contains(text)
    },
    holds: (text) => redactor.contains(text),
    redact: (value) => redactor.redactJson(value),
  }
}

/** Between a text, which is JSON and so cannot hold it, and the secrets in it. */
const SEPARATOR = '\0'

export function createProtect(vault: Vault, redactor: Redactor, now: () => number): Protect {
  return {
    text: (text) => redactor.redactText(text),
    json: (text) => redactor.redactJsonText(text),
    seal: (json, binding) => vault.seal(json + SEPARATOR + JSON.stringify(redactor.secretsIn(json)), binding),
    reveal(sealed, binding) {
      const content = vault.unseal(sealed, binding)
      if (content === null)
        throw new Error(`What is sealed of ${binding} cannot be read: it was changed, or its key is gone.`)
      const [json, secrets] = content.split(SEPARATOR) as [string, string | undefined]
      for (const secret of JSON.parse(secrets ?? '[]') as string[]) redactor.remember(secret, now())
      return json
    },
  }
}

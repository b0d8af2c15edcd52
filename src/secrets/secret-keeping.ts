// What the vault and the redactor do for the operations and the stores.
import type { Protect, Secrets } from '../operations/ports.ts'
import type { Redactor } from './redactor.ts'
import type { Vault } from './vault.ts'

const bindingOf = (flowId: string): string => `flow:${flowId}`

export function createSecrets(vault: Vault, redactor: Redactor): Secrets {
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
    holds: (text) => redactor.contains(text),
    redact: (value) => redactor.redactJson(value),
  }
}

export function createProtect(vault: Vault, redactor: Redactor): Protect {
  return {
    text: (text) => redactor.redactText(text),
    json: (text) => redactor.redactJsonText(text),
    seal: (text, binding) => vault.seal(text, binding),
    reveal(sealed, binding) {
      const text = vault.unseal(sealed, binding)
      if (text === null)
        throw new Error(`What is sealed of ${binding} cannot be read: it was changed, or its key is gone.`)
      return text
    },
  }
}

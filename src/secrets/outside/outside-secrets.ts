// Reads the secrets that are kept outside of Millrace, when they are used. Each is remembered for a minute, and never stored.
import { parseOutsideReference } from '../../base/outside-reference.ts'
import type { OutsideSecrets } from '../../operations/ports/secrets.ts'
import type { HashicorpVault } from './hashicorp-vault.ts'
import { readSecretFile } from './read-file.ts'

const REMEMBERED_MS = 60_000

export function createOutsideSecrets(
  folder: string | null,
  vault: Pick<HashicorpVault, 'read'> | null,
  elapsedMs: () => number,
): OutsideSecrets {
  const known = new Map<string, { value: string; at: number }>()
  /** One question at a time for each: many runs may need the same one. */
  const asked = new Map<string, Promise<string>>()

  const find = async (reference: string): Promise<string> => {
    const parsed = parseOutsideReference(reference)
    if (typeof parsed === 'string') throw new Error(`it ${parsed}`)
    if (parsed.kind === 'vault') {
      if (!vault) throw new Error('MILLRACE_VAULT_ADDR is not set')
      return vault.read(parsed.path, parsed.field)
    }
    if (folder === null) throw new Error('MILLRACE_SECRETS_DIR is not set')
    return readSecretFile(folder, parsed.names)
  }

  return {
    known(reference) {
      const found = known.get(reference)
      return found && elapsedMs() - found.at < REMEMBERED_MS ? found.value : null
    },

    read(reference) {
      const underWay = asked.get(reference)
      if (underWay) return underWay
      const at = elapsedMs()
      const begun = find(reference)
        .then((value) => {
          known.set(reference, { value, at })
          return value
        })
        .finally(() => asked.delete(reference))
      asked.set(reference, begun)
      return begun
    },
  }
}

import type { Signing } from '../../operations/ports/audit-log/chain.ts'
import type { Vault } from '../../secrets/vault.ts'

const PURPOSE = 'audit log'

/** Signs the ends and the anchors of the audit log's chains. */
export const auditSigning = (vault: Vault): Signing => ({
  sign: (text) => vault.sign(text, PURPOSE),
  isSigned: (text, signature) => vault.isSigned(text, PURPOSE, signature),
})

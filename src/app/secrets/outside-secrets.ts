// Opens what connections keep outside of Millrace: a folder of secrets, and HashiCorp Vault.
import type { OutsideSecrets } from '../../operations/ports/secrets.ts'
import type { OutboundClient } from '../../outbound/http-client.ts'
import { HashicorpVault } from '../../secrets/outside/hashicorp-vault.ts'
import { createOutsideSecrets } from '../../secrets/outside/outside-secrets.ts'
import type { Config } from '../config.ts'
import { createOutboundClient, hostAndPort } from '../outbound-client.ts'

export function openOutsideSecrets(config: Config): OutsideSecrets & { close(): Promise<void> } {
  const { vault, secretsDir } = config
  // The operator names the address of Vault, which is often a private one: only this client may reach it.
  const http: OutboundClient | null =
    vault && createOutboundClient({ ...config, egressAllow: [...config.egressAllow, hostAndPort(vault.address)] })
  const elapsedMs = () => performance.now()
  const secrets = createOutsideSecrets(secretsDir, vault && new HashicorpVault(vault, http!, elapsedMs), elapsedMs)
  return { ...secrets, close: async () => http?.close() }
}

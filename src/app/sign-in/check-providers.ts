import { createOidcClient } from '../../oauth/oidc-client.ts'
import { OidcRefused } from '../../operations/ports/sign-in/oidc-client.ts'
import type { Config } from '../config.ts'
import { createProviderClient } from './sign-in-services.ts'

export interface CheckedProvider {
  name: string
  issuer: string
  /** null if the provider says what it is. */
  problem: string | null
}

/** Asks each provider of single sign-on for what it says of itself, as a sign-in would. */
export async function checkProviders(config: Config): Promise<CheckedProvider[]> {
  const http = createProviderClient(config)
  const client = createOidcClient(http)
  const checked: CheckedProvider[] = []
  try {
    for (const provider of config.oidc.providers) {
      const { name, issuer } = provider
      const problem = await client.begin(provider, config.baseUrl).then(
        () => null,
        (error) => {
          if (error instanceof OidcRefused) return error.message.replace(/\.$/, '')
          throw error
        },
      )
      checked.push({ name, issuer, problem })
    }
    return checked
  } finally {
    await http.close()
  }
}

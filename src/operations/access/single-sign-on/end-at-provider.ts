// Ends sessions because their provider says so (OpenID Connect Back-Channel Logout 1.0).
import { CODE } from '../../../base/error-catalogue.ts'
import { OperationError } from '../../operation-error.ts'
import { OidcRefused } from '../../ports/sign-in/oidc-client.ts'
import { digestOf } from '../secret-code.ts'
import type { AccessServices } from '../services.ts'
import { endWatching } from '../sessions.ts'
import { providerOf } from './sign-in-by-provider.ts'

export async function endAtProvider(
  services: AccessServices,
  id: string,
  token: string,
  network: string,
): Promise<void> {
  const { sso, sessions, attempts, users } = services.access
  const provider = providerOf(services, id)
  await attempts.attempt({ network, account: null, known: null }, services.now(), async () => {
    const refused = (message: string) => new OperationError(CODE.invalid_request, message)
    const notice = await sso.client.readLogout(provider, token).catch((error) => {
      throw error instanceof OidcRefused ? refused(error.message) : error
    })
    const ended = await services.audit.together(async () => {
      const tokenId = digestOf(`${provider.issuer} ${notice.tokenId}`)
      if (!(await sso.logoutTokens.take(tokenId, notice.expiresAt, services.now())))
        throw refused('This logout token was used before.')
      const userIds = await sessions.endByLogin(provider.issuer, notice)
      for (const userId of userIds) {
        const target = { kind: 'user', id: userId, name: (await users.get(userId))?.email ?? null }
        await services.audit.record({ id: null, name: provider.name }, 'user.sessions_end', target)
      }
      return userIds
    })
    for (const userId of ended) endWatching(services, userId)
  })
}

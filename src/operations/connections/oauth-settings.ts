import type { ConnectionRecord } from '../ports/connections.ts'
import type { JwtSettings, OAuthSettings } from '../ports/oauth-client.ts'

/** Returns the settings of a connection of the kind oauth2. */
export function settingsOf({ fields, secrets }: ConnectionRecord): OAuthSettings {
  const { authorizationUrl, tokenUrl, clientId, scopes, clientAuth, audience } = fields as Record<string, string>
  return {
    authorizationUrl: authorizationUrl ?? null,
    tokenUrl: tokenUrl!,
    clientId: clientId!,
    clientSecret: secrets?.['clientSecret'] ?? null,
    clientAuth: clientAuth as OAuthSettings['clientAuth'],
    scopes: [scopes ?? []].flat().join(' ') || null,
    audience: audience ?? null,
  }
}

/** Returns the settings of a connection of the kind jwt. */
export function jwtSettingsOf({ fields, secrets }: ConnectionRecord): JwtSettings {
  const { tokenUrl, algorithm, keyId } = fields as Record<string, string>
  return {
    tokenUrl: tokenUrl ?? null,
    privateKey: secrets?.['privateKey'] ?? '',
    algorithm: algorithm!,
    keyId: keyId ?? null,
    claims: (fields['claims'] ?? {}) as Record<string, unknown>,
  }
}

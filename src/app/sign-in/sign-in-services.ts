// Builds single sign-on and second factors.
import { createOidcClient } from '../../oauth/oidc-client.ts'
import type { Access } from '../../operations/access/services.ts'
import type { SecondFactorRule } from '../../operations/access/two-factor/second-factor-rule.ts'
import type { OutboundClient } from '../../outbound/http-client.ts'
import { createOneTimeCodes } from '../../secrets/one-time-codes.ts'
import type { Config } from '../config.ts'
import type { Stores } from '../open-stores.ts'
import { createOutboundClient, hostAndPort } from '../outbound-client.ts'

/** A document of a provider, or its keys, are small. */
const MOST_BYTES = 1024 ** 2

/**
 * Creates the client that asks providers. It also reaches what the operator names as an issuer, on whatever address that is:
 * flows do not, for they have another client.
 */
export const createProviderClient = (config: Config): OutboundClient => {
  const issuers = config.oidc.providers.map(({ issuer }) => hostAndPort(issuer))
  const egressAllow = [...config.egressAllow, ...issuers]
  return createOutboundClient({ ...config, egressAllow, httpConcurrency: 16, httpPerHost: 8 }, undefined, MOST_BYTES)
}

export function signInServices(
  config: Config,
  stores: Stores,
  http: OutboundClient,
  rule: SecondFactorRule,
): Pick<Access, 'sso' | 'twoFactor'> {
  return {
    sso: {
      ...config.oidc,
      client: createOidcClient(http),
      identities: stores.identities,
      logoutTokens: stores.logoutTokens,
      sealing: stores.vault,
    },
    twoFactor: {
      store: stores.secondFactors,
      codes: createOneTimeCodes(),
      rule,
    },
  }
}

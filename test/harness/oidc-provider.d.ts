// The package has no types; these are the parts that the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Token {
    isValid: boolean
    destroy(): Promise<void>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    on(event: string, listener: (...details: unknown[]) => void): void
    AccessToken: { find(token: string): Promise<Token | undefined> }
    ClientCredentials: { find(token: string): Promise<Token | undefined> }
    RefreshToken: { find(token: string): Promise<Token | undefined> }
  }
}

/** Part of oidc-provider that tests use; its own types are another package. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope: (scope: string) => void
    save: () => Promise<string>
  }

  interface Context {
    oidc: {
      client: { clientId: string }
      session: { accountId: string }
      provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant }
    }
  }

  interface Options {
    clients: object[]
    claims: Record<string, string[]>
    scopes: string[]
    cookies: { keys: string[] }
    features: Record<string, { enabled: boolean }>
    interactions: { url: (context: Context, interaction: { uid: string }) => string }
    findAccount: (
      context: Context,
      id: string,
    ) => { accountId: string; claims: () => Promise<{ sub: string } & object> }
    loadExistingGrant: (context: Context) => Promise<Grant>
  }

  export default class Provider {
    constructor(issuer: string, options: Options)
    Client: {
      find: (
        id: string,
      ) => Promise<
        | { backchannelLogoutUri: string; backchannelLogout: (sub: string, sid: string) => Promise<void> }
        | undefined
      >
    }
    callback: () => (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished: (
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } },
    ) => Promise<void>
  }
}

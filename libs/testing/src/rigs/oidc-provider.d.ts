declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** The parts of the provider that specs use. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    readonly Client: { find(id: string): Promise<unknown> };
    readonly AccessToken: new (values: object) => { save(): Promise<string>; resourceServer: unknown };
    readonly Grant: new (values: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  }
}

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** The parts of the provider that specs use. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    readonly Client: {
      find(id: string): Promise<{ backchannelLogout(sub: string, sid: string): Promise<void> }>;
    };
    readonly AccessToken: new (values: object) => { save(): Promise<string>; resourceServer: unknown };
    readonly Grant: new (values: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  const MemoryAdapter: new (name: string) => object;
  export default MemoryAdapter;
}

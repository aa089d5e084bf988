import type { FilesApp } from './files-app';

/** Body of a LOCK. */
export function lockBody(scope: 'exclusive' | 'shared' = 'exclusive', owner = ''): string {
  return `<?xml version="1.0"?><d:lockinfo xmlns:d="DAV:"><d:lockscope><d:${scope}/></d:lockscope><d:locktype><d:write/></d:locktype>${owner}</d:lockinfo>`;
}

/** A client of one user that locks files. */
export class LockClient {
  constructor(
    private readonly files: FilesApp,
    private readonly uid: string,
  ) {}

  /** @returns the HTTP status */
  async status(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<number> {
    const reply = await this.files.dav(method, this.uid, path, { headers, body });
    await reply.text();
    return reply.status;
  }

  /** Locks a node that must exist and be free. @returns the token */
  async lock(path: string, headers: Record<string, string> = {}, body = lockBody()): Promise<string> {
    const reply = await this.files.dav('LOCK', this.uid, path, { headers, body });
    const answer = await reply.text();
    const token = /^<(.+)>$/.exec(reply.headers.get('lock-token') ?? '')?.[1];
    if (reply.status !== 200 || token === undefined)
      throw new Error(`LOCK of ${path}: ${reply.status} ${answer}`);
    return token;
  }

  unlock(path: string, token: string): Promise<number> {
    return this.status('UNLOCK', path, { 'lock-token': `<${token}>` });
  }

  async move(from: string, to: string, headers: Record<string, string> = {}): Promise<number> {
    return (await this.files.transfer('MOVE', this.uid, from, to, { overwrite: 'T', ...headers })).status;
  }

  async copy(from: string, to: string, headers: Record<string, string> = {}): Promise<number> {
    return (await this.files.transfer('COPY', this.uid, from, to, { overwrite: 'T', ...headers })).status;
  }

  async text(path: string): Promise<string> {
    return (await this.files.dav('GET', this.uid, path)).text();
  }

  /** The value of `lockdiscovery`. */
  async discovered(path: string): Promise<string> {
    return (await this.files.property(this.uid, path, 'd:lockdiscovery')) ?? 'no such property';
  }
}

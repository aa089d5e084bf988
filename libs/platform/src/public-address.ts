import type { Config } from './config/table';

/** The address of this instance for clients and partners. */
export class PublicAddress {
  private port: number;

  constructor(private readonly config: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>) {
    this.port = config.PORT;
  }

  /** Without a trailing slash: PUBLIC_URL, or built from HOST and the port. */
  get url(): string {
    const { PUBLIC_URL, HOST } = this.config;
    return PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${this.port}`;
  }

  /** Path of that address, without a trailing slash; empty for an instance at the root of its host. */
  get path(): string {
    return new URL(this.url).pathname.replace(/\/$/, '');
  }

  /** Sets the port if PORT let the system choose it. */
  listensOn(port: number): void {
    this.port = port;
  }
}

import type { Config } from './config/table';

/** Under which address clients and partners reach this instance. */
export class PublicAddress {
  private port: number;

  constructor(private readonly config: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>) {
    this.port = config.PORT;
  }

  /** Without a trailing slash: PUBLIC_URL, or made of HOST and the port that is listened on. */
  get url(): string {
    const { PUBLIC_URL, HOST } = this.config;
    return PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${this.port}`;
  }

  /** Path of that address, without a trailing slash: empty, or that below which the instance lives. */
  get path(): string {
    return new URL(this.url).pathname.replace(/\/$/, '');
  }

  /** Tells which port was taken where PORT left that open. */
  listensOn(port: number): void {
    this.port = port;
  }
}

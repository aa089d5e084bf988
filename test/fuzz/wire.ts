import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { FuzzRequest } from './fuzz-request';

const PATIENCE_MS = 20_000;

/** The reply: `cut` if the connection ended without an answer, `silent` if no answer arrived in time. */
export interface FuzzReply {
  readonly status: number | 'cut' | 'silent';
  readonly body: string;
}

/** Sends requests unchanged, over connections that stay open as long as the server keeps them. */
export class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly url: string) {}

  async send(wanted: FuzzRequest): Promise<FuzzReply> {
    const first = await this.attempt(wanted);
    // The server may have closed an open connection at that moment.
    return first.status === 'cut' ? this.attempt(wanted) : first;
  }

  close(): void {
    this.agent.destroy();
  }

  private attempt({ method, target, headers, body }: FuzzRequest): Promise<FuzzReply> {
    const { hostname, port } = new URL(this.url);
    const path = sendable(target.startsWith('/') ? target : `/${target}`, /[^\x21-\xff]/g);
    const sent: Record<string, string> = { 'content-length': String(Buffer.byteLength(body)) };
    for (const [name, value] of Object.entries(headers))
      sent[name] = sendable(value, /[^\t\x20-\x7e\x80-\xff]/g);
    return new Promise((resolve) => {
      const outgoing = httpRequest(
        { agent: this.agent, hostname, port, method, path, headers: sent },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', () => resolve({ status: 'cut', body: '' }));
          reply.on('end', () =>
            resolve({ status: reply.statusCode!, body: Buffer.concat(chunks).toString() }),
          );
        },
      );
      outgoing.setTimeout(PATIENCE_MS, () => {
        resolve({ status: 'silent', body: '' });
        outgoing.destroy();
      });
      outgoing.on('error', () => resolve({ status: 'cut', body: '' }));
      outgoing.end(body);
    });
  }

  /** Answer to bytes that may not be HTTP; the first status line counts. */
  sendRaw(message: string): Promise<FuzzReply> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.end(message, 'latin1'));
      const done = (silent: boolean): void => {
        socket.destroy();
        const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
        resolve({ status: status === undefined ? (silent ? 'silent' : 'cut') : Number(status), body: text });
      };
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('error', () => done(false));
      socket.on('close', () => done(false));
      socket.setTimeout(PATIENCE_MS, () => done(true));
    });
  }
}

const sendable = (text: string, forbidden: RegExp): string => text.replace(forbidden, '?');

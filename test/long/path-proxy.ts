import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { appServing, type ServingApp } from '#platform';
import { ProxyTally, type ProxyFailure } from './proxy-tally';

export interface PathProxyOptions {
  /**
   * Milliseconds between two checks of a process's readiness; a process that is not ready gets no new requests. Without
   * a value, nothing is checked.
   */
  readonly probeEveryMs?: number;
}

const PROBE_LIMIT_MS = 2000;

/** One process of an app. */
class Upstream {
  /** Connections are kept open, as in real proxies. */
  readonly agent = new Agent({ keepAlive: true });
  isReady: boolean;

  constructor(
    readonly port: number,
    probed: boolean,
  ) {
    this.isReady = !probed;
  }
}

/** A proxy in front of one instance's programs: sends each request to a program that serves its path. */
export class PathProxy {
  readonly tally = new ProxyTally();
  /** Whether a request goes to another process if the first one refused the connection, before any byte was sent. */
  passesOnRefused = false;
  private readonly upstreams = new Map<ServingApp, Upstream[]>();
  private readonly server: Server;
  private readonly probing: NodeJS.Timeout | undefined;
  private turn = 0;

  private constructor(private readonly options: PathProxyOptions) {
    this.server = createServer((incoming, outgoing) => {
      const app = appServing(incoming.url!.split('?', 1)[0]!);
      const waiting = (app && this.upstreams.get(app))?.filter(({ isReady }) => isReady) ?? [];
      const first = this.turn++ % Math.max(waiting.length, 1);
      this.lead(incoming, outgoing, [...waiting.slice(first), ...waiting.slice(0, first)]);
    });
    if (options.probeEveryMs !== undefined)
      this.probing = setInterval(() => this.probeAll(), options.probeEveryMs);
  }

  static async open(options: PathProxyOptions = {}): Promise<PathProxy> {
    const proxy = new PathProxy(options);
    await new Promise<void>((done) => void proxy.server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on this process of the app gets requests, once it is ready. */
  add(app: ServingApp, port: number): void {
    const known = this.upstreams.get(app) ?? [];
    this.upstreams.set(app, [...known, new Upstream(port, this.options.probeEveryMs !== undefined)]);
  }

  /** Removes a process that has ended; it will not return at this port. */
  remove(app: ServingApp, port: number): void {
    this.upstreams.set(
      app,
      (this.upstreams.get(app) ?? []).filter((upstream) => upstream.port !== port),
    );
  }

  /** Whether all present processes are ready. */
  get areAllReady(): boolean {
    return [...this.upstreams.values()].flat().every(({ isReady }) => isReady);
  }

  /** Breaks all connections, in the middle of their transfers. */
  cut(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    clearInterval(this.probing);
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    for (const { agent } of [...this.upstreams.values()].flat()) agent.destroy();
  }

  private probeAll(): void {
    for (const upstream of [...this.upstreams.values()].flat())
      void isReady(upstream.port).then((ready) => (upstream.isReady = ready ?? upstream.isReady));
  }

  private lead(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    [upstream, ...others]: readonly Upstream[],
  ): void {
    if (!upstream) return this.fail(outgoing, 'nobody');
    const { method, url: path } = incoming;
    const { agent, port } = upstream;
    const headers = endToEnd(incoming.rawHeaders);
    // Without this header, Node would announce a body for most methods.
    if (!hasBody(incoming)) headers.push('content-length', '0');
    const onward = request({ agent, port, host: '127.0.0.1', method, path, headers });
    // The client's body is read only after a process is connected.
    const begin = (): void => void incoming.pipe(onward);
    onward.on('socket', (socket) => (socket.connecting ? socket.once('connect', begin) : begin()));
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, endToEnd(answer.rawHeaders));
      answer.pipe(outgoing);
      answer.on('end', () => this.tally.answered(`${method} ${path}`, answer));
      answer.on('error', () => outgoing.destroyed || this.fail(outgoing, 'cut'));
    });
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.destroyed || outgoing.headersSent) return;
      if (error.code !== 'ECONNREFUSED') return this.fail(outgoing, 'cut');
      if (this.passesOnRefused && others.length > 0) return this.lead(incoming, outgoing, others);
      this.fail(outgoing, 'refused');
    });
    outgoing.on('close', () => onward.destroy());
  }

  private fail(outgoing: ServerResponse, failure: ProxyFailure): void {
    this.tally.failed(failure);
    if (outgoing.headersSent) return void outgoing.destroy();
    outgoing.writeHead(failure === 'nobody' ? 503 : 502, { 'retry-after': '1', 'x-failure': failure }).end();
  }
}

/** Headers that only concern the connection. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive']);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Names and values in turn, in the received order. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => !OF_THE_CONNECTION.has(rawHeaders[at - (at % 2)]!.toLowerCase()));
}

/** @returns undefined without an answer in time: on a busy machine this proves nothing about the process */
function isReady(port: number): Promise<boolean | undefined> {
  return fetch(`http://127.0.0.1:${port}/health/ready`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(PROBE_LIMIT_MS),
  }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    (error: unknown) => (error instanceof DOMException && error.name === 'TimeoutError' ? undefined : false),
  );
}

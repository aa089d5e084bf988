import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appServing, type ServingApp } from '#platform';

/** What stands in front of one instance's programs: sends each request to the one that serves its path. */
export class PathProxy {
  /** Where each program listens. */
  readonly ports = new Map<ServingApp, number>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((incoming, outgoing) => {
      const app = appServing(incoming.url!.split('?', 1)[0]!);
      const { method, url: path, headers } = incoming;
      const onward = request({ port: app && this.ports.get(app), host: '127.0.0.1', method, path, headers });
      onward.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
  }

  static async open(): Promise<PathProxy> {
    const proxy = new PathProxy();
    await new Promise<void>((done) => void proxy.server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { basicAuth } from '#testing';
import {
  EdgeClient,
  PASSWORD,
  readJsonEnvelope,
  type EdgeReply,
  type EdgeRequest,
  type OcsCall,
} from '../edge/edge-client';

/** The address of one organisation, and the list of its wrong answers. */
export class LoadClient {
  /** Received answers that were wrong. */
  readonly wrong: string[] = [];
  private readonly edge: EdgeClient;

  constructor(private readonly url: string) {
    this.edge = new EdgeClient({ url });
  }

  /** @returns undefined if the request was cut or got 503: the proxy counts those */
  async send(wanted: EdgeRequest): Promise<EdgeReply | undefined> {
    const reply = await this.edge.send(wanted).catch(() => undefined);
    return reply && !wasPutOff(reply) ? reply : undefined;
  }

  /** Data of a successful OCS call; undefined if it was cut, got 503, or was wrong. */
  async ocs(
    method: string,
    path: string,
    { as, form, query }: OcsCall,
  ): Promise<{ data: unknown } | undefined> {
    const target = `/ocs/v1.php${path}?format=json${query === undefined ? '' : `&${query}`}`;
    const body = form && new URLSearchParams(form as Record<string, string>).toString();
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': FORM };
    const headers = { ...type, authorization: basicAuth(as!, PASSWORD) };
    const reply = await this.send({ method, target, headers, body });
    if (!reply) return undefined;
    if (reply.status >= 500) return void this.wrong.push(`${method} ${path}: HTTP ${reply.status}`);
    const { code, message, data } = readJsonEnvelope(reply);
    if (code === 100) return { data };
    this.wrong.push(`${method} ${path}: ${code} ${message}`);
    return undefined;
  }

  /** A WebDAV request that must get one of these statuses. */
  async dav(as: string, wanted: EdgeRequest, statuses: readonly number[]): Promise<EdgeReply | undefined> {
    const headers = { ...wanted.headers, authorization: basicAuth(as, PASSWORD) };
    const reply = await this.send({ ...wanted, headers });
    if (!reply || statuses.includes(reply.status)) return reply;
    this.wrong.push(`${wanted.method} ${wanted.target}: HTTP ${reply.status}`);
    return undefined;
  }

  /** Uploads these parts with a pause between them, so that an upload is active whenever an app is stopped. */
  async putSlowly(as: string, target: string, parts: readonly string[], everyMs: number): Promise<void> {
    const headers = {
      authorization: basicAuth(as, PASSWORD),
      'content-length': Buffer.byteLength(parts.join('')),
    };
    const upload = request(this.url + target, { method: 'PUT', headers });
    const answered = new Promise<number | undefined>((answer) => {
      upload.on('response', (reply) => answer('x-failure' in reply.headers ? undefined : reply.statusCode));
      upload.on('response', (reply) => reply.resume());
      upload.on('error', () => answer(undefined));
    });
    for (const part of parts) {
      upload.write(part);
      await pause(everyMs);
    }
    upload.end();
    const status = await answered;
    if (status !== undefined && ![201, 204, 503].includes(status))
      this.wrong.push(`slow PUT ${target}: HTTP ${status}`);
  }
}

const FORM = 'application/x-www-form-urlencoded';

const wasPutOff = ({ status, headers }: EdgeReply): boolean =>
  'x-failure' in headers || (status === 503 && headers['retry-after'] !== undefined);

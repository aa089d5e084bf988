import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { XMLParser } from 'fast-xml-parser';
import { ADMIN, basicAuth, type TestGateway } from '../../libs/testing/src';

export interface EdgeReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EdgeRequest {
  readonly method?: string;
  /** Path and query exactly as they go over the wire. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Content of an envelope in either format. */
export interface EdgeEnvelope {
  readonly http: number;
  readonly headers: IncomingHttpHeaders;
  readonly status: string;
  readonly code: number;
  readonly message: string | null;
  readonly data: unknown;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

export interface OcsCall {
  readonly version?: 1 | 2;
  readonly as?: string;
  readonly password?: string;
  readonly form?: Fields;
  readonly json?: unknown;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };

/** Password of every user that these specs make. */
export const PASSWORD = 'edge-of-the-specs';

/** Sends HTTP requests to a gateway without correcting them. */
export class EdgeClient {
  /** A connection for each request: some of them break theirs. */
  private readonly agent = new Agent({ keepAlive: false, maxSockets: 64 });

  constructor(private readonly gateway: Pick<TestGateway, 'url'>) {}

  async send(wanted: EdgeRequest): Promise<EdgeReply> {
    const { hostname, port } = new URL(this.gateway.url);
    const { method = 'GET', target: path, headers = {}, body } = wanted;
    const isChunked = headers['transfer-encoding'] !== undefined;
    const length =
      body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { agent: this.agent, hostname, port, method, path, headers: { ...length, ...headers } },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () =>
            resolve({
              status: reply.statusCode!,
              headers: reply.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** An OCS call with a JSON answer; the caller is the administrator, `as`, or `''` for an anonymous caller. */
  async ocs(method: string, path: string, call: OcsCall = {}): Promise<EdgeEnvelope> {
    const { version = 1, query = '' } = call;
    const body = call.json === undefined ? call.form && formText(call.form) : JSON.stringify(call.json);
    const type = body === undefined ? {} : call.json === undefined ? FORM : JSON_BODY;
    const target = `/ocs/v${version}.php${path}?format=json${query && `&${query}`}`;
    return readJsonEnvelope(
      await this.send({ method, target, body, headers: { ...type, ...credentials(call), ...call.headers } }),
    );
  }

  async makeUsers(...uids: string[]): Promise<void> {
    for (const userid of uids) {
      const made = await this.ocs('POST', '/cloud/users', { form: { userid, password: PASSWORD } });
      if (made.code !== 100) throw new Error(`${userid} was not made: ${made.code} ${made.message}`);
    }
  }
}

function credentials({ as = ADMIN.uid, password }: OcsCall): Record<string, string> {
  if (as === '') return {};
  return { authorization: basicAuth(as, password ?? (as === ADMIN.uid ? ADMIN.password : PASSWORD)) };
}

/** `{groups: ['a', 'b']}` as `groups[]=a&groups[]=b`. */
export function formText(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else for (const item of value) form.append(`${name}[]`, item);
  }
  return form.toString();
}

export function readJsonEnvelope(reply: EdgeReply): EdgeEnvelope {
  const { meta, data } = (JSON.parse(reply.body) as { ocs: { meta: Meta; data: unknown } }).ocs;
  return { ...meta, http: reply.status, headers: reply.headers, code: meta.statuscode, data };
}

interface Meta {
  readonly status: string;
  readonly statuscode: number;
  readonly message: string | null;
}

const XML = new XMLParser({ parseTagValue: false, ignoreDeclaration: true });

function readXmlEnvelope(reply: EdgeReply): EdgeEnvelope {
  const { meta, data } = XML.parse(reply.body).ocs;
  const { status, statuscode, message } = meta;
  return { http: reply.status, headers: reply.headers, status, code: Number(statuscode), message, data };
}

/** The envelope of a reply, in the format that its header names. */
export function readEnvelope(reply: EdgeReply): EdgeEnvelope {
  return reply.headers['content-type']?.includes('json') ? readJsonEnvelope(reply) : readXmlEnvelope(reply);
}

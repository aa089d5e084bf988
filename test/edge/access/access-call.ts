import { statusOf } from '#ocs/protocol';
import { CONTENT } from './held';
import type { AccessWorld } from './access-world';
import { davRequestOf } from './dav-requests';
import { AVATAR_REQUESTS } from './avatar-requests';
import { LINK_REQUESTS } from './link-requests';
import type { Caller, MatrixRow } from './matrix-rows';
import { PARTNERS_REQUESTS } from './partner-requests';
import { PEOPLES_REQUESTS, type Sample } from './sample-requests';
import { WEB_REQUESTS } from './web-requests';

const SAMPLES = {
  ...PEOPLES_REQUESTS,
  ...PARTNERS_REQUESTS,
  ...LINK_REQUESTS,
  ...AVATAR_REQUESTS,
  ...WEB_REQUESTS,
};
const READING = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT'];

export interface Answer {
  /** HTTP status, and the code of the envelope if there is one. */
  readonly said: string;
  /** Whether it must change nothing, with any answer. */
  readonly reads: boolean;
  /** Whether it must change something; otherwise it must change nothing. */
  readonly changes: boolean;
  /** Whether content was shown to a refused caller. */
  readonly leaks: boolean;
  /** Whether only the first of several callers can succeed. */
  readonly happensOnce: boolean;
  /** Whether the method is read-only. */
  readonly isReading: boolean;
}

/** Rows with a separate request; those of the WebDAV interface are derived from their object. */
export const REQUESTED_ROWS: readonly string[] = Object.keys(SAMPLES);

/** Makes one call of a row, as one of the callers. @param by an Authorization header, or the headers of a session */
export async function callAs(
  world: AccessWorld,
  row: Pick<MatrixRow, 'key' | 'about'>,
  route: { readonly method: string; readonly path: string },
  caller: Caller,
  by: string | Readonly<Record<string, string>> | undefined = world.authorizationOf(caller),
): Promise<Answer> {
  const sampleOf = davRequestOf(row, route.method) ?? SAMPLES[row.key];
  const sample = sampleOf?.(world.held, caller) ?? {};
  const method = sample.method ?? route.method;
  const reply = await fetch(world.url + targetOf(route.path, sample), {
    method,
    headers: headersOf(world, sample, by),
    body: bodyOf(sample, world.url),
    redirect: 'manual',
  });
  const text = await reply.text();
  const said = route.path.startsWith('/ocs/')
    ? `${reply.status} ${codeIn(text)}`
    : String(reply.status === 207 ? statusInside(text) : reply.status);
  const isSuccess = /^2\d\d(?: [12]00)?$/.test(said);
  const isReading = READING.includes(method);
  const reads = isReading && !sample.changesOnSuccess;
  const leaks = text.includes(CONTENT) && (!isSuccess || sample.showsNothing === true);
  const happensOnce = sample.happensOnce === true;
  return {
    said,
    happensOnce,
    isReading,
    reads,
    changes: isSuccess && !reads && !sample.changesNothing,
    leaks,
  };
}

function targetOf(path: string, { path: whole, params = {}, query = {} }: Sample): string {
  const places = path.replace(/:(\w+)(?:\([^)]*\))?/g, (_place, name: string) => params[name] ?? 'x');
  const wanted = new URLSearchParams(query);
  if (path.startsWith('/ocs/')) wanted.set('format', 'json');
  return `${whole ?? places}?${wanted.toString()}`;
}

let calls = 0;

function headersOf(
  world: AccessWorld,
  sample: Sample,
  by: string | Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const [ofCaller, ofSession] = typeof by === 'object' ? [undefined, by] : [by, {}];
  const headers: Record<string, string> = { ...sample.headers, ...ofSession };
  if (headers.destination) headers.destination = headers.destination.replace('{url}', world.url);
  const authorization = sample.authorization ?? ofCaller;
  if (authorization !== undefined) headers.authorization = authorization;
  calls++;
  headers['x-forwarded-for'] = `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
  return headers;
}

function bodyOf({ form, json, body }: Sample, url: string): URLSearchParams | string | undefined {
  if (json !== undefined) return JSON.stringify(json);
  if (!form) return body;
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) fields.set(name, value.replace('{url}', url));
  return fields;
}

const codeIn = (text: string): number =>
  (JSON.parse(text) as { ocs: { meta: { statuscode: number } } }).ocs.meta.statuscode;

/** The inner status of PROPPATCH for its one property, or of PROPFIND; 207 stands for success. */
function statusInside(text: string): string {
  const [, status = '207'] = /HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return status === '200' ? '207' : status;
}

/** The expected status for the table's `cell`. */
export function expectedAt(cell: string, path: string): string {
  if (!path.startsWith('/ocs/')) return cell;
  const { http, shown } = statusOf(Number(cell), path.startsWith('/ocs/v1') ? 1 : 2);
  return `${http} ${shown}`;
}

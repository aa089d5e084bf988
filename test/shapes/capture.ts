import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CAPTURES = join(__dirname, '../fixtures/captures/owncloud');
const PRETTY = '\n--- pretty ---\n';

/** An exchange with a deployed server, as it was recorded. */
export interface Capture {
  readonly method: string;
  /** Path and query, without the recorded server's address. */
  readonly target: string;
  /** User of the request; null without credentials. */
  readonly user: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly reply: WireReply;
}

/** Reply of a server. Header names are in lower case. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Names of all recorded exchanges of a group, such as `delete/owner.v1.json` in `shares`. */
export function captureNames(group: string): string[] {
  return readdirSync(join(CAPTURES, group), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(CAPTURES, group).length + 1))
    .sort();
}

/** The groups that were copied. */
export function captureGroups(): string[] {
  return readdirSync(CAPTURES).sort();
}

/**
 * Reads one recorded exchange. A file has lines `# METHOD URL`, `# auth:`, `# header:`, `# form:` or `# body:`, an
 * empty line, the reply as it came over the wire, and for people its body once more behind `--- pretty ---`.
 */
export function readCapture(group: string, name: string): Capture {
  const text = readFileSync(join(CAPTURES, group, name), 'utf8');
  const [requestText = '', ...rest] = text.split('\n\n');
  const request = requestText.split('\n').map((line) => line.replace(/^# /, ''));
  const [method = '', address = ''] = request[0]?.split(' ') ?? [];
  const field = (label: string): string | undefined =>
    request
      .find((line) => line.startsWith(`${label}:`))
      ?.slice(label.length + 1)
      .trim();
  const auth = field('auth') ?? 'none';
  return {
    method,
    target: address.replace(/^https?:\/\/[^/]+/, ''),
    user: auth === 'none' ? null : auth.replace(/^Basic /, ''),
    headers: Object.fromEntries(
      request
        .filter((line) => line.startsWith('header: '))
        .map((line) => splitHeader(line.slice('header: '.length))),
    ),
    body: field('body') ?? encodedForm(field('form')),
    reply: parseReply(rest.join('\n\n')),
  };
}

/** Whether the body of this request is an HTML form. */
export function hasForm(capture: Capture): boolean {
  return capture.body !== null && capture.headers['content-type'] === undefined;
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Forms were written down decoded. */
function encodedForm(form: string | undefined): string | null {
  if (form === undefined) return null;
  const pairs = form.split('&').filter((pair) => pair !== '');
  return pairs
    .map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return `${encodeURIComponent(key)}=${encodeURIComponent(value.join('='))}`;
    })
    .join('&');
}

function parseReply(text: string): WireReply {
  const end = text.indexOf('\n\n');
  const [statusLine = '', ...headerLines] = text.slice(0, end === -1 ? undefined : end).split('\n');
  const shown = end === -1 ? '' : text.slice(end + 2);
  const pretty = shown.indexOf(PRETTY);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headerLines.filter((line) => line.includes(':')).map(splitHeader)),
    body: (pretty === -1 ? shown : shown.slice(0, pretty)).replace(/\n+$/, ''),
  };
}

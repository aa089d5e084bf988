import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../secrets/secret-box';

/** The client of a request, as this process sees it. */
export interface SeenClient {
  /** The address that limits use. */
  readonly address: string;
  /** Received X-Forwarded-For, the first hop first. */
  readonly hops: readonly string[];
  /**
   * X-Forwarded-For as the proxy of the deployment received it, before it removed untrusted parts; empty if that proxy does not report it.
   */
  readonly claimed: readonly string[];
}

const QUESTION = 'x-drawbridge-seen-client';
const ANSWER_ADDRESS = 'x-drawbridge-client-address';
const ANSWER_HOPS = 'x-drawbridge-client-hops';
const ANSWER_CLAIMED = 'x-drawbridge-claimed-hops';
/** deploy/proxy writes this header. */
const CLAIMED = 'x-claimed-forwarded-for';
const PURPOSE = 'seen client';
const VALID_MS = 60_000;
const MAX_QUESTION_CHARACTERS = 256;
const MAX_ANSWER_CHARACTERS = 1024;

/** Headers that ask a process which client it sees. Only callers with the encryption key get an answer. */
export function askForSeenClient(secrets: SecretBox, now = Date.now()): Record<string, string> {
  return { [QUESTION]: secrets.seal(String(now), PURPOSE).toString('base64url') };
}

/** Headers with the answer; none without a valid question from the last minute. */
export function answerSeenClient(
  { headers, ip }: { readonly headers: IncomingHttpHeaders; readonly ip: string },
  secrets: SecretBox,
  now = Date.now(),
): Record<string, string> {
  const question = headers[QUESTION];
  if (typeof question !== 'string' || question.length > MAX_QUESTION_CHARACTERS) return {};
  if (!isRecent(question, secrets, now)) return {};
  const shown = (name: string) => String(headers[name] ?? '').slice(0, MAX_ANSWER_CHARACTERS);
  return {
    [ANSWER_ADDRESS]: ip,
    [ANSWER_HOPS]: shown('x-forwarded-for'),
    [ANSWER_CLAIMED]: shown(CLAIMED),
  };
}

/** The client in an answer; undefined if there is none: the answer comes from another version or another key. */
export function readSeenClient(
  headers: Readonly<Record<string, string | undefined>>,
): SeenClient | undefined {
  const address = headers[ANSWER_ADDRESS];
  if (address === undefined) return undefined;
  return { address, hops: listOf(headers[ANSWER_HOPS]), claimed: listOf(headers[ANSWER_CLAIMED]) };
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');

function isRecent(question: string, secrets: SecretBox, now: number): boolean {
  try {
    const askedAt = Number(secrets.open(Buffer.from(question, 'base64url'), PURPOSE));
    return Math.abs(now - askedAt) <= VALID_MS;
  } catch {
    // The text is not sealed, or sealed with another key.
    return false;
  }
}

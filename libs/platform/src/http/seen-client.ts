import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../secrets/secret-box';

/** The client of a request, as a process sees it. */
export interface SeenClient {
  /** The address that it counts. */
  readonly address: string;
  /** X-Forwarded-For as it came, the first hop first. */
  readonly hops: readonly string[];
}

const QUESTION = 'x-drawbridge-seen-client';
const ANSWER_ADDRESS = 'x-drawbridge-client-address';
const ANSWER_HOPS = 'x-drawbridge-client-hops';
const PURPOSE = 'seen client';
const VALID_MS = 60_000;
const MAX_QUESTION_CHARACTERS = 256;
const MAX_ANSWER_CHARACTERS = 1024;

/** Headers that ask a process what it takes for the client. Only somebody with the encryption key is answered. */
export function askForSeenClient(secrets: SecretBox, now = Date.now()): Record<string, string> {
  return { [QUESTION]: secrets.seal(String(now), PURPOSE).toString('base64url') };
}

/** Headers that answer that question; none where it was not asked, or more than a minute ago, or by somebody else. */
export function answerSeenClient(
  { headers, ip }: { readonly headers: IncomingHttpHeaders; readonly ip: string },
  secrets: SecretBox,
  now = Date.now(),
): Record<string, string> {
  const question = headers[QUESTION];
  if (typeof question !== 'string' || question.length > MAX_QUESTION_CHARACTERS) return {};
  if (!isRecent(question, secrets, now)) return {};
  const hops = String(headers['x-forwarded-for'] ?? '').slice(0, MAX_ANSWER_CHARACTERS);
  return { [ANSWER_ADDRESS]: ip, [ANSWER_HOPS]: hops };
}

/** The client that an answer names; undefined where it names none: it comes from another version or another key. */
export function readSeenClient(
  headers: Readonly<Record<string, string | undefined>>,
): SeenClient | undefined {
  const address = headers[ANSWER_ADDRESS];
  if (address === undefined) return undefined;
  const hops = (headers[ANSWER_HOPS] ?? '').split(',').map((hop) => hop.trim());
  return { address, hops: hops.filter((hop) => hop !== '') };
}

function isRecent(question: string, secrets: SecretBox, now: number): boolean {
  try {
    const askedAt = Number(secrets.open(Buffer.from(question, 'base64url'), PURPOSE));
    return Math.abs(now - askedAt) <= VALID_MS;
  } catch {
    // Sealed by nobody, or with another key.
    return false;
  }
}

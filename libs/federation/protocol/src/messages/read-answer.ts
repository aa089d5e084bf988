import { SecretText } from '../secret-text';
import { parseBoundedJson } from '../wire/bounded-json';
import { LIMITS, WireFields } from '../wire/wire-fields';
import { FederationRefused } from '../wire/federation-refusal';

/** A partner's raw answer. */
export interface RawAnswer {
  readonly status: number;
  /** Value of `Retry-After`; null for none. */
  readonly retryAfter: string | null;
  readonly body: string;
}

/** An answer, independent of the dialect. */
export interface ReadAnswer {
  /** HTTP status, or the code of the OCS envelope if that says more. */
  readonly status: number;
  /** `json` could come from a sharing server, in contrast to a page or an empty body. */
  readonly body: 'json' | 'empty' | 'other';
  /** Whether it has an OCS envelope, as every answer of the legacy dialect has. */
  readonly hasEnvelope: boolean;
  /** The partner's text; `''` for none. */
  readonly words: string;
  readonly data: WireFields;
}

/** The status of an answer, and its body if that is JSON. */
export interface ReadBody {
  readonly status: number;
  readonly kind: ReadAnswer['body'];
  readonly fields: WireFields;
}

export function readAnswerBody({ status, body }: RawAnswer): ReadBody {
  const value = parseBoundedJson(body, Infinity);
  const isJson = typeof value === 'object' && value !== null;
  const kind = isJson ? 'json' : body.trim() === '' ? 'empty' : 'other';
  return { status, kind, fields: new WireFields(value) };
}

/** Reads an answer whose status says everything. */
export function readPlainAnswer({ status, kind, fields }: ReadBody): ReadAnswer {
  const words = fields.shown('message', LIMITS.text);
  return { status, body: kind, hasEnvelope: false, words, data: fields };
}

/** Reads an answer in an OCS envelope, if it has one. */
export function readEnvelope(read: ReadBody): ReadAnswer {
  if (!read.fields.has('ocs')) return readPlainAnswer(read);
  const envelope = read.fields.object('ocs');
  const meta = envelope.object('meta');
  return {
    status: statusOf(meta, read.status),
    body: read.kind,
    hasEnvelope: true,
    words: meta.shown('message', LIMITS.text),
    data: envelope.object('data'),
  };
}

/** v1.php answers everything with HTTP 200; some servers write the code as text. 100 and 200 are success. */
function statusOf(meta: WireFields, httpStatus: number): number {
  const code = readCode(meta);
  if (code === undefined) return httpStatus;
  if (code === 100 || code === 200) return httpStatus < 300 ? 200 : httpStatus;
  const known: Readonly<Record<number, number>> = { 996: 500, 997: 401, 998: 404, 999: 404 };
  return known[code] ?? (code >= 300 && code < 600 ? code : httpStatus < 300 ? 500 : httpStatus);
}

function readCode(meta: WireFields): number | undefined {
  try {
    return meta.count('statuscode');
  } catch (error) {
    if (error instanceof FederationRefused) return undefined;
    throw error;
  }
}

/** Share that the owner makes for a partner that asked for a reshare. */
export interface GrantedReshare {
  readonly sharedSecret: SecretText;
  readonly providerId: string;
}

/** Reads the names that ownCloud, Nextcloud and the legacy dialect use; undefined if a part is missing. */
export function readGrantedReshare(data: WireFields): GrantedReshare | undefined {
  try {
    const sharedSecret = data.secret('sharedSecret') ?? data.secret('token');
    const providerId = data.text('providerId', LIMITS.id) ?? data.text('remoteId', LIMITS.id);
    return sharedSecret && providerId ? { sharedSecret, providerId } : undefined;
  } catch (error) {
    if (error instanceof FederationRefused) return undefined;
    throw error;
  }
}

const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * `Retry-After` in milliseconds from now, at most a day; null if it is absent or invalid.
 * @param now in UNIX milliseconds
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const isDate = /^[A-Z][a-z]{2}, /.test(value);
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : isDate ? Date.parse(value) - now : NaN;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : null;
}

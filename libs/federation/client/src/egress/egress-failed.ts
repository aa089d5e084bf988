import type { TransportFailure } from '#federation/protocol';

/** A request to a partner without a usable answer. It names the host only, and nothing of the request. */
export class EgressFailed extends Error {
  constructor(
    readonly failure: TransportFailure,
    readonly host: string,
    /** Whether the partner may have received the request. */
    readonly mayHaveArrived: boolean,
    /** Code of the system or of the HTTP client, for the log. */
    readonly code?: string,
  ) {
    super(`${host}: ${failure}${code === undefined ? '' : ` (${code})`}`);
  }

  /** Whether another attempt may succeed. Connections that our own rules forbid stay forbidden. */
  get isRetryable(): boolean {
    return this.failure !== 'blocked' && this.failure !== 'blocked-http';
  }
}

const CODES: Readonly<Record<string, TransportFailure>> = {
  ENOTFOUND: 'unknown-host',
  ENODATA: 'unknown-host',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'not-listening',
  EHOSTUNREACH: 'network',
  ENETUNREACH: 'network',
  EADDRNOTAVAIL: 'network',
  EHOSTDOWN: 'network',
  ENETDOWN: 'network',
  EACCES: 'network',
  EPERM: 'network',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'reset',
  EPROTO: 'tls',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad-answer',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_MAX_ORIGINS_REACHED: 'busy',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
};

/** Prefixes of code families: resolver, TLS, certificates, HTTP parser. */
const FAMILIES: readonly (readonly [RegExp, TransportFailure])[] = [
  [/^EAI_/, 'dns'],
  [/^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_)/, 'certificate'],
  [/^(ERR_TLS_|ERR_SSL_)/, 'tls'],
  [/^HPE_/, 'bad-answer'],
];

/** The failure for an error of the system or of the HTTP client; undefined for a bug. */
export function failureOf(error: unknown): { failure: TransportFailure; code: string } | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return undefined;
  const failure = CODES[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
  return failure === undefined ? undefined : { failure, code };
}

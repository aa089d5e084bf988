/** SQLSTATEs, or their classes, of a server that shuts down, starts, recovers, or has no free connection. */
const STATES = /^(?:08...|57P0[123]|53300)$/;
/** Error codes of sockets and resolvers; ENOENT where the server's own socket is a file. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** System calls of the driver. Sockets and resolvers also serve other parts than the database. */
const SYSTEM_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);
/** Messages about connections that have no code: of the driver, and of a server whose database accepts no connections. */
const WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)|is not currently accepting connections$/;

type Failure = Partial<NodeJS.ErrnoException & Pick<AggregateError, 'errors'>>;

/**
 * Whether `error` says that Postgres could not be reached, or disappeared during a statement: the same request
 * may succeed a moment later. The result of an interrupted transaction is unknown.
 */
export function isConnectionFailure(error: unknown): boolean {
  const { code, syscall, message, errors } = (error ?? {}) as Failure;
  // The name has several addresses, and none answered.
  if (Array.isArray(errors)) return errors.some(isConnectionFailure);
  if (message !== undefined && WORDS.test(message)) return true;
  if (code === undefined) return false;
  return STATES.test(code) || (CODES.has(code) && SYSTEM_CALLS.has(syscall ?? ''));
}

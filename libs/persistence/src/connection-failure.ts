/** SQLSTATEs, or their classes, of a server that shuts down, starts, recovers, or has no connection left. */
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
/** Sockets and resolvers also serve others than the database: these calls are the driver's way to it. */
const SYSTEM_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);
/** Messages of the driver about connections, which have no code; and of a server whose database is closed to all. */
const WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)|is not currently accepting connections$/;

type Failure = Partial<NodeJS.ErrnoException & Pick<AggregateError, 'errors'>>;

/**
 * Whether `error` says that Postgres could not be reached, or went away in the middle of a statement: the same request
 * may succeed a moment later. The result of a cut transaction is not known.
 */
export function isConnectionFailure(error: unknown): boolean {
  const { code, syscall, message, errors } = (error ?? {}) as Failure;
  // A name with several addresses, none of which answered.
  if (Array.isArray(errors)) return errors.some(isConnectionFailure);
  if (message !== undefined && WORDS.test(message)) return true;
  if (code === undefined) return false;
  return STATES.test(code) || (CODES.has(code) && SYSTEM_CALLS.has(syscall ?? ''));
}

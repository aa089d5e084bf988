import { pino, type DestinationStream, type Logger } from 'pino';
import { currentOrigin } from './tracing/origin';

export type { Logger };

/** Fields that never appear in a log line, at any depth. */
const SECRET_FIELDS = [
  'password',
  'authorization',
  'token',
  'secret',
  'sharedSecret',
  'cookie',
  'encryptionKey',
];

/** Bytes of lines that wait while standard error cannot be written, for example on a full disk. Further lines are lost. */
const WAITING_LIMIT = 1024 * 1024;

/** A process goes on without a log. Where the reader of standard error has ended, pino stops writing by itself. */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: WAITING_LIMIT });
  destination.on('error', () => undefined);
  return destination;
}

/**
 * The process's root logger: JSON lines on standard error, because standard output is for people.
 * Every subsystem uses a child with its own `subsystem` field. A line about a request, or about a message
 * that a request caused, contains its `requestId`, and its `traceId` if it is traced.
 * @param destination of the lines; default: standard error
 */
export function createLogger(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      mixin: originFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
          // Errors of Redis carry the refused command: for a sign-in, its password.
          '*.command.args',
        ],
        censor: '[redacted]',
      },
    },
    destination,
  );
}

function originFields(): Record<string, string> {
  const { requestId, span } = currentOrigin() ?? {};
  return { ...(requestId && { requestId }), ...(span && { traceId: span.context.traceId }) };
}

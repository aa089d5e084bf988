import { pino, type DestinationStream, type Logger } from 'pino';
import { currentOrigin } from './tracing/origin';

export type { Logger };

/** Fields that never reach a log line, wherever they stand. */
const SECRET_FIELDS = [
  'password',
  'authorization',
  'token',
  'secret',
  'sharedSecret',
  'cookie',
  'encryptionKey',
];

/**
 * The process's root logger: JSON lines on standard error, so that standard output stays free for people.
 * Every subsystem takes a child with its own `subsystem` field. A line that is written for a request, or for a message
 * that one led to, names it by `requestId`, and by `traceId` where it is traced.
 * @param destination where lines go instead
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      mixin: originFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
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

import { pino, type DestinationStream, type Logger } from 'pino';

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
 * Every subsystem takes a child with its own `subsystem` field.
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
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[redacted]',
      },
    },
    destination,
  );
}

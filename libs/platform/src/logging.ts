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

/**
 * A process goes on without its log: a line that cannot be written is lost, for example on a full disk, and the next one is written to a
 * new stream. pino itself stops writing where the reader of standard error has ended.
 */
function standardError(): DestinationStream {
  const open = (): DestinationStream =>
    pino.destination({ dest: 2, sync: true }).on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'EPIPE') stream = open();
    });
  let stream = open();
  return { write: (line) => stream.write(line) };
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
      serializers: { err: errorFields },
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

/** The driver of Postgres adds the whole connection to errors of idle ones: thousands of characters that say nothing about the error. */
function errorFields(error: Error): object {
  const { client: _connection, ...fields } = pino.stdSerializers.err(error);
  return fields;
}

function originFields(): Record<string, string> {
  const { requestId, span } = currentOrigin() ?? {};
  return { ...(requestId && { requestId }), ...(span && { traceId: span.context.traceId }) };
}

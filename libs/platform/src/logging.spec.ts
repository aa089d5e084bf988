import fs from 'node:fs';
import { createLogger } from './logging';
import { withOrigin } from './tracing/origin';
import type { Span } from './tracing/span';

function logged(
  write: (logger: ReturnType<typeof createLogger>) => void,
  level = 'info',
): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLogger(level, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a log line', () => {
  it('is JSON with a time, the process and the fields of its subsystem', () => {
    const [line] = logged((logger) =>
      logger.child({ subsystem: 'spec' }).info({ requestId: 'r1' }, 'happened'),
    );
    expect(line).toMatchObject({
      level: 30,
      pid: process.pid,
      subsystem: 'spec',
      requestId: 'r1',
      msg: 'happened',
    });
    expect(Date.parse(String(line!.time))).not.toBeNaN();
  });

  it('names its request and its trace', () => {
    const span = { context: { traceId: 'a'.repeat(32) } } as Span;
    const [inRequest, traced, outside] = logged((logger) => {
      withOrigin({ requestId: 'r1', span: null }, () => logger.info('in a request'));
      withOrigin({ requestId: null, span }, () => logger.info('in a trace'));
      logger.info('outside');
    });
    expect(inRequest).toMatchObject({ requestId: 'r1' });
    expect(traced).toMatchObject({ traceId: 'a'.repeat(32) });
    for (const absent of [inRequest!.traceId, traced!.requestId, outside!.requestId, outside!.traceId])
      expect(absent).toBeUndefined();
  });

  it('below the level is not written', () => {
    expect(logged((logger) => logger.info('nothing'), 'error')).toEqual([]);
  });

  it.each(['password', 'authorization', 'token', 'secret', 'sharedSecret', 'cookie', 'encryptionKey'])(
    'never has the value of %s, at any depth',
    (field) => {
      const secret = { [field]: 'hush-hush' };
      const lines = logged((logger) => {
        logger.info(secret, 'at the top');
        logger.info({ request: secret }, 'below');
        logger.info({ request: { headers: secret } }, 'two below');
        logger.child(secret).info('of a child');
      });
      expect(lines).toHaveLength(4);
      expect(JSON.stringify(lines)).not.toContain('hush-hush');
      expect(lines[0]).toMatchObject({ [field]: '[redacted]' });
    },
  );

  it('has an error of the database without its whole connection', () => {
    const error = Object.assign(new Error('terminating connection'), {
      code: '57P01',
      client: { connectionParameters: { host: 'db' } },
    });
    const [line] = logged((logger) => logger.child({ subsystem: 'queue' }).warn({ err: error }, 'an outage'));
    expect(line!.err).toMatchObject({ type: 'Error', message: 'terminating connection', code: '57P01' });
    expect(line!.err).not.toHaveProperty('client');
  });

  it('never has the arguments of a command that Redis refused', () => {
    const refused = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['hush-hush'] } });
    const lines = logged((logger) => logger.warn({ err: refused }, 'the queue cannot be reached'));
    expect(JSON.stringify(lines)).not.toContain('hush-hush');
    expect(lines[0]).toMatchObject({ err: { message: 'WRONGPASS', command: { name: 'auth' } } });
  });
});

describe('standard error on a full disk', () => {
  let isFull: boolean;
  let written: string;
  beforeEach(() => {
    written = '';
    jest.spyOn(fs, 'writeSync').mockImplementation((_to: number, text: unknown) => {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      written += String(text);
      return Buffer.byteLength(String(text));
    });
  });
  afterEach(() => jest.restoreAllMocks());

  it.each(['info', 'fatal'] as const)('loses lines of level %s, and gets the later ones', (level) => {
    const logger = createLogger('info');
    isFull = true;
    for (let line = 0; line < 10; line++) logger[level]('lost');
    isFull = false;
    for (const line of ['first', 'second']) logger[level](line);
    const messages = written
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual(['first', 'second']);
  });
});

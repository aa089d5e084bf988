import { createLogger } from './logging';

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

  it('below the level is not written', () => {
    expect(logged((logger) => logger.info('nothing'), 'error')).toEqual([]);
  });

  it.each(['password', 'authorization', 'token', 'secret', 'sharedSecret', 'cookie', 'encryptionKey'])(
    'never holds the value of %s, however deep it stands',
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
});

import 'reflect-metadata';
import { Controller, Get, Injectable, Module, type OnApplicationShutdown, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { eventually } from '../../../testing/src/waiting';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { serve, type RunningApp } from './serve';

/** Answers when it is let. */
let answer = (): void => undefined;
let begun = 0;

@Controller('slow')
class SlowController {
  @Get()
  async slow(@Res() reply: FastifyReply): Promise<void> {
    begun++;
    await new Promise<void>((resolve) => (answer = resolve));
    void reply.send('at last');
  }
}

let closed = 0;
let closing = (): Promise<void> => Promise.resolve();

@Injectable()
class Connections implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    closed++;
    await closing();
  }
}

@Module({ controllers: [SlowController], providers: [Connections] })
class SlowModule {}

const start = (env: Record<string, string>): Promise<RunningApp> =>
  serve({
    name: 'spec',
    module: SlowModule,
    config: readConfig({ PORT: '0', ...env }),
    logger: createLogger('silent'),
  });

const refuses = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

beforeEach(() => {
  [begun, closed] = [0, 0];
  closing = () => Promise.resolve();
});

describe('an app that is told to stop', () => {
  it('says that it is not ready, and serves until proxies have noticed', async () => {
    const app = await start({ SHUTDOWN_DELAY: '60s' });
    const before = await fetch(`${app.url}/health/live`);
    expect(before.headers.get('connection')).not.toBe('close');
    const stopped = app.close();
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(503);
    const during = await fetch(`${app.url}/health/live`);
    expect([during.status, during.headers.get('connection')]).toEqual([200, 'close']);
    expect(closed).toBe(0);
    app.hurry();
    await stopped;
    expect(closed).toBe(1);
    expect(await refuses(`${app.url}/health/live`)).toBe(true);
  });

  it('lets a request under way finish before anything is closed', async () => {
    const app = await start({});
    const reply = fetch(`${app.url}/slow`);
    await eventually('the request', () => begun === 1);
    const stopped = app.close();
    await eventually('the end of listening', () => refuses(`${app.url}/health/live`));
    expect(closed).toBe(0);
    answer();
    const { status, headers } = await reply;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    expect(closed).toBe(1);
  });

  it('cuts a request that does not finish, and closes everything', async () => {
    const app = await start({ SHUTDOWN_GRACE: '50ms' });
    const cut = refuses(`${app.url}/slow`);
    await eventually('the request', () => begun === 1);
    await app.close();
    expect(await cut).toBe(true);
    expect(closed).toBe(1);
  });

  it('leaves behind what does not let itself be closed', async () => {
    const app = await start({ SHUTDOWN_GRACE: '0s' });
    closing = () => new Promise(() => undefined);
    await app.close();
    expect(closed).toBe(1);
  });
});

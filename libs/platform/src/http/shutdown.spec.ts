import 'reflect-metadata';
import { once } from 'node:events';
import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import {
  Controller,
  Get,
  Injectable,
  Module,
  type OnApplicationShutdown,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventually } from '../../../testing/src/waiting';
import { readConfig } from '../config/read-config';
import { createLogger } from '../logging';
import { readBody } from './request-bodies';
import { serve, type RunningApp } from './serve';

/** Answers, or fails, on command. */
let answer = (): void => undefined;
let fail = (_failure: Error): void => undefined;
let begun = 0;

@Controller('slow')
class SlowController {
  @Get()
  async slow(@Res() reply: FastifyReply): Promise<void> {
    begun++;
    await new Promise<void>((resolve, reject) => ([answer, fail] = [resolve, reject]));
    void reply.send('at last');
  }

  @Post()
  async take(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readBody(request);
    void reply.send('taken');
  }

  @Get('download')
  download(@Res() reply: FastifyReply): void {
    const content = new PassThrough();
    content.write('the beginning');
    void reply.send(content);
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

let lines: { level: number; msg: string }[] = [];

const start = (env: Record<string, string>): Promise<RunningApp> =>
  serve({
    name: 'spec',
    module: SlowModule,
    config: readConfig({ PORT: '0', ...env }),
    logger: createLogger('debug', {
      write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]),
    }),
  });

const refuses = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

const warnings = () => lines.filter(({ level }) => level >= 40);

beforeEach(() => {
  [begun, closed, lines] = [0, 0, []];
  closing = () => Promise.resolve();
});

describe('an app that is stopped', () => {
  it('reports that it is not ready, and serves until proxies have noticed', async () => {
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

  it('lets a running request finish before anything is closed', async () => {
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

  it('lets a request without a client finish', async () => {
    const app = await start({});
    const leaving = new AbortController();
    const left = fetch(`${app.url}/slow`, { signal: leaving.signal });
    await eventually('the request', () => begun === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    const stopped = app.close();
    await eventually('the end of listening', () => refuses(`${app.url}/health/live`));
    // Enough turns to close everything.
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
    expect(closed).toBe(0);
    answer();
    await stopped;
    expect(closed).toBe(1);
    expect(warnings()).toEqual([]);
  });

  it('cuts a request that does not finish, logs it, and closes everything', async () => {
    const app = await start({ SHUTDOWN_GRACE: '50ms' });
    const cut = refuses(`${app.url}/slow?token=secret`);
    await eventually('the request', () => begun === 1);
    await app.close();
    expect(await cut).toBe(true);
    expect(closed).toBe(1);
    fail(new Error('everything is closed'));
    await eventually('its end', () => lines.find(({ msg }) => msg === 'a request that was cut failed'));
    expect(warnings()).toMatchObject([
      { level: 40, count: 1, requests: [{ method: 'GET', route: '/slow', requestId: expect.any(String) }] },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('cuts an unfinished answer after the end of its handler', async () => {
    const app = await start({ SHUTDOWN_GRACE: '50ms' });
    const { body } = await fetch(`${app.url}/slow/download`);
    await app.close();
    await expect(new Response(body).text()).rejects.toThrow();
    expect(warnings()).toMatchObject([{ count: 1, requests: [{ route: '/slow/download' }] }]);
  });

  it('cuts an incomplete request', async () => {
    const app = await start({ SHUTDOWN_GRACE: '50ms' });
    const headers = { 'content-length': 10, expect: '100-continue' };
    const sending = request(`${app.url}/slow`, { method: 'POST', headers });
    sending.flushHeaders();
    await once(sending, 'continue');
    const cut = once(sending, 'error');
    await app.close();
    await cut;
    expect(warnings()).toMatchObject([{ count: 1, requests: [{ method: 'POST', route: '/slow' }] }]);
  });

  it('cuts requests at once after a second stop, which is logged once', async () => {
    const app = await start({});
    const cut = refuses(`${app.url}/slow`);
    await eventually('the request', () => begun === 1);
    const stopped = app.close();
    app.hurry();
    app.hurry();
    expect(await cut).toBe(true);
    await stopped;
    expect(warnings()).toMatchObject([{ msg: 'requests under way are cut: somebody insists', count: 1 }]);
  });

  it('ignores parts that cannot be closed', async () => {
    const app = await start({ SHUTDOWN_GRACE: '0s' });
    closing = () => new Promise(() => undefined);
    await app.close();
    expect(closed).toBe(1);
  });
});

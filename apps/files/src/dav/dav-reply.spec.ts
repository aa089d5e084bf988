import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyReply } from 'fastify';
import type { MultistatusEntry } from '#storage';
import { multistatus } from './dav-reply';

describe('a listing', () => {
  let made: number;
  beforeEach(() => (made = 0));

  function* entries(count: number): Generator<MultistatusEntry> {
    for (; made < count; made++)
      yield { href: `/folder/${made}`, propstats: [{ status: 200, properties: '<d:getetag>ä</d:getetag>' }] };
  }

  /** The body that is sent. */
  function sent(count: number): unknown {
    let body: unknown;
    const reply = { code: () => reply, header: () => reply, send: (payload: unknown) => (body = payload) };
    multistatus(entries(count)).write(reply as unknown as FastifyReply);
    return body;
  }

  it.each([0, 1, 1000, 5000, 50_000])('has each of its %d entries', async (count) => {
    const body = sent(count);
    const xml = body instanceof Readable ? await text(body) : String(body);
    expect(xml.match(/<d:href>/g) ?? []).toHaveLength(count);
    expect(xml.endsWith('</d:multistatus>\n')).toBe(true);
    if (count > 0) expect(xml).toContain(`<d:href>/folder/${count - 1}</d:href>`);
  });

  it('is written before it is sent, up to a megabyte', () => {
    expect(sent(5000)).toBeInstanceOf(Buffer);
    expect(made).toBe(5000);
  });

  it('is written while it is sent, beyond a megabyte', () => {
    expect(sent(50_000)).toBeInstanceOf(Readable);
    expect(made).toBeLessThan(20_000);
  });
});

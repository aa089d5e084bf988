import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RemoteFailure } from '#federation/remote-files';
import { parsePath, ROOT } from '#storage';
import { eventually, type DavFault } from '#testing';
import { PartnerFilesStage, type StagedShare } from '../../../../testing/src/rigs/partner-files-stage';
import type { PartnerFiles } from './partner-files';

const path = parsePath;
const FILE = path('/file');
const MB = 1024 * 1024;
/** Kernels keep some megabytes of a connection on both sides. */
const OUTSTANDING = 24 * MB;
/** More than all buffers on the way can hold. */
const LARGE = 64 * MB;

let stage: PartnerFilesStage;
/** Client with long limits, and two with short ones. */
let files: PartnerFiles;
/** Has a short limit for the start of an answer. */
let hastyAtFirst: PartnerFiles;
/** Has a short limit between two pieces of an answer. */
let hastyThen: PartnerFiles;
let staged: StagedShare;
beforeAll(async () => void (stage = await PartnerFilesStage.start()));
beforeEach(async () => {
  files = stage.files();
  const [windowMs, idleMs, answerMs] = [1_000, 1_000, 1_000];
  const pace = { windowMs, bytesPerSecond: 1024, idleMs, answerMs, resumePausesMs: [] };
  hastyAtFirst = stage.files({ headersMs: 1_000 }, pace);
  hastyThen = stage.files({ idleMs: 1_000 }, pace);
  staged = await stage.share();
  staged.offered.tree.file(FILE, 'x'.repeat(1000));
  // Discovery has to succeed before the partner misbehaves.
  await files.probe(staged.share, ROOT, 0);
});
afterEach(() => stage.clear());
afterAll(() => stage.end());

const failsWith = (code: string, more: object = {}): object =>
  expect.objectContaining({ constructor: RemoteFailure, code, ...more }) as object;
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('a check of a partner', () => {
  it('does not send the secret of the share, and any answer counts as a success', async () => {
    await files.greet(staged.share, 60_000);
    const asked = staged.partner.requests.at(-1)!;
    expect(asked.method).toBe('OPTIONS');
    expect(asked.headers).not.toHaveProperty('authorization');
    staged.partner.misbehave(404, 'OPTIONS');
    await files.greet(staged.share, 60_000);
  });

  it.each<[DavFault, string]>([
    ['hang', 'silent'],
    [503, 'gap'],
  ])('ends in time with a no: %s', async (fault, contact) => {
    staged.partner.misbehave(fault, 'OPTIONS');
    expect(await failureOf(files.greet(staged.share, 300))).toEqual(failsWith('unreachable', { contact }));
  });
});

describe('a listing at a partner', () => {
  it.each<[DavFault, string]>([
    ['hang', 'unreachable'],
    ['drip', 'unreachable'],
    ['silence halfway', 'unreachable'],
  ])('ends in time when it does this: %s', async (fault, code) => {
    staged.partner.misbehave(fault, 'PROPFIND');
    expect(await failureOf(files.probe(staged.share, ROOT, 1, 300))).toEqual(
      failsWith(code, { detail: 'timeout' }),
    );
  });

  it.each<[DavFault, string, object]>([
    ['cut halfway', 'unreachable', {}],
    [401, 'denied', {}],
    [403, 'denied', {}],
    [404, 'missing', {}],
    [418, 'not-understood', {}],
    [429, 'unreachable', { retryAfterSeconds: 30 }],
    [500, 'unreachable', { detail: 'HTTP 500', retryAfterSeconds: undefined }],
    [503, 'unreachable', { retryAfterSeconds: 30 }],
    [200, 'not-understood', {}],
    ['HTML with 200', 'not-understood', {}],
    ['HTML with 207', 'not-understood', {}],
    ['redirect', 'not-understood', {}],
    ['gzip bomb', 'not-understood', {}],
    ['broken XML', 'not-understood', {}],
    ['entities', 'not-understood', {}],
    ['endless listing', 'not-understood', {}],
  ])('fails when it does this: %s', async (fault, code, more) => {
    staged.partner.misbehave(fault, 'PROPFIND');
    expect(await failureOf(files.probe(staged.share, ROOT, 1))).toEqual(failsWith(code, more));
    expect(staged.partner.requests.at(-1)!.path).toBe('/public.php/webdav/');
  });

  it('treats 403 as a denied share only at its root', async () => {
    staged.partner.misbehave(403);
    expect(await failureOf(files.probe(staged.share, FILE, 0))).toEqual(failsWith('forbidden'));
  });

  it('leaves out names that a folder cannot have', async () => {
    staged.partner.misbehave('strange entries');
    const entries = await files.probe(staged.share, ROOT, 1);
    expect(entries.map((entry) => entry.path)).toEqual(['', '/file', '/twice']);
  });

  it('fails if the partner cannot be reached', async () => {
    await staged.partner.close();
    expect(await failureOf(files.probe(staged.share, ROOT, 1))).toEqual(failsWith('unreachable'));
  });
});

describe('a read from a partner', () => {
  it.each<[DavFault, string]>([
    [401, 'denied'],
    [404, 'missing'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [204, 'not-understood'],
    ['HTML with 200', 'not-understood'],
    ['redirect', 'not-understood'],
    ['gzip bomb', 'not-understood'],
    ['another range', 'not-understood'],
  ])('fails when it does this: %s', async (fault, code) => {
    staged.partner.misbehave(fault, 'GET');
    expect(await failureOf(files.read(staged.share, FILE))).toEqual(failsWith(code));
    expect(await failureOf(files.read(staged.share, FILE, { start: 500, end: 509 }))).toEqual(
      failsWith(code),
    );
  });

  it('fails if it does not begin', async () => {
    staged.partner.misbehave('hang', 'GET');
    expect(await failureOf(hastyAtFirst.read(staged.share, FILE))).toEqual(failsWith('unreachable'));
  });

  it.each<[DavFault, string]>([
    ['drip', 'unreachable'],
    ['silence halfway', 'unreachable'],
    ['cut halfway', 'unreachable'],
    ['half a file', 'not-understood'],
  ])('fails in the middle when it does this: %s', async (fault, code) => {
    staged.partner.misbehave(fault, 'GET');
    const { body } = await hastyThen.read(staged.share, FILE);
    expect(await failureOf(text(body))).toEqual(failsWith(code));
  });

  describe('that breaks off', () => {
    const CONTENT = Array.from({ length: 1000 }, (_, at) => String.fromCharCode(65 + (at % 57))).join('');
    const minute = 60_000;
    let patient: PartnerFiles;
    beforeEach(() => {
      const limits = { windowMs: minute, bytesPerSecond: 1, idleMs: minute, answerMs: minute };
      patient = stage.files({}, { ...limits, resumePausesMs: [1, 1] });
      staged.offered.tree.file(FILE, CONTENT);
    });
    const resumed = (): unknown[] =>
      staged.partner.requests.map(({ headers }) => headers.range).filter((range) => range !== undefined);

    it.each<[DavFault, number]>([
      ['cut halfway', 1],
      ['cut halfway', 2],
    ])('goes on where it broke off: %s, %i times', async (fault, times) => {
      staged.partner.misbehave(fault, 'GET', times);
      const { body, size } = await patient.read(staged.share, FILE);
      expect([size, await text(body)]).toEqual([1000, CONTENT]);
      expect(resumed()[0]).toBe('bytes=500-999');
      const { etag } = staged.offered.tree.get('/file')!;
      expect(staged.partner.requests.at(-1)!.headers['if-match']).toBe(`"${etag}"`);
    });

    it('continues within the requested part', async () => {
      const { body } = await patient.read(staged.share, FILE, { start: 100, end: 899 });
      expect(await text(body)).toBe(CONTENT.slice(100, 900));
    });

    it('does not continue with another content', async () => {
      staged.partner.misbehave('cut halfway', 'GET', 1);
      const { body } = await patient.read(staged.share, FILE);
      staged.offered.tree.file(FILE, CONTENT.toLowerCase());
      expect(await failureOf(text(body))).toEqual(failsWith('precondition-failed'));
    });

    it('fails if it breaks off several times without progress', async () => {
      staged.partner.misbehave('cut halfway', 'GET');
      const { body } = await patient.read(staged.share, FILE);
      expect(await failureOf(text(body))).toEqual(failsWith('unreachable'));
      expect(resumed()).toHaveLength(2);
    });
  });

  it('ends the connection together with the reader', async () => {
    staged.offered.tree.file(FILE, { size: LARGE });
    const { body } = await files.read(staged.share, FILE);
    await once(body, 'readable');
    body.destroy();
    await eventually('the end of the connection', () => staged.partner.busy === 0);
  });

  it('buffers little of a large file for a slow reader', async () => {
    staged.offered.tree.file(FILE, { size: LARGE });
    const { body, size } = await hastyThen.read(staged.share, FILE);
    await once(body, 'readable');
    let before = -1;
    await eventually('that no more is sent', () => {
      const [last, now] = [before, (before = staged.partner.traffic.sent)];
      return last === now;
    });
    expect(staged.partner.traffic.sent).toBeLessThan(OUTSTANDING);
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) read += chunk.length;
    expect([read, size]).toEqual([LARGE, LARGE]);
  });
});

describe('a write to a partner', () => {
  const large = (): Readable => Readable.from(pieces(LARGE), { objectMode: false });
  let produced = 0;
  beforeEach(() => void (produced = 0));
  function* pieces(bytes: number): Generator<Buffer> {
    for (; produced < bytes; produced += 64 * 1024) yield Buffer.alloc(64 * 1024, 'y');
  }

  it.each<[DavFault, string, object]>([
    [401, 'unreachable', { detail: 'HTTP 401 in the middle' }],
    [403, 'forbidden', {}],
    [404, 'missing', {}],
    [400, 'forbidden', {}],
    [409, 'conflict', {}],
    [423, 'locked', {}],
    [429, 'unreachable', { retryAfterSeconds: 30 }],
    [500, 'unreachable', {}],
    [503, 'unreachable', { retryAfterSeconds: 30 }],
    [507, 'no-space', {}],
    ['HTML with 200', 'not-understood', {}],
    ['redirect', 'not-understood', {}],
    ['cut halfway', 'unreachable', {}],
    // A success before the content was sent is not accepted.
    [201, 'not-understood', {}],
  ])('fails when it does this: %s', async (fault, code, more) => {
    staged.partner.misbehave(fault, 'PUT');
    const source = large();
    const call = files.write(staged.share, FILE, source, { size: LARGE });
    expect(await failureOf(call)).toEqual(failsWith(code, more));
    expect(staged.offered.tree.textOf(FILE)).toBe('x'.repeat(1000));
    // The writer of the content can still report the failure to its own source.
    expect(source.destroyed).toBe(false);
  });

  it('fails if the share has ended', async () => {
    staged.partner.misbehave(401);
    expect(await failureOf(files.write(staged.share, FILE, large()))).toEqual(failsWith('denied'));
  });

  it('fails early if the partner reads nothing', async () => {
    staged.partner.misbehave('hang', 'PUT');
    expect(await failureOf(hastyThen.write(staged.share, FILE, large()))).toEqual(failsWith('unreachable'));
    expect(produced).toBeLessThan(OUTSTANDING);
  });

  it('fails if there is no answer to it', async () => {
    staged.partner.misbehave('hang after the request', 'PUT');
    const call = hastyAtFirst.write(staged.share, FILE, Readable.from([Buffer.from('all of it')]));
    expect(await failureOf(call)).toEqual(failsWith('unreachable', { detail: 'timeout' }));
  });

  it('sends a large file completely', async () => {
    expect(await files.write(staged.share, path('/large'), large())).toMatchObject({ created: true });
    expect(staged.offered.tree.get('/large')!.content).toEqual({ size: LARGE });
  });

  it.each([undefined, LARGE])('leaves nothing behind if its content fails (announced: %s)', async (size) => {
    const lost = new Error('the uploader went away');
    const source = Readable.from(
      (function* () {
        yield* pieces(MB);
        throw lost;
      })(),
      { objectMode: false },
    );
    expect(await failureOf(files.write(staged.share, FILE, source, { size }))).toBe(lost);
    await eventually('the end of the connection', () => staged.partner.busy === 0);
    expect(staged.offered.tree.textOf(FILE)).toBe('x'.repeat(1000));
  });
});

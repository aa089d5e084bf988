import { endingWith, inSpan } from './in-span';
import { isRequestId, originText, readOrigin, withOrigin, withoutOrigin } from './origin';
import type { NewSpan, Span } from './span';

const CONTEXT = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true };

/** A span that records its calls. */
function spanSaying(said: string[], name = 'first', isSampled = true): Span {
  return {
    context: { ...CONTEXT, isSampled },
    child: (span: Omit<NewSpan, 'parent'>) => spanSaying(said, `${name} > ${span.name}`),
    set: (attributes) => void said.push(`${name} ${JSON.stringify(attributes)}`),
    end: (failure) => void said.push(`${name} ended${failure ? ` by ${failure}` : ''}`),
  };
}

describe('an origin', () => {
  const span = spanSaying([]);
  it.each([
    { origin: { requestId: 'r-1', span: null }, stored: { requestId: 'r-1', trace: null } },
    { origin: { requestId: 'r-1', span }, stored: { requestId: 'r-1', trace: CONTEXT } },
    { origin: { requestId: null, span }, stored: { requestId: null, trace: CONTEXT } },
    { origin: { requestId: null, span: null }, stored: { requestId: null, trace: null } },
  ])('is read as it was written: $stored', ({ origin, stored }) => {
    expect(readOrigin(withOrigin(origin, originText))).toEqual(stored);
  });

  it('is kept through promises, and can be left', async () => {
    const later = async (): Promise<string | null> => {
      await Promise.resolve();
      return originText();
    };
    const origin = { requestId: 'r-1', span: null };
    expect(await withOrigin(origin, later)).toBe('r-1');
    expect(await withOrigin(origin, () => withoutOrigin(later))).toBeNull();
    expect(originText()).toBeNull();
  });

  it('fits into its column', () => {
    expect(withOrigin({ requestId: 'x'.repeat(64), span }, originText)!.length).toBeLessThanOrEqual(128);
  });

  it.each([null, undefined, '', '-', 'a b c', "r'; DROP", `${'x'.repeat(65)} 00-1-2-01`])(
    'is unknown for %j',
    (text) => {
      expect(readOrigin(text).trace).toBeNull();
      expect([null, 'a']).toContain(readOrigin(text).requestId);
    },
  );

  it.each(['two words', 'a'.repeat(65), '', '-', 'a\nb', undefined, ['a']])('%j is not an id', (text) => {
    expect(isRequestId(text)).toBe(false);
  });
});

describe('a step', () => {
  const work = () => Promise.resolve('done');

  it('is part of the running trace, and ends with it', async () => {
    const said: string[] = [];
    const result = await withOrigin({ requestId: null, span: spanSaying(said) }, () =>
      inSpan('second', { kind: 'internal' }, async (span) => {
        span?.set({ of: 1 });
        return inSpan('third', { kind: 'internal' }, work);
      }),
    );
    expect(result).toBe('done');
    expect(said).toEqual(['first > second {"of":1}', 'first > second > third ended', 'first > second ended']);
  });

  it('does nothing if nothing is recorded', async () => {
    const said: string[] = [];
    expect(await inSpan('second', { kind: 'internal' }, work)).toBe('done');
    const unsampled = { requestId: null, span: spanSaying(said, 'first', false) };
    expect(await withOrigin(unsampled, () => inSpan('second', { kind: 'internal' }, work))).toBe('done');
    expect(said).toEqual([]);
  });

  it.each([
    [Object.assign(new Error('hush'), { code: '23505' }), '23505'],
    [new TypeError('hush'), 'TypeError'],
    [Object.assign(new Error('hush'), { code: 'words of the partner' }), 'Error'],
    ['hush', 'unknown'],
  ])('that fails by %s records only the kind of failure, and throws the error', async (error, kind) => {
    const said: string[] = [];
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- any value can be thrown
    await expect(endingWith(spanSaying(said), () => Promise.reject(error))).rejects.toBe(error);
    expect(said).toEqual([`first ended by ${kind}`]);
  });
});

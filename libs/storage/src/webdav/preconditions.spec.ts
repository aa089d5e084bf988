import { judgePreconditions, rangeStillApplies } from './preconditions';

const mtime = new Date('2026-11-21T12:00:00.600Z');
const current = { etag: 'abc', mtime };
const same = 'Sat, 21 Nov 2026 12:00:00 GMT';
const earlier = 'Sat, 21 Nov 2026 11:59:59 GMT';

it.each([
  [{}, true, 'go-on'],
  [{ 'if-match': '"abc"' }, false, 'go-on'],
  [{ 'if-match': '"x", "abc"' }, false, 'go-on'],
  [{ 'if-match': 'abc' }, false, 'go-on'],
  [{ 'if-match': '*' }, false, 'go-on'],
  [{ 'if-match': 'W/"abc"' }, false, 'failed'],
  [{ 'if-match': '"x"' }, false, 'failed'],
  [{ 'if-none-match': '"x"' }, false, 'go-on'],
  [{ 'if-none-match': '"abc"' }, false, 'failed'],
  [{ 'if-none-match': '*' }, false, 'failed'],
  [{ 'if-none-match': 'W/"abc"' }, true, 'not-modified'],
  [{ 'if-none-match': '"x"', 'if-modified-since': same }, true, 'go-on'],
  [{ 'if-modified-since': same }, true, 'not-modified'],
  [{ 'if-modified-since': same }, false, 'go-on'],
  [{ 'if-modified-since': earlier }, true, 'go-on'],
  [{ 'if-modified-since': 'rubbish' }, true, 'go-on'],
  [{ 'if-unmodified-since': same }, false, 'go-on'],
  [{ 'if-unmodified-since': earlier }, false, 'failed'],
])('%j, reading: %s, means %s', (headers, isRead, expected) => {
  const judge = () => judgePreconditions(headers, current, isRead);
  if (expected === 'failed') expect(judge).toThrow(expect.objectContaining({ code: 'precondition-failed' }));
  else expect(judge()).toBe(expected);
});

it('judges a resource that does not exist', () => {
  expect(judgePreconditions({ 'if-none-match': '*' }, undefined, false)).toBe('go-on');
  expect(() => judgePreconditions({ 'if-match': '*' }, undefined, false)).toThrow();
});

it('sends a part only if the client knows the content', () => {
  expect(rangeStillApplies(undefined, current)).toBe(true);
  expect(rangeStillApplies('"abc"', current)).toBe(true);
  expect(rangeStillApplies('W/"abc"', current)).toBe(false);
  expect(rangeStillApplies('"x"', current)).toBe(false);
  expect(rangeStillApplies(same, current)).toBe(true);
  expect(rangeStillApplies(earlier, current)).toBe(false);
});

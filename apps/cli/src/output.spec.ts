import { render } from './output';

it('shows the values in lists, also in lists of records', () => {
  const record = { id: 1, tries: [{ status: 503 }, { status: 200 }], hosts: ['a', 'b'], none: null };
  expect(render({ kind: 'record', record }, false)).toBe(
    'id     1\ntries  {"status":503},{"status":200}\nhosts  a,b\nnone   \n',
  );
});

it('shows times without quotes', () => {
  const at = new Date('2026-03-01T10:04:55.927Z');
  expect(render({ kind: 'rows', rows: [{ id: 1, at }] }, false)).toBe(
    'id  at\n1   2026-03-01T10:04:55.927Z\n',
  );
});

it('prints a report as lines, and as one record for programs', () => {
  const report = { kind: 'report', lines: ['one', 'two'], record: { state: 'ok' }, exitCode: 0 } as const;
  expect([render(report, false), render(report, true)]).toEqual(['one\ntwo\n', '{"state":"ok"}\n']);
});

it('shows characters that a terminal would obey by their numbers', () => {
  const path = '/a\u009b31m\u202egpj.exe\nok\u001b[2J';
  const shown = '/a\\u{9b}31m\\u{202e}gpj.exe\\nok\\u{1b}[2J';
  expect(render({ kind: 'rows', rows: [{ path }] }, false)).toBe(`path\n${shown}\n`);
  expect(render({ kind: 'record', record: { paths: [path] } }, false)).toBe(`paths  ${shown}\n`);
  const done = { kind: 'done', sentence: 'a\u009b.\nSecond line.', record: {} } as const;
  expect(render(done, false)).toBe('a\\u{9b}.\nSecond line.\n');
});

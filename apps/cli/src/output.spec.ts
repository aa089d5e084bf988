import { render } from './output';

it('shows the values in lists, also in lists of records', () => {
  const record = { id: 1, tries: [{ status: 503 }, { status: 200 }], hosts: ['a', 'b'], none: null };
  expect(render({ kind: 'record', record }, false)).toBe(
    'id     1\ntries  {"status":503},{"status":200}\nhosts  a,b\nnone   \n',
  );
});

it('prints a report as lines, and as one record for programs', () => {
  const report = { kind: 'report', lines: ['one', 'two'], record: { state: 'ok' }, exitCode: 0 } as const;
  expect([render(report, false), render(report, true)]).toEqual(['one\ntwo\n', '{"state":"ok"}\n']);
});

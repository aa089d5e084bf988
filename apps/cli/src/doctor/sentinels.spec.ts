import { sentinelFindings } from './sentinels';

const MASTER = '10.0.0.1:6379';
const answer = (more = {}) => ({ address: 's:26379', master: MASTER, ...more });
const silent = { address: 'lost:26379', failure: 'ECONNREFUSED' };

it.each([
  ['three that agree', [answer(), answer(), answer()], ['ok sentinels', 'ok master']],
  ['one that is away', [answer(), answer(), silent], ['warning sentinels', 'ok master']],
  ['all away', [silent, silent], ['failed sentinels']],
  ['an unknown name', [{ address: 's:26379' }], ['ok sentinels', 'failed master']],
  ['two masters', [answer(), answer({ master: '10.0.0.2:6379' })], ['ok sentinels', 'warning master']],
  [
    'too few for a failover',
    [answer({ obstacle: 'NOQUORUM 1 usable Sentinels' }), silent],
    ['warning sentinels', 'ok master', 'warning failover'],
  ],
])('sentinels: %s', (_what, facts, expected) => {
  const findings = sentinelFindings(facts, 'mymaster');
  expect(findings.map(({ state, subject }) => `${state} ${subject}`)).toEqual(expected);
});

it('names the master, and the sentinels that do not answer', () => {
  const said = JSON.stringify(sentinelFindings([answer(), silent], 'mymaster'));
  expect(said).toContain(`mymaster is ${MASTER}`);
  expect(said).toContain('lost:26379 (ECONNREFUSED)');
});

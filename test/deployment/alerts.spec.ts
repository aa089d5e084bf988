import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { written } from './cluster-objects';

/** Values of a series, a minute apart. */
interface Series {
  readonly series: string;
  readonly values: string;
}
interface Case {
  readonly alert: string;
  /** The time of the check, such as `20m`. */
  readonly at: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The text of the alert for operators. */
  readonly says: string;
  readonly fires: readonly Series[];
  readonly silent: readonly Series[];
}

const CASES = parse(readFileSync(join(__dirname, 'alert-cases.yaml'), 'utf8')) as Case[];
const RULES = written().of('PrometheusRule')[0]!.spec;

const cannotAsk = spawnSync('promtool', ['--version']).status === 0 ? undefined : 'promtool is not installed';
const describeAsked = cannotAsk === undefined ? describe : describe.skip;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'drawbridge-alerts-'));
  writeFileSync(join(directory, 'rules.yaml'), stringify(RULES));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The errors of promtool; empty if every alert works as expected. */
function complaints(tests: readonly object[]): string {
  const file = join(directory, 'tests.yaml');
  writeFileSync(file, stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

const ALL_RULES = RULES.groups!.flatMap(({ rules }) => rules!);
const ruleOf = ({ alert }: Case) => ALL_RULES.find((rule) => rule.alert === alert)!;

/** @param isExpected whether the alert is raised at that time */
function testOf(one: Case, series: readonly Series[], isExpected: boolean): object {
  const { labels, annotations } = ruleOf(one);
  const expected = {
    exp_labels: { namespace: 'north', ...one.labels, severity: labels!.severity },
    exp_annotations: { summary: one.says, runbook_url: annotations!.runbook_url },
  };
  return {
    name: `${one.alert} ${isExpected ? 'fires' : 'is silent'}`,
    interval: '1m',
    input_series: series,
    alert_rule_test: [{ eval_time: one.at, alertname: one.alert, exp_alerts: isExpected ? [expected] : [] }],
  };
}

it('every alert has a case', () => {
  expect(CASES.map(({ alert }) => alert)).toEqual(ALL_RULES.map(({ alert }) => alert));
});

describeAsked(`alerts${cannotAsk === undefined ? '' : ` (skipped: ${cannotAsk})`}`, () => {
  it('fire for their cause', () => {
    expect(complaints(CASES.map((one) => testOf(one, one.fires, true)))).toBe('');
  });
  it('do not fire for other series', () => {
    expect(complaints(CASES.map((one) => testOf(one, one.silent, false)))).toBe('');
  });
  it('a wrong expectation fails the test', () => {
    const [one] = CASES as [Case];
    expect(complaints([testOf(one, one.silent, true)])).toContain(one.alert);
  });
});

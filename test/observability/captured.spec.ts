import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '#platform';
import { eventually, REPOSITORY, startTraceCollector, type TraceCollector } from '../../libs/testing/src';
import {
  ACCEPTANCE,
  CREATION,
  linesOf,
  shareAndAccept,
  autoAcceptedShare,
  startTracedPair,
  tracesOf,
  type TracedPair,
} from './federated-share';

const PAGE = join(REPOSITORY, 'docs/operations/observability.md');
/** `npm run capture` sets it. */
const isWriting = process.env.CAPTURE === 'write';

const block = (name: string): RegExp =>
  new RegExp(`(<!-- capture: ${name} -->\n)(?:\n\`\`\`text\n([^\`]*)\`\`\`\n)?`);

function captured(name: string): string {
  return block(name).exec(readFileSync(PAGE, 'utf8'))?.[2] ?? '';
}

function write(name: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(block(name), (_all, mark: string) => `${mark}\n\`\`\`text\n${text}\n\`\`\`\n`),
  );
}

/**
 * The part of a trace that every run repeats: steps and their depths. The order of simultaneous steps and the times
 * differ.
 */
const steps = (trace: string): string[] =>
  trace
    .trim()
    .split('\n')
    .map((line) => line.replace(/ \([\d.]+ ms\)$/, ''))
    .sort();

/** Names and labels. */
const series = (metrics: string): string[] =>
  metrics
    .trim()
    .split('\n')
    .map((line) => line.replace(/ [^ ]+$/, ''))
    .sort();

const SHOWN = [
  /^drawbridge_http_request_duration_seconds_(sum|count)\{.*(shares|ocm)/,
  /^drawbridge_(delivery|outbox|partners|queue|database)_/,
  /^nodejs_eventloop_lag_p99_seconds /,
];

async function metricsOf({ a, b }: TracedPair): Promise<string> {
  // A request is measured after its answer was sent.
  const text = await eventually('the measure of the acceptance', async () => {
    const all = await a.gateway.instance.app.nest.get(Metrics).render();
    return all.includes('route="/ocm/notifications"') ? all : undefined;
  });
  return text
    .split('\n')
    .filter((line) => SHOWN.some((pattern) => pattern.test(line)))
    .join('\n')
    .replaceAll(new URL(b.gateway.url).host, 'b.example.org');
}

describe('the documented trace of a federated share', () => {
  let collector: TraceCollector;
  let metrics: string;
  beforeAll(async () => {
    collector = await startTraceCollector();
    const pair = await startTracedPair(collector);
    await shareAndAccept(pair, 'plan.txt');
    metrics = await metricsOf(pair);
    await autoAcceptedShare(pair, 'minutes.txt');
    await pair.stop();
  }, 300_000);
  afterAll(async () => {
    await collector.close();
  });

  it.each([
    ['creation', CREATION, 0],
    ['acceptance', ACCEPTANCE, 0],
    ['auto-accept', CREATION, 1],
  ])('as its traces: %s', (name, first, index) => {
    const trace = linesOf(tracesOf(collector.spans(), first)[index]!).join('\n');
    if (isWriting) write(name, trace);
    expect(steps(captured(name))).toEqual(steps(trace));
  });

  it('as its metrics', () => {
    if (isWriting) write('metrics', metrics);
    expect(series(captured('metrics'))).toEqual(series(metrics));
  });
});

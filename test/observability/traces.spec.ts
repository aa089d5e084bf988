import {
  eventually,
  startTraceCollector,
  type CollectedSpan,
  type TraceCollector,
} from '../../libs/testing/src';
import { PASSWORD } from '../edge/edge-client';
import {
  ACCEPTANCE,
  CREATION,
  shareAndAccept,
  autoAcceptedShare,
  startTracedPair,
  tracesOf,
  type Branch,
  type TracedPair,
} from './federated-share';

const pathsIn = ({ span, branches }: Branch, above = ''): string[] => {
  const path = `${above}${above && ' > '}${span.service}: ${span.name}`;
  return [path, ...branches.flatMap((branch) => pathsIn(branch, path))];
};
const all = ({ span, branches }: Branch): CollectedSpan[] => [span, ...branches.flatMap(all)];

describe('the traces of a federated share', () => {
  let collector: TraceCollector;
  let pair: TracedPair;
  beforeAll(async () => {
    collector = await startTraceCollector();
    pair = await startTracedPair(collector, { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' });
    await shareAndAccept(pair, 'plan.txt');
  }, 300_000);
  afterAll(async () => {
    await pair.stop();
    await collector.close();
  });

  const traceFrom = (name: string, isWhole: (paths: string[]) => boolean): Promise<Branch> =>
    eventually(`the trace of ${name}`, () =>
      tracesOf(collector.spans(), name).find((trace) => isWhole(pathsIn(trace))),
    );

  it('lead from the call through outbox and worker to the other instance', async () => {
    const arrival = `a: ${CREATION} > a: deliver share-create > a: POST > b: POST /ocm/shares > b: take offer`;
    const trace = await traceFrom(CREATION, (paths) => paths.includes(arrival));
    expect(pathsIn(trace)).toEqual(
      expect.arrayContaining([
        `a: ${CREATION} > a: outbox dispatch`,
        `a: ${CREATION} > a: wait for the verdict`,
        `a: ${CREATION} > a: deliver share-create > a: GET > b: GET /.well-known/ocm`,
      ]),
    );
    expect(new Set(all(trace).map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('lead from the acceptance back to the owner’s instance', async () => {
    const told = [`b: ${ACCEPTANCE}`, 'b: transaction', 'b: deliver received-accept', 'b: POST'];
    const arrival = [...told, 'a: POST /ocm/notifications', 'a: take share-accepted'].join(' > ');
    const trace = await traceFrom(ACCEPTANCE, (paths) => paths.includes(arrival));
    expect(pathsIn(trace)).toContain(`b: ${ACCEPTANCE} > b: transaction > b: outbox dispatch`);
  });

  it('contain no password, no token and no name of a person', async () => {
    const tokens = await tokensOf(pair);
    expect(tokens.length).toBeGreaterThan(0);
    const link = await pair.a.share('alice', { path: '/plan.txt', shareType: '3' });
    await pair.a.client.send({ target: `/index.php/s/${String(link.token)}` });
    await eventually('the trace of the visit', () =>
      collector.spans().some(({ name }) => name.includes('/s/:token')),
    );
    for (const secret of [...tokens, String(link.token), PASSWORD, 'alice', 'bob', 'plan.txt', 'Basic '])
      expect(collector.text()).not.toContain(secret);
    expect(collector.text()).toContain('share-create');
  });

  it('are sent with the headers that the collector requires', () => {
    expect(collector.headers()).toMatchObject({ 'x-key': 'a b', 'content-type': 'application/json' });
  });
});

async function tokensOf({ b }: TracedPair): Promise<string[]> {
  const { data } = await b.must('GET', '/apps/files_sharing/api/v1/remote_shares', { as: 'bob' });
  return (data as { share_token: string }[]).map(({ share_token: token }) => token);
}

it('one trace has both directions if a trusted partner’s share is accepted automatically', async () => {
  const collector = await startTraceCollector();
  const pair = await startTracedPair(collector);
  await autoAcceptedShare(pair, 'minutes.txt');
  await pair.stop();
  const [trace] = tracesOf(collector.spans(), CREATION);
  expect(pathsIn(trace!).filter((path) => path.endsWith('a: take share-accepted'))).toEqual([
    expect.stringMatching(
      /deliver share-create > .*b: take offer > .*b: deliver received-accept > b: POST > a: POST/,
    ),
  ]);
  await collector.close();
}, 300_000);

it('the trace of an untrusted caller is stored as a link, and not continued', async () => {
  const collector = await startTraceCollector();
  const pair = await startTracedPair(collector, { TRACE_CONTEXT_FROM: '' });
  await shareAndAccept(pair, 'plan.txt');
  await pair.stop();
  const [creation] = tracesOf(collector.spans(), CREATION);
  const taken = collector.spans().filter(({ name }) => name === 'POST /ocm/shares');
  expect(taken).toMatchObject([{ service: 'b', parentSpanId: '', links: [creation!.span.traceId] }]);
  expect(taken[0]!.traceId).not.toBe(creation!.span.traceId);
  await collector.close();
}, 300_000);

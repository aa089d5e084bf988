import { randomBytes } from 'node:crypto';
import { eventually, type CollectedSpan, type TraceCollector } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES } from '../federation/outgoing-world';

const FILES_SHARING = '/ocs/v1.php/apps/files_sharing/api/v1';

/** The first spans in the traces of a new share and of its acceptance. */
export const CREATION = `POST ${FILES_SHARING}/shares`;
export const ACCEPTANCE = `POST ${FILES_SHARING}/remote_shares/pending/:id`;

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const LOOPBACK = '127.0.0.0/8';

/** Two instances of one operator, `a` and `b`, which send their traces to one collector. */
export interface TracedPair {
  readonly a: SharingWorld;
  readonly b: SharingWorld;
  stop(): Promise<void>;
}

/** @param env more variables for both */
export async function startTracedPair(
  collector: TraceCollector,
  env: Readonly<Record<string, string>> = {},
): Promise<TracedPair> {
  const start = (name: string): Promise<SharingWorld> =>
    SharingWorld.start({
      compatibility: 'owncloud10',
      env: {
        ...AMONG_FAKES,
        ENCRYPTION_KEY: randomBytes(32).toString('hex'),
        FEDERATION_SYNC_WAIT: '10s',
        METRICS_PORT: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SERVICE_NAME: name,
        TRACE_CONTEXT_FROM: LOOPBACK,
        ...env,
      },
    });
  const [a, b] = [await start('a'), await start('b')];
  const stop = async (): Promise<void> => {
    await Promise.all([a.stop(), b.stop()]);
  };
  await a.addUser('alice');
  await b.addUser('bob');
  return { a, b, stop };
}

/** Alice shares a file with Bob, who accepts; waits until Alice sees the acceptance. @returns the share's id at a */
export async function shareAndAccept({ a, b }: TracedPair, name: string): Promise<unknown> {
  await a.put('alice', `/${name}`);
  const shareWith = `bob@${new URL(b.gateway.url).host}`;
  const { id } = await a.share('alice', { path: `/${name}`, shareType: '6', shareWith });
  const pending = await b.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' });
  const received = (pending.data as { id: number; name: string }[]).find((one) => one.name === `/${name}`);
  await b.must('POST', `${REMOTE_SHARES}/pending/${received!.id}`, { as: 'bob' });
  await eventually('the acceptance', async () => {
    const { acceptance } = await a.readShare('alice', id);
    return acceptance === 'accepted';
  });
  return id;
}

/** The same with an instance b that trusts a, and so accepts by itself. @returns the share's id at a */
export async function autoAcceptedShare({ a, b }: TracedPair, name: string): Promise<unknown> {
  await b.set('federatedfilesharing', 'auto_accept_trusted', 'yes');
  const form = { host: new URL(a.gateway.url).host, trust: 'trusted' };
  await b.must('POST', '/apps/federation/api/v1/partners', { form });
  await a.put('alice', `/${name}`);
  const shareWith = `bob@${new URL(b.gateway.url).host}`;
  const { id } = await a.share('alice', { path: `/${name}`, shareType: '6', shareWith });
  await eventually('the acceptance', async () => (await a.readShare('alice', id)).acceptance === 'accepted');
  return id;
}

/** One span with its child spans, in the order of their start. */
export interface Branch {
  readonly span: CollectedSpan;
  readonly branches: readonly Branch[];
}

const isOfDatabase = ({ span: { attributes } }: Branch): boolean =>
  attributes['db.system.name'] !== undefined;

/** The traces whose first span has this name, without spans of the database. */
export function tracesOf(spans: readonly CollectedSpan[], name: string): Branch[] {
  const inOrder = spans.toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const below = (span: CollectedSpan): Branch => ({
    span,
    branches: inOrder
      .filter(({ parentSpanId }) => parentSpanId === span.spanId)
      .map(below)
      .filter((branch) => !isOfDatabase(branch) || branch.branches.length > 0),
  });
  return inOrder.filter((span) => span.name === name && span.parentSpanId === '').map(below);
}

/** A line for each span: its actor, its work and its time. */
export function linesOf({ span, branches }: Branch, depth = 0): string[] {
  const { service, name, durationMs } = span;
  const line = `${'  '.repeat(depth)}${service}: ${name} (${durationMs.toFixed(1)} ms)`;
  return [line, ...branches.flatMap((branch) => linesOf(branch, depth + 1))];
}

import { EgressFailed, GuardedClient, type EgressRules, type ExchangeAnswer } from '#federation/client';
import ipaddr from 'ipaddr.js';
import { askForSeenClient, PublicAddress, readSeenClient } from '#platform';
import { judgeClientAddress } from './client-address';
import { clockFinding } from './clock';
import { failed, ok, warning, type Check, type Finding } from './finding';

/** Egress rules of a partner with default configuration. */
const AS_A_PARTNER: EgressRules = { allowHttp: false, allowAddresses: [] };
/** Rules for an instance in a private network: its own address is a trusted choice. */
const ANYWHERE: EgressRules = {
  allowHttp: true,
  allowAddresses: [ipaddr.parseCIDR('0.0.0.0/0'), ipaddr.parseCIDR('::/0')],
};
/** A Date header has a precision of one second. */
const DATE_TOLERANCE_MS = 1_500;

/** Expected answer to `path` if the proxy routes it to the right app. */
interface Expectation {
  readonly path: string;
  readonly statuses: readonly number[];
  /** Problem with the body; undefined for none. */
  readonly objection?: (body: Readonly<Record<string, unknown>>, url: string) => string | undefined;
}

const isOurEndPoint: Expectation['objection'] = ({ endPoint, enabled }, url) => {
  if (enabled !== true) return 'it says that sharing is off';
  return endPoint === `${url}/ocm`
    ? undefined
    : `it names another address (${String(endPoint).slice(0, 100)})`;
};

const EXPECTATIONS: readonly Expectation[] = [
  {
    path: '/status.php',
    statuses: [200],
    objection: ({ maintenance, installed }) =>
      installed === true
        ? maintenance === true
          ? 'it is in maintenance'
          : undefined
        : 'it is not our document',
  },
  { path: '/.well-known/ocm', statuses: [200], objection: isOurEndPoint },
  { path: '/ocm-provider', statuses: [200], objection: isOurEndPoint },
  { path: '/ocm-provider/', statuses: [200], objection: isOurEndPoint },
  {
    path: '/ocs-provider/',
    statuses: [200],
    objection: ({ services }) => (services === undefined ? 'it is not our document' : undefined),
  },
  {
    path: '/.well-known/jwks.json',
    statuses: [200],
    objection: ({ keys }) => (Array.isArray(keys) && keys.length > 0 ? undefined : 'it holds no keys'),
  },
  // One path of each app that is not requested above; without an account they refuse, each in its own way.
  { path: '/ocs/v2.php/config?format=json', statuses: [200] },
  { path: '/ocs/v2.php/cloud/capabilities?format=json', statuses: [200, 401] },
  { path: '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json', statuses: [401] },
  { path: '/remote.php/webdav/', statuses: [401] },
  { path: '/public.php/webdav/', statuses: [401] },
  { path: '/dav/ocm/none', statuses: [401] },
  { path: '/ocm/token', statuses: [404, 405] },
];

/** Checks whether requests of partners and clients are answered at the public address, through all proxies. */
export const PUBLIC_ADDRESS_CHECK: Check = {
  name: 'public address',
  look: async (instance) => {
    const url = new PublicAddress(instance.config).url;
    const question = instance.hasKey ? askForSeenClient(instance.secrets) : {};
    const asPartner = await askAll(url, AS_A_PARTNER, question);
    if (asPartner.kind === 'answered') return asPartner.findings;
    if (asPartner.failure !== 'blocked' && asPartner.failure !== 'blocked-http')
      return [unreachable(url, asPartner.failure)];
    const nearby = await askAll(url, ANYWHERE, question);
    const closed = warning(
      'as a partner',
      asPartner.failure === 'blocked-http' ? `${url} is http` : `${url} has no public address`,
      'Partners elsewhere refuse it. That is right for a closed network, whose partners name it in FEDERATION_ALLOW_ADDRESSES.',
    );
    return [closed, ...(nearby.kind === 'answered' ? nearby.findings : [unreachable(url, nearby.failure)])];
  },
};

const unreachable = (url: string, failure: string): Finding =>
  failed(
    'reach',
    `${url} does not answer (${failure})`,
    'Start the apps; check the proxy, its certificate and the name in DNS; correct PUBLIC_URL.',
  );

type ProbeResult =
  | { readonly kind: 'answered'; readonly findings: readonly Finding[] }
  | { readonly kind: 'unreachable'; readonly failure: string };

async function askAll(
  url: string,
  rules: EgressRules,
  question: Readonly<Record<string, string>>,
): Promise<ProbeResult> {
  const client = new GuardedClient({ rules });
  try {
    const findings: Finding[] = [];
    for (const expectation of EXPECTATIONS) {
      const headers = findings.length === 0 ? question : {};
      const answer = await client.exchange({ method: 'GET', url: url + expectation.path, headers });
      if (findings.length === 0) findings.push(...clockOf(answer), ...clientOf(answer, url));
      findings.push(judge(expectation, answer, url));
    }
    return { kind: 'answered', findings };
  } catch (error) {
    if (error instanceof EgressFailed) return { kind: 'unreachable', failure: error.failure };
    throw error;
  } finally {
    await client.close();
  }
}

/** Compares the clock of the answering server with ours. */
function clockOf({ headers }: ExchangeAnswer): Finding[] {
  const serverTime = Date.parse(headers.date ?? '');
  return Number.isNaN(serverTime) ? [] : [clockFinding('clock', serverTime - Date.now(), DATE_TOLERANCE_MS)];
}

/** Compares the client address in status.php with ours. */
function clientOf({ headers }: ExchangeAnswer, url: string): Finding[] {
  const seen = readSeenClient(headers);
  return seen ? [judgeClientAddress(seen, url.startsWith('https:'))] : [];
}

function judge({ path, statuses, objection }: Expectation, answer: ExchangeAnswer, url: string): Finding {
  const [subject] = path.split('?') as [string];
  const { status, headers, text } = answer;
  if (status >= 300 && status < 400)
    return failed(
      subject,
      `HTTP ${status}, to ${whereTo(headers.location)}`,
      'Have the proxy pass the path on unchanged: partners follow no redirects.',
    );
  if (!statuses.includes(status))
    return failed(
      subject,
      `HTTP ${status} instead of ${statuses.join(' or ')}`,
      'Compare the rules of the proxy with those in deploy/ (docs/operations/install.md): the path leads to another service, or the proxy changes it.',
    );
  const body = objection && objectIn(text);
  const why = objection && (body ? objection(body, url) : 'it is no JSON: the proxy answers itself');
  return why === undefined
    ? ok(subject, `HTTP ${status}`)
    : failed(subject, why, 'Correct PUBLIC_URL, or the rules of the proxy (docs/operations/install.md).');
}

/** Without its query, which may be confidential. */
const whereTo = (location: string | undefined): string =>
  (location ?? 'nowhere').split('?')[0]!.slice(0, 200);

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

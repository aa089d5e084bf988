import {
  buildRequest,
  classifyAnswer,
  concludeDiscovery,
  parseCloudId,
  parseLegacyNotice,
  parseLegacyOffer,
  parseOcmNotice,
  parseOcmOffer,
  readOcmDocument,
  readOcsDocument,
  SecretText,
  type Dialect,
  type LegacyAction,
  type OutgoingNotice,
  type PartnerMessage,
  type PartnerNotice,
  type PeerProfile,
  type ShareOffer,
} from '#federation/protocol';
import { MANIFEST } from '../shapes/manifest';
import { readServerExchanges, type ServerExchange } from './server-exchange';

const RECORDINGS = MANIFEST['federation']!.compared.filter((name) => name.endsWith('.s2s.txt'));
const isMessage = ({ method, path }: ServerExchange): boolean =>
  method === 'POST' &&
  /\/(shares|notifications|accept|decline|unshare|revoke|permissions|reshare)(\?|$)/.test(path);

/** The day of the recording. */
const RECORDED_AT = new Date('2026-11-21T00:00:00Z');

/** The discovery documents of the recorded servers. */
function profileOf(host: string, legacyVersion: string): PeerProfile {
  const baseUrl = `http://${host}`;
  const ocm = readOcmDocument({
    enabled: true,
    apiVersion: '1.0-proposal1',
    endPoint: `${baseUrl}/index.php/apps/federatedfilesharing`,
    shareTypes: [{ name: 'file', protocols: { webdav: '/public.php/webdav/' } }],
  })!;
  const share = `/ocs/${legacyVersion}.php/cloud/shares`;
  const ocs = readOcsDocument({
    services: { FEDERATED_SHARING: { endpoints: { share, webdav: '/public.php/webdav/' } } },
  })!;
  const conclusion = concludeDiscovery(
    baseUrl,
    [{ kind: 'document', document: ocm }],
    { kind: 'document', document: ocs },
    {
      named: [],
      ownName: 'Drawbridge',
      now: 0,
    },
  );
  if (conclusion.kind !== 'partner') throw new Error(conclusion.kind);
  return conclusion.profile;
}

const isLegacy = (exchange: ServerExchange): boolean => exchange.path.startsWith('/ocs/');
const formOf = (exchange: ServerExchange): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(exchange.body));

/** Reads a recorded request as an incoming message, and builds our own message from it. */
function messageOf(exchange: ServerExchange): PartnerMessage {
  if (!isLegacy(exchange)) {
    const body = JSON.parse(exchange.body) as { shareWith: string };
    return exchange.path.endsWith('/shares')
      ? outgoingOffer(parseOcmOffer(body, RECORDED_AT), body.shareWith)
      : outgoingNotice(parseOcmNotice(body));
  }
  const [, id, action] = /\/cloud\/shares\/([^/]+)\/([a-z]+)\?/.exec(exchange.path) ?? [];
  const form = formOf(exchange);
  return id === undefined
    ? outgoingOffer(parseLegacyOffer(form), `${form['shareWith']}@${exchange.host}`)
    : outgoingNotice(parseLegacyNotice(action as LegacyAction, id, form));
}

function outgoingOffer(offer: ShareOffer, shareWith: string): PartnerMessage {
  return {
    kind: 'offer',
    shareWith: parseCloudId(shareWith),
    name: offer.name,
    nodeKind: 'folder',
    providerId: offer.providerId,
    sharedSecret: offer.sharedSecret,
    owner: { cloudId: offer.owner, displayName: offer.ownerDisplayName },
    sender: { cloudId: offer.sender, displayName: offer.senderDisplayName },
    permissions: 31,
    expiresAt: null,
    description: '',
    webdavUri: 'https://not.sent.test/dav/ocm/1',
    mustExchange: false,
    mustUseMfa: false,
  };
}

function outgoingNotice(notice: PartnerNotice): OutgoingNotice {
  const { providerId, sharedSecret } = notice;
  const base = { providerId, sharedSecret: sharedSecret ?? new SecretText(''), grantee: null };
  switch (notice.kind) {
    case 'share-permissions':
    case 'reshare-permissions':
      return { kind: 'reshare-permissions', ...base, permissions: notice.permissions };
    case 'reshare-requested':
      return {
        kind: 'reshare-requested',
        ...base,
        shareWith: notice.shareWith,
        requesterShareId: notice.requesterShareId,
        permissions: notice.permissions ?? 31,
      };
    case 'share-accepted':
    case 'share-declined':
    case 'share-unshared':
    case 'reshare-undone':
      return { kind: notice.kind, ...base };
    case 'share-seen':
    case 'content-changed':
      throw new Error('no captured server says this');
  }
}

/** Corrects the mistakes of ownCloud that we do not repeat. */
function corrected(exchange: ServerExchange): Record<string, string> {
  const form = formOf(exchange);
  // It writes the bare user id into the field for the whole address.
  if (form['sharedByFederatedId'] === form['sharedBy'] && form['sharedBy'] !== undefined) {
    const host =
      form['sharedBy'] === form['owner']
        ? form['ownerFederatedId']!.split('@')[1]!
        : 'http://oc-a.test:17791';
    form['sharedByFederatedId'] = `${form['sharedBy']}@${host}`;
  }
  return form;
}

describe.each(RECORDINGS)('the messages of %s', (recording) => {
  const messages = readServerExchanges(recording).filter(isMessage);

  it('are recorded', () => expect(messages.length).toBeGreaterThan(0));

  it('equal our own messages, field by field, in that order', () => {
    for (const exchange of messages) {
      const version = /\/ocs\/(v\d)\.php/.exec(exchange.path)?.[1] ?? 'v2';
      const profile = profileOf(exchange.host, version);
      const dialect: Dialect = isLegacy(exchange) ? 'legacy' : 'ocm-webdav';
      const request = buildRequest(messageOf(exchange), dialect, profile)!;
      expect(request.method).toBe(exchange.method);
      expect(request.url).toBe(`http://${exchange.host}${exchange.path}`);
      expect(request.headers['content-type']).toBe(exchange.contentType);
      const sent = request.body.reveal();
      if (isLegacy(exchange)) {
        expect([...new URLSearchParams(sent)]).toEqual(Object.entries(corrected(exchange)));
      } else {
        // Compared as text: the order of members counts too.
        expect(sent).toBe(JSON.stringify(JSON.parse(exchange.body)));
      }
    }
  });

  it('have answers that we understand', () => {
    for (const exchange of messages) {
      const outcome = classifyAnswer(
        {
          kind: messageOf(exchange).kind,
          dialect: isLegacy(exchange) ? 'legacy' : 'ocm-webdav',
          product: 'owncloud10',
        },
        { status: exchange.status, retryAfter: null, body: exchange.replyBody },
        0,
      );
      const envelope = /"statuscode":(\d+)/.exec(exchange.replyBody)?.[1];
      const isDone = exchange.status < 300 && (envelope === undefined || ['100', '200'].includes(envelope));
      expect([exchange.path, exchange.status, outcome.kind === 'delivered']).toEqual([
        exchange.path,
        exchange.status,
        isDone,
      ]);
      if (!isDone) expect(outcome.kind).toMatch(/^(refused|already-gone|next-dialect)$/);
      if (exchange.body.includes('REQUEST_RESHARE') || exchange.path.includes('/reshare')) {
        expect(outcome.kind === 'delivered' && outcome.reshare?.sharedSecret.reveal()).toMatch(
          /^TOKEN\d\dx+$/,
        );
      }
    }
  });
});

import { MANIFEST } from '../shapes/manifest';
import { InboundPartner, type PartnerReply } from './inbound-partner';
import { readOpenCloudRequests, readServerExchanges, type ServerExchange } from './server-exchange';

/** A share by its recorded name and by its name here. */
interface Named {
  readonly id: string;
  readonly secret: string;
}

/** One recorded message, in any dialect. */
interface Message {
  /** `offer`, or the kind of the notice: `accept`, `SHARE_ACCEPTED`. */
  readonly kind: string;
  readonly share: Named;
}

const ABOUT_OURS = /accept|decline|revoke|permissions|reshare|SHARE_ACCEPTED|SHARE_DECLINED|RESHARE/;
const ASKS = ['reshare', 'REQUEST_RESHARE'];

const recordings = MANIFEST['federation']!.compared.filter((name) => name.endsWith('.s2s.txt'));
const isLegacy = ({ path }: ServerExchange): boolean => path.startsWith('/ocs/');
const isPost = ({ method, path }: ServerExchange): boolean =>
  method === 'POST' && /\/cloud\/shares|federatedfilesharing/.test(path);

function messageOf(exchange: ServerExchange): Message {
  if (isLegacy(exchange)) {
    const form = new URLSearchParams(exchange.body);
    const [, id, action] = /\/shares\/(\d+)\/(\w+)/.exec(exchange.path) ?? [];
    const share = { id: id ?? form.get('remoteId')!, secret: form.get('token')! };
    return { kind: action ?? 'offer', share };
  }
  const body = JSON.parse(exchange.body) as {
    providerId: string;
    notificationType?: string;
    notification?: { sharedSecret: string };
  };
  const share = { id: body.providerId, secret: body.notification?.sharedSecret ?? '' };
  return { kind: body.notificationType ?? 'offer', share };
}

/** HTTP status, or the code in the envelope. */
function codeOf(exchange: ServerExchange, status: number, body: string): number {
  return isLegacy(exchange) ? Number(/"statuscode":(\d+)/.exec(body)![1]) : status;
}

describe('messages between two deployed servers, sent to us', () => {
  let partner: InboundPartner;
  /** Shares that we made on request, by the recorded ids. */
  const granted = new Map<string, Named>();
  const made = new Set<string>();
  /** Shares that their recipients declined. */
  const ended = new Set<string>();

  beforeAll(async () => {
    partner = await InboundPartner.start();
    await partner.gateway.addUsers('bea', 'carol', 'dave');
    await partner.hold('oc-a.test:17791');
  });
  afterAll(() => partner?.stop());

  async function replay(exchange: ServerExchange, { kind, share }: Message): Promise<PartnerReply> {
    const here = ABOUT_OURS.test(kind) ? granted.get(share.id) : undefined;
    const path = exchange.path.replace(/^.*\/federatedfilesharing/, '/ocm');
    const rename = (text: string): string =>
      here === undefined
        ? text
        : text.replaceAll(share.secret, here.secret).replace(new RegExp(`\\b${share.id}\\b`), here.id);
    const headers = { 'content-type': exchange.contentType };
    const reply = await fetch(partner.url + rename(path), {
      method: 'POST',
      headers,
      body: rename(exchange.body),
    });
    const text = await reply.text();
    return { http: reply.status, headers: reply.headers, text, json: JSON.parse(text) as unknown };
  }

  /** The recorded owner's server had the shares that it was notified about. */
  async function prepare({ kind, share }: Message): Promise<void> {
    const isKnown = granted.has(share.id) || made.has(share.id);
    if (!ABOUT_OURS.test(kind) || isKnown || Number(share.id) < 10) return;
    made.add(share.id);
    await partner.gateway.store('alice', `/shared-${share.id}/`);
    await partner.sentShareOf(`/shared-${share.id}`, Number(share.id), share.secret);
  }

  function noteGrant(exchange: ServerExchange, { kind }: Message, reply: PartnerReply): void {
    if (!ASKS.includes(kind)) return;
    const grantOf = (text: string): Named => {
      const id = /"(?:remoteId|providerId)":"?(\d+)/.exec(text)![1]!;
      return { id, secret: /"(?:token|sharedSecret)":"(\w+)"/.exec(text)![1]! };
    };
    granted.set(grantOf(exchange.replyBody).id, grantOf(reply.text));
  }

  /** Codes that differ from the recorded ones, with the reason. */
  function expectedCode(exchange: ServerExchange, { kind, share }: Message): number {
    const recorded = codeOf(exchange, exchange.status, exchange.replyBody);
    // We request no reshare, so a notice about one refers to no share.
    if (Number(share.id) < 10 && recorded < 300) return kind === 'accept' || kind === 'decline' ? 410 : 400;
    // ownCloud sends RESHARE_UNDO but does not understand it. A repeated end gets the first answer again. Only
    // requested shares can be undone: one recording begins after its request.
    if (kind === 'RESHARE_UNDO') return granted.has(share.id) ? 201 : 400;
    if (kind === 'revoke') return granted.has(share.id) ? 200 : 400;
    // A reply that was being sent when the share ended.
    if (/permissions|CHANGE_PERMISSION/.test(kind) && ended.has(share.id)) return 400;
    return recorded;
  }

  it.each(recordings)('%s', async (name) => {
    for (const exchange of readServerExchanges(name).filter(isPost)) {
      const message = messageOf(exchange);
      await prepare(message);
      const reply = await replay(exchange, message);
      expect([exchange.path, exchange.body, codeOf(exchange, reply.http, reply.text)]).toEqual([
        exchange.path,
        exchange.body,
        expectedCode(exchange, message),
      ]);
      noteGrant(exchange, message, reply);
      if (/decline/i.test(message.kind)) ended.add(message.share.id);
    }
  });

  it('have made the requested shares, and caused no further change of permissions', async () => {
    const messages = await partner.gateway.query(
      `SELECT kind, subject_type, payload ->> 'permissions' AS permissions FROM outbox_message WHERE kind LIKE '%-permissions'`,
    );
    // In the recordings only the recipients learn of the second reduction; the initiators do not.
    const told = { kind: 'share-permissions', subject_type: 'share', permissions: '1' };
    expect(messages).toEqual([told, told]);
    expect(granted.size).toBeGreaterThan(2);
  });

  it('the initiator’s server is notified once that the share was accepted, and once that it was left', async () => {
    await partner.eventsHandled();
    const news = await partner.gateway.query<{ kind: string }>(
      `SELECT kind FROM outbox_message WHERE subject_type = 'reshare' ORDER BY id`,
    );
    expect(news.map(({ kind }) => kind)).toEqual(['reshare-accepted', 'reshare-declined']);
  });
});

describe('recorded messages of OpenCloud', () => {
  let partner: InboundPartner;
  beforeAll(async () => {
    partner = await InboundPartner.start();
    await partner.gateway.addUsers('bob2');
  });
  afterAll(() => partner?.stop());

  it('are accepted with 201 and an object, and wait for their recipient', async () => {
    const offers = readOpenCloudRequests('outbound-to-peer.ndjson').filter(
      ({ url }) => url === '/ocm/shares',
    );
    expect(offers.length).toBeGreaterThan(1);
    for (const { body } of offers) {
      const { http, json } = await partner.ocm('shares', body);
      expect([http, json]).toEqual([201, { recipientDisplayName: 'bob2' }]);
    }
    const { data } = await partner.received('GET', '/pending', 'bob2');
    expect(data).toMatchObject([
      { name: '/hello.txt', remote: 'http://127.0.0.1:9200', accepted: 0 },
      { name: '/Proj', remote: 'http://127.0.0.1:9200', accepted: 0 },
    ]);
  });
});

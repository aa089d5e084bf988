import { request } from 'node:http';
import { readCapture, type Capture, type WireReply } from '../shapes/capture';
import { goldenOf } from '../shapes/golden';
import { MANIFEST } from '../shapes/manifest';
import { SharingGateway } from '../sharing/sharing-gateway';
import { InboundPartner, offerBody } from './inbound-partner';

/** Addresses of Open Cloud Mesh at recorded servers, from their discovery. */
const OCM_THERE = '/index.php/apps/federatedfilesharing/';

/** The recorded call, sent to our gateway. */
function replay(
  gateway: SharingGateway,
  { method, target, user, headers, body }: Capture,
): Promise<WireReply> {
  const path = target.startsWith(OCM_THERE) ? `/ocm/${target.slice(OCM_THERE.length)}` : target;
  const sent: Record<string, string> = { ...headers };
  if (user !== null) sent.authorization = gateway.authorizationOf(user);
  if (body !== null) {
    sent['content-type'] ??= 'application/x-www-form-urlencoded';
    sent['content-length'] = String(Buffer.byteLength(body));
  }
  return new Promise((done, failed) => {
    const { hostname, port } = new URL(gateway.gateway.url);
    const call = request({ hostname, port, method, path, headers: sent }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        const received = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
        done({
          status: reply.statusCode ?? 0,
          headers: Object.fromEntries(received) as Record<string, string>,
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    call.on('error', failed);
    call.end(body ?? undefined);
  });
}

describe('calls of a fake partner to a deployed server', () => {
  const calls = MANIFEST['federation']!.compared.filter((name) => name.startsWith('direct/'));
  const SWITCHES = {
    'incoming-disabled': 'files_sharing/incoming_server2server_share_enabled',
    'outgoing-disabled': 'files_sharing/outgoing_server2server_share_enabled',
  };

  /** HTTP status and text of our answer, if they differ from the recorded ones, by reason. */
  const OTHERWISE: Readonly<Record<string, Readonly<Record<string, readonly [number, string | null]>>>> = {
    'A folder is a folder, and OCM 1.1 is understood.': {
      'direct/ocm.share.resource-folder.json': [201, null],
      'direct/ocm.share.protocol-multi.json': [201, null],
    },
    'An owner without a host, or at no address, could never be answered.': {
      'direct/ocm.share.owner-nohost.json': [400, 'Invalid value of parameter: owner'],
      'direct/ocs.share.badremote.v1.json': [200, 'Invalid value of parameter: remote'],
    },
    'The sender of an offer is required.': {
      'direct/ocm.share.missing-sender.json': [400, 'Required parameters are missing: sender'],
    },
    'RESHARE_UNDO is understood; the share is still unknown.': {
      'direct/ocm.notification.RESHARE_UNDO.unknown.json': [400, 'Share with id 99999 does not exist'],
    },
    'No token at all is missing, not too long.': {
      'direct/ocs.share.missing-token.v1.json': [200, 'Required parameters are missing: token'],
      'direct/ocs.share.missing-token.v2.json': [400, 'Required parameters are missing: token'],
    },
    'The missing member is named.': {
      'direct/ocs.permissions.noparams.v1.json': [200, 'Required parameters are missing: token,permissions'],
      'direct/ocs.permissions.noparams.v2.json': [400, 'Required parameters are missing: token,permissions'],
    },
    'The HTTP status of 503 is the same in both versions.': {
      'direct/outgoing-disabled.ocs.accept.v1.json': [503, 'Server does not support federated cloud sharing'],
    },
  };
  const otherwise = new Map(Object.values(OTHERWISE).flatMap((cases) => Object.entries(cases)));

  let partner: InboundPartner;
  beforeAll(async () => {
    partner = await InboundPartner.start();
  });
  afterAll(() => partner?.stop());

  /** HTTP status, code of the envelope, and words. */
  function outcomeOf({ status, body }: WireReply): readonly [number, string | null] {
    const message = /"message":(null|"(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? 'null';
    return [status, JSON.parse(message) as string | null];
  }

  it.each(calls)('%s', async (name) => {
    const [, switchedOff] = Object.entries(SWITCHES).find(([what]) => name.includes(what)) ?? [];
    if (switchedOff !== undefined) await partner.gateway.set(switchedOff, 'no');
    const capture = readCapture('federation', name);
    const reply = await replay(partner.gateway, capture);
    if (switchedOff !== undefined) await partner.gateway.unset(switchedOff);
    const expected = otherwise.get(name);
    if (expected !== undefined) {
      expect(outcomeOf(reply)).toEqual(expected);
      expect(outcomeOf(capture.reply)).not.toEqual(expected);
    } else if (capture.target.startsWith('/ocs/')) {
      expect(goldenOf(reply)).toEqual(goldenOf(capture.reply));
    } else {
      expect(outcomeOf(reply)).toEqual(outcomeOf(capture.reply));
    }
  });

  it('leave one share for each offer, even if it was repeated', async () => {
    const rows = await partner.gateway.query<{ count: number; offers: number }>(
      `SELECT count(*)::int AS count, count(DISTINCT (provider_id, token_hmac))::int AS offers FROM received_share`,
    );
    expect(rows[0]!.count).toBe(rows[0]!.offers);
    expect(rows[0]!.count).toBeGreaterThan(10);
  });
});

describe('calls of a recipient to a deployed server', () => {
  /** In the order of their creation. */
  const CALLS: readonly string[] = [
    ...['empty.v1.json', 'all.empty.v1.json', 'empty.v1.xml', 'pending.empty.v1.json'],
    ...['pending.v1.json', 'pending.v1.xml', 'accept.foreign.v1.json', 'accept.nosuch.v1.json'],
    ...['accept.nosuch.v1.xml', 'accept.nosuch.v2.json', 'get-pending-id.v1.json', 'get-pending-id.v2.json'],
    ...['accept.v1.json', 'accept.again.v1.json', 'accept.v1.xml', 'accepted.v1.json', 'accepted.v1.xml'],
    ...['accepted.v2.json', 'all.v1.json', 'get.nosuch.v1.json', 'get.v1.json', 'get.v1.xml'],
    ...['get.folder.v1.json', 'get.nosuch.v1.xml', 'get.nosuch.v2.json', 'decline.v1.json'],
    ...['decline.again.v1.json', 'decline.again.v2.json', 'after-owner-delete.v1.json'],
    ...['pending.after-owner-delete.v1.json', 'unshare.nosuch.v1.json', 'unshare.nosuch.v2.json'],
    ...[
      'unshare.v1.json',
      'unshare.again.v1.json',
      'unshare.pending-id.v1.json',
      'unshare.pending-id.v2.json',
    ],
  ].map((name) => `remote_shares.${name}`);

  let partner: InboundPartner;
  beforeAll(async () => {
    partner = await InboundPartner.start();
    await partner.gateway.addUsers('bea', 'ben');
  });
  afterAll(() => partner?.stop());

  const offer = (providerId: string, sharedSecret: string, name: string) =>
    partner.ocm('shares', {
      ...offerBody(providerId, sharedSecret),
      shareWith: 'bea@oc-b.test:17792',
      owner: 'alice@http://oc-a.test:17791',
      sender: 'alice@http://oc-a.test:17791',
      name,
    });

  /** Actions of the recorded server's partner before a call. */
  const BEFORE: Readonly<Record<string, () => Promise<unknown>>> = {
    'remote_shares.pending.v1.json': async () => {
      await offer('53', 'TOKEN22xxxxxxxx', 'f1.txt');
      await offer('54', 'TOKEN23xxxxxxxx', 'f2.txt');
      await offer('55', 'TOKEN24xxxxxxxx', 'fdir');
      await offer('56', 'TOKEN25xxxxxxxx', 'f3.txt');
    },
    'remote_shares.after-owner-delete.v1.json': () =>
      partner.notify('SHARE_UNSHARED', '53', 'TOKEN22xxxxxxxx'),
    'remote_shares.pending.after-owner-delete.v1.json': () =>
      partner.notify('SHARE_UNSHARED', '56', 'TOKEN25xxxxxxxx'),
    'remote_shares.unshare.pending-id.v1.json': () => offer('57', 'TOKEN26xxxxxxxx', 'f4.txt'),
  };

  it('include all recorded calls', () => {
    const compared = MANIFEST['federation']!.compared.filter((name) => name.startsWith('remote_shares.'));
    expect([...CALLS].sort()).toEqual([...compared].sort());
  });

  it.each(CALLS)('%s', async (name) => {
    await BEFORE[name]?.();
    const capture = readCapture('federation', name);
    const reply = await replay(partner.gateway, capture);
    expect(goldenOf(withoutOwn(withoutContent(reply)))).toEqual(
      goldenOf(atItsFirstPlace(withoutContent(capture.reply))),
    );
  });
});

/** ownCloud moves an accepted share that is accepted again to another name; here that changes nothing. */
const atItsFirstPlace = (reply: WireReply): WireReply => ({
  ...reply,
  body: reply.body.replaceAll('f1 (2).txt', 'f1.txt'),
});

/** Members that ownCloud does not have: the pages show them for the decision about an offer. */
function withoutOwn(reply: WireReply): WireReply {
  const own = 'owner_display_name|sender|sender_display_name|description|verified';
  const json = new RegExp(`,"(?:${own})":(?:"[^"]*"|true|false)`, 'g');
  const xml = new RegExp(`\\n\\s*<(${own})(?:/>|>[^<]*</\\1>)`, 'g');
  return { ...reply, body: reply.body.replace(json, '').replace(xml, '') };
}

/** ownCloud asks the owner's server for these fields during acceptance; here they come with the first look, which recordings cannot answer. */
function withoutContent(reply: WireReply): WireReply {
  const json = /,"(?:mimetype|mtime|permissions|type|file_id)":(?:"[^"]*"|\d+)/g;
  const xml = /\n\s*<(mimetype|mtime|permissions|type|file_id)>[^<]*<\/\1>/g;
  return { ...reply, body: reply.body.replace(json, '').replace(xml, '') };
}

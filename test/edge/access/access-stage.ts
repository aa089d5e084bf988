import type pg from 'pg';
import type { ShareAccessTokens } from '#identity';
import type { SecretBox } from '#platform';
import { ADMIN, eventually } from '#testing';
import { offerBody } from '../../federation/inbound-partner';
import type { Form, SharingGateway } from '../../sharing/sharing-gateway';
import {
  COMMON_SECRET,
  CONTENT,
  HANDSHAKE_TOKENS,
  LINK_PASSWORD,
  RECEIVED_SECRETS,
  SECRETS,
  type Given,
  type Held,
  type Trashed,
} from './held';

/** Everybody except the first administrator. */
const OTHERS = ['sten', 'penny', 'rick', 'gwen', 'olga', 'ian', 'zoe', 'gus', 'ada'];
const HOSTS = { partner: 'cloud.partner.example', another: 'another.example' };
const INVITATIONS = '/apps/ocm/api/v1/invitations';
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

/** Makes the objects of the matrix. */
export class AccessStage {
  constructor(
    private readonly sharing: SharingGateway,
    private readonly pool: pg.Pool,
    private readonly secrets: SecretBox,
    private readonly accessTokens: ShareAccessTokens,
  ) {}

  async set(inviter: string): Promise<Held> {
    await this.people();
    await this.sharing.store('olga', '/docs/', '/docs/plan.txt', '/other/', '/untaken/', '/asked-for/');
    await this.sharing.dav('PUT', 'olga', '/docs/kept.txt', {}, CONTENT);
    await this.beginUpload();
    const shares = await this.sharesAmongUsers();
    const link = await this.link({ permissions: '15' });
    const lockedLink = await this.link({ permissions: '1', password: LINK_PASSWORD });
    const held = {
      ...{ shares, link, lockedLink, inviter },
      given: await this.give(),
      endedShare: await this.endedShare(),
      received: await this.receive(),
      accessToken: () => this.accessTokens.give(this.secrets.lookup(SECRETS.partner)).token,
      invitation: (await this.made('POST', INVITATIONS, 'olga', {})) as Held['invitation'],
      contact: await this.contact(inviter),
      shareRequest: await this.shareRequest(),
      notification: await this.notification(),
      nodeId: String((await this.sharing.list('olga', 'path=/docs'))[0]!.item_source),
      keptId: await this.idOf('olga', '/docs/kept.txt'),
      moveId: await this.move(),
      trashed: await this.trashed(),
      versioned: await this.versioned(),
    };
    await this.trust();
    await this.settle();
    return held;
  }

  private async beginUpload(): Promise<void> {
    const headers = { authorization: this.sharing.authorizationOf('olga') };
    const upload = `${this.sharing.gateway.url}/remote.php/dav/uploads/olga/begun`;
    await fetch(upload, { method: 'MKCOL', headers });
    await fetch(`${upload}/1`, { method: 'PUT', headers, body: 'a chunk' });
  }

  private async move(): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `INSERT INTO background_move (id, uid) VALUES (gen_random_uuid(), 'olga') RETURNING id`,
    );
    return rows[0]!.id;
  }

  private async versioned(): Promise<Held['versioned']> {
    for (const content of ['first', 'second', 'third'])
      await this.sharing.dav('PUT', 'olga', '/docs/versioned.txt', {}, content);
    const { rows } = await this.pool.query<{ fileId: string; id: string }>(
      'SELECT node_id AS "fileId", id FROM file_version ORDER BY id',
    );
    return { fileId: rows[0]!.fileId, versions: [rows[0]!.id, rows[1]!.id] };
  }

  private async idOf(ownerUid: string, path: string): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT id FROM node WHERE owner_uid = $1 AND path = $2',
      [ownerUid, path],
    );
    return rows[0]!.id;
  }

  private async trashed(): Promise<Held['trashed']> {
    for (const path of ['/deleted.txt', '/removed.txt']) {
      await this.sharing.dav('PUT', 'olga', path, {}, CONTENT);
      await this.sharing.dav('DELETE', 'olga', path);
    }
    const { rows } = await this.pool.query<Trashed>(
      `SELECT node_id AS id, name || '.d' || extract(epoch FROM deleted_at)::bigint AS name FROM trashed_node ORDER BY 2`,
    );
    return [rows[0]!, rows[1]!];
  }

  private async people(): Promise<void> {
    await this.sharing.addUsers(...OTHERS);
    await this.sharing.addGroup('team', 'gwen');
    await this.sharing.addGroup('crew', 'olga', 'gus', 'zoe', 'ada');
    await this.made('POST', '/cloud/groups/crew/remote_members', ADMIN.uid, {
      'cloud_ids[]': 'ben@b.example',
    });
    for (const uid of ['gus', 'zoe'])
      await this.made('POST', `/cloud/users/${uid}/subadmins`, ADMIN.uid, { groupid: 'crew' });
    await this.made('POST', '/cloud/users/ada/groups', ADMIN.uid, { groupid: 'admin' });
    await this.made('PUT', '/cloud/users/rick', ADMIN.uid, { key: 'email', value: 'rick@example.org' });
    await this.sharing.set('core/shareapi_allow_mail_notification', 'yes');
    await this.sharing.set('core/shareapi_allow_public_notification', 'yes');
    await this.made('PUT', '/cloud/capabilities/entries/notes', ADMIN.uid, undefined, { notes: {} });
    const automatic = '/apps/provisioning_api/api/v1/config/users/files_sharing/auto_accept_share';
    await this.made('POST', automatic, 'penny', { value: 'no' });
    for (const host of Object.values(HOSTS))
      await this.pool.query('INSERT INTO peer (host_key, paused) VALUES ($1, true)', [host]);
  }

  private async sharesAmongUsers(): Promise<Held['shares']> {
    const give = (shareWith: string, permissions: string, shareType = '0', uid = 'olga'): Promise<string> =>
      this.sharing.shareId(uid, { path: '/docs', shareWith, permissions, shareType });
    await give('ian', '31');
    return {
      pending: await give('penny', '15'),
      accepted: await give('rick', '15'),
      member: await give('team', '15', '1'),
      initiator: await give('zoe', '1', '0', 'ian'),
    };
  }

  private async link(form: Form): Promise<{ id: string; token: string }> {
    return (await this.sharing.share('olga', { path: '/docs', shareType: '3', ...form })).data;
  }

  /** In their state after the delivery to their partners. */
  private async give(): Promise<Held['given']> {
    const ids: [Given, string][] = [];
    for (const [given, path, host, acceptance, isAskedFor] of [
      ['partner', '/docs', HOSTS.partner, 'accepted', false],
      ['another', '/other', HOSTS.another, 'accepted', false],
      ['untaken', '/untaken', HOSTS.partner, 'unknown', false],
      ['askedFor', '/asked-for', HOSTS.partner, 'accepted', true],
    ] as const) {
      const secret = SECRETS[given];
      const [sealed, hmac] = [this.secrets.seal(secret), this.secrets.lookup(secret)];
      ids.push([given, await this.newId(GIVEN_SHARE, [path, host, hmac, sealed, acceptance, isAskedFor])]);
    }
    return Object.fromEntries(ids) as Held['given'];
  }

  private async endedShare(): Promise<string> {
    return this.newId(ENDED_SHARE, []);
  }

  /** One pending offer, and one accepted offer. */
  private async receive(): Promise<Held['received']> {
    const offer = async (uid: string, state: keyof typeof RECEIVED_SECRETS): Promise<string> => {
      const body = offerBody(`offer-${state}`, RECEIVED_SECRETS[state]);
      await fetch(`${this.sharing.gateway.url}/ocm/shares`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, shareWith: `${uid}@gateway.example`, name: 'remote.txt' }),
      });
      return String((await this.sharing.ocs('GET', `${REMOTE_SHARES}/pending`, uid)).data[0].id);
    };
    const received = { pending: await offer('penny', 'pending'), accepted: await offer('rick', 'accepted') };
    await this.made('POST', `${REMOTE_SHARES}/pending/${received.accepted}`, 'rick');
    return received;
  }

  private async trust(): Promise<void> {
    const common = this.secrets.lookup(COMMON_SECRET);
    for (const partner of ['partner', 'another'] as const) {
      const token = this.secrets.seal(HANDSHAKE_TOKENS[partner]);
      await this.pool.query(TRUSTED, [HOSTS[partner], token, partner === 'partner' ? common : null]);
    }
  }

  /** The inviting server is known after this: no discovery is needed. */
  private async contact(inviter: string): Promise<string> {
    const form = { token: 'TokenOfTheFirstInvitation', providerDomain: inviter };
    await this.made('POST', `${INVITATIONS}/accept`, 'olga', form);
    // On a busy machine the gateway answers before the inviting server, and the contact comes later.
    return eventually('the contact', async () => {
      const { rows } = await this.pool.query<{ id: string }>(
        `SELECT id::text FROM contact WHERE uid = 'olga'`,
      );
      return rows[0]?.id;
    });
  }

  private async shareRequest(): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `INSERT INTO sent_share_request (uid, owner, resource) VALUES ('olga', 'rem@another.example', '4711') RETURNING id`,
    );
    return String(rows[0]!.id);
  }

  private async notification(): Promise<string> {
    const list = '/apps/notifications/api/v1/notifications';
    return String((await this.sharing.ocs('GET', list, 'penny')).data[0].notification_id);
  }

  /**
   * Homes are made and shares get their places when they are first read; recipients of this stage never look at
   * their shares.
   */
  private async settle(): Promise<void> {
    for (const uid of [...OTHERS, ADMIN.uid]) await this.sharing.entries(uid);
    await this.pool.query(`UPDATE received_share SET look_at = now() + interval '1 year'`);
  }

  private async newId(insert: string, values: readonly unknown[]): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(insert, [...values]);
    return String(rows[0]!.id);
  }

  private async made(
    method: string,
    path: string,
    uid: string,
    form?: Form,
    json?: unknown,
  ): Promise<unknown> {
    const reply = await fetch(`${this.sharing.gateway.url}/ocs/v2.php${path}?format=json`, {
      method,
      headers: { authorization: this.sharing.authorizationOf(uid) },
      body: json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json),
    });
    if (!reply.ok) throw new Error(`${method} ${path} was answered ${reply.status}: ${await reply.text()}`);
    return ((await reply.json()) as { ocs: { data: unknown } }).ocs.data;
  }
}

const GIVEN_SHARE = `
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac,
    token_enc, peer_id, delivery_state, delivered_at, acceptance, requester_peer_id)
  SELECT 6, n.id, n.owner_uid, n.owner_uid, 'bea@' || p.host_key, 'bea@' || p.host_key, 31, $3, $4, p.id, 'delivered', now(), $5,
    CASE WHEN $6 THEN p.id END
  FROM node n, peer p WHERE n.owner_uid = 'olga' AND n.path = $1 AND p.host_key = $2 RETURNING id`;

const ENDED_SHARE = `
  INSERT INTO ended_share (id, owner_uid, initiator_uid, recipient, node_id, node_name, node_kind, permissions, created_at, ended)
  SELECT nextval(pg_get_serial_sequence('share', 'id')), n.owner_uid, n.owner_uid, 'bea@cloud.partner.example', n.id, n.name, n.kind, 1,
    now(), 'left'
  FROM node n WHERE n.owner_uid = 'olga' AND n.path = '/docs' RETURNING id`;

/** A partner that took our token long ago, and one with which a secret was agreed on before. */
const TRUSTED = `
  WITH partner AS (UPDATE peer SET trust = 'trusted' WHERE host_key = $1 RETURNING id)
  INSERT INTO trusted_handshake (peer_id, state, sealed_own_token, secret_hmac, changed_at)
  SELECT id, 'asked', $2, $3, now() - interval '1 hour' FROM partner`;

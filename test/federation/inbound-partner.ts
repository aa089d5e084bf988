import { SecretBox } from '#platform';
import type { Compatibility } from '#sharing';
import { eventually } from '../../libs/testing/src';
import { SharingGateway, type Answer, type Form } from '../sharing/sharing-gateway';

/** Encryption key of the gateway, so that specs can make rows themselves. */
export const ENCRYPTION_KEY = 'ab'.repeat(32);
const REMOTE = 'cloud.partner.example';

/** Reply that a partner's server got. */
export interface PartnerReply {
  readonly http: number;
  readonly headers: Headers;
  readonly text: string;
  // Parsed when it arrives.
  readonly json: ReturnType<typeof JSON.parse>;
}

/** The members of an offer that specs change; undefined leaves one out. */
export type OfferChanges = Readonly<Record<string, unknown>>;

/** A gateway in this process, with the calls of partners' servers and of its users. */
export class InboundPartner {
  private readonly secrets = new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex'));

  private constructor(readonly gateway: SharingGateway) {}

  /** With the users alice and bob. */
  static async start(compatibility?: Compatibility, env: Form = {}): Promise<InboundPartner> {
    const gateway = await SharingGateway.start({
      compatibility,
      env: { ENCRYPTION_KEY, FEDERATION_SYNC_WAIT: '200ms', ...env },
    });
    await gateway.addUsers('alice', 'bob');
    return new InboundPartner(gateway);
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }

  get url(): string {
    return this.gateway.gateway.url;
  }

  /** Waits until the worker has written the messages that follow from changes of shares. */
  async eventsHandled(): Promise<void> {
    await eventually('the events of shares to be handled', async () => {
      return (await this.gateway.query('SELECT id FROM share_event')).length === 0;
    });
  }

  get(path: string): Promise<PartnerReply> {
    return this.ask(path, { method: 'GET' });
  }

  /** An OCM call. */
  ocm(path: 'shares' | 'notifications', body: unknown): Promise<PartnerReply> {
    return this.ask(`/ocm/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** A call of the legacy dialect; `below` is such as `/77/accept`. */
  legacy(below: string, form: Form, headers: Form = {}, version = 2): Promise<PartnerReply> {
    return this.ask(`/ocs/v${version}.php/cloud/shares${below}?format=json`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
  }

  /** Offers a share to alice. */
  offer(providerId: string, sharedSecret: string, changes: OfferChanges = {}): Promise<PartnerReply> {
    return this.ocm('shares', { ...offerBody(providerId, sharedSecret), ...changes });
  }

  notify(notificationType: string, providerId: string, sharedSecret: string, more: object = {}) {
    const notification = { sharedSecret, message: 'said', ...more };
    return this.ocm('notifications', { notificationType, resourceType: 'file', providerId, notification });
  }

  /** Holds messages to a server, because no recorded server would answer. */
  async hold(hostKey: string): Promise<void> {
    await this.gateway.query('INSERT INTO peer (host_key, paused) VALUES ($1, true)', [hostKey]);
  }

  /** A call on shares that `uid` received; `below` is such as `/pending/3`. */
  received(method: string, below: string, uid = 'alice'): Promise<Answer> {
    return this.gateway.ocs(method, `/apps/files_sharing/api/v1/remote_shares${below}`, uid);
  }

  /** A share of a file of alice with an account of the partner, with its own id. */
  async sentShareOf(path: string, id: number, sharedSecret: string): Promise<void> {
    await this.gateway.query(SENT_SHARE_OF, [
      REMOTE,
      path,
      id,
      this.secrets.lookup(sharedSecret),
      this.secrets.seal(sharedSecret),
    ]);
  }

  /** A share of a new file of alice with `carol` of the partner, in its state after the delivery. */
  async sentShare(path: string, sharedSecret: string, permissions = 19): Promise<string> {
    await this.gateway.store('alice', path);
    const [row] = await this.gateway.query<{ id: string }>(SENT_SHARE, [
      REMOTE,
      path,
      permissions,
      this.secrets.lookup(sharedSecret),
      this.secrets.seal(sharedSecret),
    ]);
    return String(row!.id);
  }

  private async ask(path: string, init: RequestInit): Promise<PartnerReply> {
    const reply = await fetch(this.url + path, init);
    const text = await reply.text();
    const isJson = (reply.headers.get('content-type') ?? '').startsWith('application/json');
    const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
    return { http: reply.status, headers: reply.headers, text, json };
  }
}

/** An offer to alice as ownCloud writes it. */
export function offerBody(providerId: string, sharedSecret: string): Record<string, unknown> {
  return {
    shareWith: 'alice@gateway.example',
    name: 'plan.txt',
    providerId,
    owner: `rem@https://${REMOTE}`,
    ownerDisplayName: 'Rem',
    sender: `rem@https://${REMOTE}`,
    senderDisplayName: 'Rem',
    shareType: 'user',
    resourceType: 'file',
    protocol: { name: 'webdav', options: { sharedSecret } },
  };
}

/** The same in the legacy dialect. */
export function offerForm(remoteId: string, token: string): Record<string, string> {
  return {
    shareWith: 'alice',
    token,
    name: 'plan.txt',
    remoteId,
    owner: 'rem',
    ownerFederatedId: `rem@https://${REMOTE}/`,
    sharedBy: 'rem',
    sharedByFederatedId: `rem@https://${REMOTE}/`,
    remote: `https://${REMOTE}/`,
  };
}

const SENT_SHARE = `
  WITH partner AS (
    INSERT INTO peer (host_key) VALUES ($1) ON CONFLICT (host_key) DO UPDATE SET host_key = excluded.host_key RETURNING id
  )
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac,
    token_enc, peer_id, delivery_state, acceptance)
  SELECT 6, n.id, 'alice', 'alice', 'carol@' || $1, 'carol@' || $1, $3, $4, $5, partner.id, 'delivered', 'unknown'
  FROM node n, partner WHERE n.owner_uid = 'alice' AND n.path = $2 RETURNING id`;

const SENT_SHARE_OF = `
  WITH partner AS (
    INSERT INTO peer (host_key) VALUES ($1) ON CONFLICT (host_key) DO UPDATE SET host_key = excluded.host_key RETURNING id
  )
  INSERT INTO share (id, share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac,
    token_enc, peer_id, delivery_state, acceptance)
  OVERRIDING SYSTEM VALUE
  SELECT $3::bigint, 6, n.id, 'alice', 'alice', 'of-' || $3 || '@' || $1, 'of-' || $3 || '@' || $1, 31, $4, $5, partner.id,
    'delivered', 'unknown'
  FROM node n, partner WHERE n.owner_uid = 'alice' AND n.path = $2`;

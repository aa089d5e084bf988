import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { replyJson, startFakeServer, type FakeServer, type RecordedRequest } from '..';
import { isSignedBy, OwnKey } from './message-signature';
import { checkOffer, OFFER_MEMBERS, type ReceivedOffer } from './offer';
import { Draft } from './sentences';
import { SharedFile } from './shared-file';

export interface TakenNotification {
  readonly notificationType: string;
  readonly providerId: string;
}

/** Answer of the tested server. */
export interface OcmAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

const ACCEPTANCE = ['recipientProvider', 'token', 'userID', 'email', 'name'];
const DIALOG = '/apps/invitations/accept';
const TYPES = ['ACCEPTED', 'DECLINED', 'UNSHARED'].map((end) => `SHARE_${end}`);
const USER = { userID: '51dc30dd-c473', email: 'marie@strict.example', name: 'Marie' };

/**
 * A server of Open Cloud Mesh 1.4 that follows only the rules of the draft. It requires all optional features:
 * signatures, invitations, and the exchange of secrets. `draft` collects broken rules.
 */
export class OcmPartner {
  readonly draft = new Draft();
  readonly offers: ReceivedOffer[] = [];
  readonly notifications: TakenNotification[] = [];
  readonly files: SharedFile[] = [];
  /** Its user's contacts, as `user@host`. */
  readonly contacts = new Set<string>();
  private readonly tokens = new Set<string>();
  private readonly discovered = new Set<string>();
  private server!: FakeServer;
  private key!: OwnKey;

  static async start(): Promise<OcmPartner> {
    const partner = new OcmPartner();
    partner.server = await startFakeServer((request, response) => {
      void partner.answer(request, response).catch((error: Error) => {
        replyJson(response, 400, { message: error.message });
      });
    });
    partner.key = new OwnKey(`${partner.host}#key1`);
    return partner;
  }

  /** `host:port` */
  get host(): string {
    return `127.0.0.1:${this.server.port}`;
  }

  /** Its one user. */
  get address(): string {
    return `${USER.userID}@${this.host}`;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** An invitation of its user, as a text. */
  invite(): string {
    const token = randomUUID();
    this.tokens.add(token);
    return Buffer.from(`${token}@${this.host}`).toString('base64url');
  }

  /** Accepts an invitation at the server that its text names. */
  async accept(invitation: string): Promise<OcmAnswer> {
    const text = Buffer.from(invitation, 'base64url').toString();
    const at = text.lastIndexOf('@');
    const host = text.slice(at + 1);
    const answer = await this.send(host, 'invite-accepted', {
      ...USER,
      recipientProvider: this.host,
      token: text.slice(0, at),
    });
    if (answer.status !== 200) return answer;
    const { userID, email, name } = answer.json;
    const isWhole = [userID, email, name].every((member) => typeof member === 'string');
    this.draft.holds('invite.answer', isWhole, answer.json);
    this.contacts.add(`${String(userID)}@${host}`);
    return answer;
  }

  /** A user opens the page on which the partner's user accepts invitations. @returns their invitation */
  arrive(address: string): { readonly token: string; readonly host: string } {
    const { origin, pathname, searchParams } = new URL(address);
    const [token, host] = [searchParams.get('token'), searchParams.get('providerDomain')];
    this.draft.holds('invite.dialog', `${origin}${pathname}` === `http://${this.host}${DIALOG}`, address);
    this.draft.holds('invite.brought', Boolean(token) && /^[\w.-]+(:\d+)?$/.test(host ?? ''), address);
    return { token: token ?? '', host: host ?? '' };
  }

  /** Shares a file with a person. */
  async share(
    recipient: string,
    name: string,
    isSigned = true,
    shareType = 'user',
  ): Promise<OcmAnswer & { file: SharedFile }> {
    const host = hostOf(recipient);
    const file = new SharedFile(name, { text: `content of ${name}` }, host);
    this.files.push(file);
    const uri = `http://${this.host}/dav/${file.providerId}`;
    const webdav = {
      uri,
      sharedSecret: file.secret,
      permissions: ['read', 'write'],
      requirements: ['must-exchange-token'],
    };
    const offer = {
      shareWith: recipient,
      name,
      providerId: file.providerId,
      owner: this.address,
      sender: this.address,
      shareType,
      resourceType: 'file',
      protocol: { name: 'multi', webdav },
    };
    const { resourceTypes } = await this.discover(host);
    const isAnnounced = resourceTypes.some(
      (type) => type.name === 'file' && type.shareTypes.includes(shareType),
    );
    const answer = await this.send(host, 'shares', offer, isSigned);
    this.draft.holds('share.type', isAnnounced || answer.status === 501, answer.status);
    if (answer.status === 201)
      this.draft.holds('share.answer', typeof answer.json.recipientDisplayName === 'string', answer.json);
    return { ...answer, file };
  }

  /** Its user asks another user to share something with them. */
  requestShare(owner: string, share: string, isSigned = true): Promise<OcmAnswer> {
    return this.send(hostOf(owner), 'request-share', { owner, shareWith: this.address, share }, isSigned);
  }

  /** Sends a notification to the other side of a share. */
  notify(host: string, notificationType: string, providerId: string): Promise<OcmAnswer> {
    return this.send(host, 'notifications', { notificationType, providerId, resourceType: 'file' });
  }

  /** Exchanges the secret of an offer. */
  async exchange(
    { sender, protocol }: ReceivedOffer,
    code = protocol.webdav.sharedSecret,
  ): Promise<OcmAnswer> {
    const { tokenEndPoint } = await this.discover(hostOf(sender));
    const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: this.host, code });
    const answer = await this.post(tokenEndPoint, form.toString(), 'application/x-www-form-urlencoded');
    const { access_token: token, token_type: type, expires_in: seconds, error } = answer.json;
    if (answer.status === 200)
      this.draft.holds(
        'token.answer',
        [typeof token, type, typeof seconds].join() === 'string,Bearer,number',
      );
    else this.draft.holds('token.error', answer.status === 400 && typeof error === 'string', answer);
    return answer;
  }

  private async send(host: string, path: string, body: object, isSigned = true): Promise<OcmAnswer> {
    const { endPoint } = await this.discover(host);
    return this.post(`${endPoint}/${path}`, JSON.stringify(body), 'application/json', isSigned);
  }

  private async post(url: string, body: string, type: string, isSigned = true): Promise<OcmAnswer> {
    const signature = isSigned ? this.key.headersFor(url, body) : {};
    const headers = { 'content-type': type, ...signature };
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    return { status: answer.status, json: (text === '' ? {} : JSON.parse(text)) as OcmAnswer['json'] };
  }

  private async discover(host: string): Promise<Discovered> {
    const answer = await fetch(`http://${host}/.well-known/ocm`);
    const found = (await answer.json()) as Discovered;
    const texts = [found.apiVersion, found.endPoint, found.tokenEndPoint].map((member) => typeof member);
    const isDescribed = found.resourceTypes.every(
      ({ name, shareTypes, protocols }) => name && shareTypes.includes('user') && protocols.webdav,
    );
    this.draft.holds('discovery.document', found.enabled === true && isDescribed, found);
    this.draft.holds('discovery.token', texts.join() === 'string,string,string', found);
    const forms = found.resourceTypes.map(({ protocols }) => protocols['webdav-receive']?.uri ?? '');
    this.draft.holds(
      'discovery.receives',
      forms.every((uri) => /^(absolute|relative)$/.test(uri)),
      forms,
    );
    return found;
  }

  private async answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    const { method, path } = request;
    if (method === 'GET' && path === '/.well-known/jwks.json')
      return replyJson(response, 200, { keys: [this.key.published] });
    if (method === 'GET' && path === '/.well-known/ocm') {
      this.discovered.add(path);
      return replyJson(response, 200, this.discovery());
    }
    const file = this.files.find(({ providerId }) => path === `/dav/${providerId}`);
    if (file) return file.serve(this.draft, request, response);
    if (method !== 'POST') return replyJson(response, 404, { message: 'Not found' });
    this.draft.holds('discovery.place', this.discovered.size > 0, path);
    const { status, body } = await this.judge(request);
    replyJson(response, status, body);
  }

  private async judge(request: RecordedRequest): Promise<{ status: number; body: object }> {
    if (request.path === '/ocm/token') return this.giveToken(request);
    const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
    const message = JSON.parse(request.body) as Record<string, never>;
    if (request.path === '/ocm/invite-accepted') return this.takeAcceptance(request, message, isJson);
    if (request.path === '/ocm/shares') return this.takeOffer(request, message, isJson);
    if (request.path === '/ocm/notifications') return this.takeNotification(request, message, isJson);
    return refused(404, 'Not found');
  }

  private async takeAcceptance(request: RecordedRequest, message: Record<string, never>, isJson: boolean) {
    this.draft.holds('invite.json', isJson, request.headers['content-type']);
    const isWhole = ACCEPTANCE.every((name) => typeof message[name] === 'string');
    if (!this.draft.holds('invite.members', isWhole, message)) return refused(400, 'A member is missing');
    const { recipientProvider, token, userID } = message as Record<string, string>;
    this.draft.holds('invite.provider', /^[\w.-]+(:\d+)?$/.test(recipientProvider!), recipientProvider);
    if (!(await this.isSigned(request, recipientProvider!))) return refused(403, 'Not signed');
    if (!this.tokens.delete(token!)) return refused(400, 'The token is invalid');
    this.contacts.add(`${userID}@${recipientProvider}`);
    return { status: 200, body: USER };
  }

  private async takeOffer(request: RecordedRequest, message: Record<string, never>, isJson: boolean) {
    this.draft.holds('share.json', isJson, request.headers['content-type']);
    const isWhole = OFFER_MEMBERS.every((name) => typeof message[name] === 'string');
    if (!this.draft.holds('share.members', isWhole, message)) return refused(400, 'A member is missing');
    const offer = message as unknown as ReceivedOffer;
    if (!(await this.isSigned(request, hostOf(offer.sender)))) return refused(401, 'Not signed');
    if (!this.contacts.has(offer.sender)) return refused(403, 'No contact');
    if (offer.shareWith !== this.address) return refused(400, 'No such user');
    checkOffer(this.draft, offer, this.offers);
    this.offers.push(offer);
    return { status: 201, body: { recipientDisplayName: USER.name } };
  }

  private async takeNotification(request: RecordedRequest, message: Record<string, never>, isJson: boolean) {
    this.draft.holds('notification.json', isJson, request.headers['content-type']);
    const { notificationType, providerId } = message as unknown as TakenNotification;
    this.draft.holds('notification.type', TYPES.includes(notificationType), notificationType);
    const given = this.files.find((file) => file.providerId === providerId)?.recipientHost;
    const taken = this.offers.find((offer) => offer.providerId === providerId)?.sender;
    const otherSide = given ?? (taken && hostOf(taken));
    const isKnown = this.draft.holds('notification.share', otherSide !== undefined, message);
    if (!isKnown || !(await this.isSigned(request, otherSide!))) return refused(401, 'Not signed');
    this.notifications.push({ notificationType, providerId });
    return { status: 201, body: {} };
  }

  private async giveToken(request: RecordedRequest) {
    const form = new URLSearchParams(request.body);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    const names = ['grant_type', 'client_id', 'code'].every((name) => form.has(name));
    const isWhole = isForm && names && form.get('grant_type') === 'authorization_code';
    if (!this.draft.holds('token.form', isWhole, request.body)) return refused(400, 'invalid_request');
    const client = form.get('client_id')!;
    const file = this.files.find(({ secret }) => secret === form.get('code'));
    if (!file || !(await this.isSigned(request, client)))
      return { status: 400, body: { error: file ? 'invalid_client' : 'invalid_grant' } };
    this.draft.holds('token.client', client === file.recipientHost, client);
    return { status: 200, body: { access_token: file.token(), token_type: 'Bearer', expires_in: 300 } };
  }

  private isSigned(request: RecordedRequest, signer: string): Promise<boolean> {
    return isSignedBy(this.draft, request, `http://${this.host}${request.path}`, signer);
  }

  private discovery(): object {
    const url = `http://${this.host}`;
    const protocols = { webdav: '/dav/', 'webdav-receive': { uri: 'absolute' } };
    return {
      enabled: true,
      apiVersion: '1.4.0',
      endPoint: `${url}/ocm`,
      provider: 'Strict',
      resourceTypes: ['file', 'folder'].map((name) => ({ name, shareTypes: ['user'], protocols })),
      inviteAcceptDialog: DIALOG,
      capabilities: ['exchange-token', 'http-sig', 'invites', 'notifications', 'protocol-object'],
      criteria: ['must-use-http-sig', 'must-exchange-token', 'must-invite'],
      tokenEndPoint: `${url}/ocm/token`,
    };
  }
}

interface Discovered {
  readonly enabled: boolean;
  readonly apiVersion: string;
  readonly endPoint: string;
  readonly tokenEndPoint: string;
  readonly resourceTypes: readonly Described[];
}

interface Described {
  readonly name: string;
  readonly shareTypes: readonly string[];
  readonly protocols: { readonly webdav?: string; readonly 'webdav-receive'?: { readonly uri: string } };
}

const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
const refused = (status: number, message: string) => ({ status, body: { message } });

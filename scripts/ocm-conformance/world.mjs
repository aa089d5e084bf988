import { randomUUID } from 'node:crypto';
import { ask, isObject, shown } from './http.mjs';
import { need } from './verdict.mjs';

const CHECK_EVERY_MS = 100;
const INSIDE = 'This file was shared for a check of OCM conformance.\n';

/** The tested server and the known facts about it during the checks, which run one after the other. */
export class World {
  /** Shares that the server accepted from here and that are still active. */
  taken = [];
  #discovery;
  #baseline;
  #done = new Map();

  /**
   * @param {{url: string, recipient?: string, invitation?: string, partner?: object, other?: object, account?: object, patience?:
   *   number}} given `partner` and `other` are two servers that it can reach; `other` requires the exchange of secrets; `account`
   *   acts there; `patience` in seconds
   */
  constructor({ url, recipient, invitation, partner, other, account, patience = 20 }) {
    this.url = url.replace(/\/+$/, '');
    this.recipient = recipient;
    this.invitation = invitation;
    this.partner = partner;
    this.other = other;
    this.account = account;
    this.patience = patience;
    this.host = new URL(url).host;
  }

  /** The answer of the discovery address, requested once. */
  async discoveryAnswer() {
    return (this.#discovery ??= ask(`${this.url}/.well-known/ocm`));
  }

  /** The discovery document; ends the check as not run without one. */
  async discovery() {
    const answer = await this.discoveryAnswer().catch(() => undefined);
    need(answer?.status === 200 && isObject(answer.json), 'there is no discovery document');
    return answer.json;
  }

  /** The list in `capabilities` or `criteria`. */
  async words(member) {
    const { [member]: words } = await this.discovery();
    return Array.isArray(words) ? words : [];
  }

  async offers(capability) {
    return (await this.words('capabilities')).includes(capability);
  }

  async endpoint(path) {
    const { endPoint } = await this.discovery();
    need(typeof endPoint === 'string' && URL.canParse(endPoint), 'the discovery document names no endPoint');
    return `${endPoint.replace(/\/+$/, '')}${path}`;
  }

  /** The address for the exchange of secrets; ends the check as not run if the server does not offer it. */
  async tokenEndpoint() {
    need(await this.offers('exchange-token'), 'the server does not announce exchange-token');
    const { tokenEndPoint } = await this.discovery();
    need(typeof tokenEndPoint === 'string' && URL.canParse(tokenEndPoint), 'it names no tokenEndPoint');
    return tokenEndPoint;
  }

  /** A request without authentication. */
  stranger(method, url, body, type = 'application/json') {
    const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
    return ask(url, { method, headers, body });
  }

  get(path) {
    return ask(`${this.url}${path}`);
  }

  /** Runs an action once for several checks. */
  once(name, act) {
    if (!this.#done.has(name)) this.#done.set(name, act());
    return this.#done.get(name);
  }

  needPartner() {
    need(this.partner, 'needs --listen: the server has to reach this runner for its keys');
    return this.partner;
  }

  needAccount() {
    this.needPartner();
    need(this.account, 'needs --account: somebody who shares, accepts and reads there');
    return this.account;
  }

  needRecipient() {
    this.needPartner();
    need(this.recipient, 'needs --recipient: an account there that test shares are offered to');
    return this.recipient;
  }

  /** A correct offer to the recipient. */
  async goodOffer() {
    const partner = this.needPartner();
    const recipient = this.needRecipient();
    const id = randomUUID();
    const mustExchange = await this.offers('exchange-token');
    return {
      shareWith: `${recipient}@${this.host}`,
      name: `ocm-conformance-${id.slice(0, 8)}.txt`,
      providerId: id,
      owner: partner.person,
      sender: partner.person,
      ownerDisplayName: 'Conformance Tester',
      senderDisplayName: 'Conformance Tester',
      shareType: 'user',
      resourceType: 'file',
      protocol: {
        name: 'multi',
        webdav: {
          uri: (await this.takesAbsolute()) ? `${partner.url}/webdav/${id}` : id,
          sharedSecret: partner.newSecret(),
          permissions: ['read'],
          requirements: mustExchange ? ['must-exchange-token'] : [],
        },
      },
    };
  }

  async takesAbsolute() {
    const { resourceTypes } = await this.discovery();
    const file = (Array.isArray(resourceTypes) ? resourceTypes : []).find((type) => type?.name === 'file');
    return file?.protocols?.['webdav-receive']?.uri === 'absolute';
  }

  /**
   * Sends an offer.
   *
   * @param {(offer: object, world: World) => void} change makes it wrong
   * @param {object | null} faults of its signature; null for none
   */
  async offer(change = () => undefined, faults = {}) {
    const offer = await this.goodOffer();
    change(offer, this);
    return this.send(offer, faults);
  }

  async send(offer, faults) {
    const answer = await this.partner.post(await this.endpoint('/shares'), offer, faults);
    if (answer.status < 300) this.taken.push(offer);
    return { ...answer, offer };
  }

  /** The answer to a correct offer, sent once: a refusal is meaningful only if the server accepts correct ones. */
  async baseline() {
    this.needRecipient();
    const demands = (await this.words('criteria')).includes('must-invite');
    need(!demands || this.invitation, 'needs --invitation: the server takes offers of contacts only');
    return (this.#baseline ??= this.offer());
  }

  async needTakesOffers() {
    const answer = await this.baseline();
    need(answer.status === 201, `a right offer is not taken: ${shown(answer)}`);
    return answer;
  }

  async notify(notificationType, { providerId }, faults = {}, more = {}) {
    const url = await this.endpoint('/notifications');
    return this.partner.post(url, { notificationType, providerId, resourceType: 'file', ...more }, faults);
  }

  /** Makes the account share a new object with the user at `partner`. */
  async shareHere(partner, options = {}) {
    const since = partner.seen.length;
    const share = await this.needAccount().share(partner.person, { content: INSIDE, ...options });
    need(!share.refused, `the account could not share: ${share.refused}`);
    const message = await this.awaited('/ocm/shares', () => true, partner, since);
    need(message, 'no notification of the share came');
    return { share, message, offer: JSON.parse(message.body), content: INSIDE };
  }

  /** A message to a partner, already received or received in time; otherwise undefined. */
  async awaited(target, isIt, partner = this.partner, since = 0) {
    const fits = (one) => one.method === 'POST' && one.target === target && isIt(JSON.parse(one.body));
    for (const until = Date.now() + this.patience * 1000; ;) {
      const found = partner.seen.slice(since).find(fits);
      if (found || Date.now() > until) return found;
      await new Promise((passed) => setTimeout(passed, CHECK_EVERY_MS));
    }
  }

  /** Requests the content of an offer from the server, at the address that OCM composes. */
  async look(offer, credential, { method = 'PROPFIND', below = '' } = {}) {
    const { resourceTypes } = await this.discovery();
    const uri = offer.protocol?.webdav?.uri ?? '';
    const prefix = new URL(resourceTypes[0].protocols.webdav, this.url).toString().replace(/\/+$/, '');
    const root = URL.canParse(uri) ? uri : `${prefix}/${uri.replace(/^\/+/, '')}`;
    const headers = {
      authorization: `Bearer ${credential}`,
      ...(method === 'PROPFIND' ? { depth: '0' } : {}),
    };
    return ask(`${root.replace(/\/+$/, '')}${below}`, { method, headers });
  }

  /** Withdraws all offers. */
  async tidy() {
    for (const offer of this.taken.splice(0)) {
      const notification = {
        sharedSecret: offer.protocol?.webdav?.sharedSecret,
        message: 'the check is over',
      };
      await this.notify('SHARE_UNSHARED', offer, {}, { notification }).catch(() => undefined);
    }
    await this.account?.tidy();
  }
}

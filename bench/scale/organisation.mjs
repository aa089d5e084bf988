// Rows of an organisation of a given number of shares: accounts, groups, trees, shares of all kinds, received shares, partners
// and waiting messages. Some probe accounts have lists of the same length in every size; everything else grows.
import { createHash } from 'node:crypto';
import { partsOf, random, skewed } from './skew.mjs';

/** Number of other rows for each share. */
const NODES = 5;
const SHARES_PER_ACCOUNT = 50;
const RECEIVED = 0.1;
const MESSAGES = 0.1;
const MOST_PARTNERS = 10_000;
const FOLDER_EVERY = 8;
const DEEPEST = 6;
/** Part of each kind among all shares: user, group, link, federated. */
const KINDS = [
  [0, 0.7],
  [1, 0.78],
  [3, 0.93],
  [6, 1],
];

/** Accounts for which statements are measured. They are the first accounts, and have exact numbers of shares. */
export const PROBES = { lister: { shares: 100 }, receiver: { received: 100 }, member: {}, quiet: {} };
const PROBE_NAMES = Object.keys(PROBES);

/** Number of rows of each kind. @param {number} shares */
function sizeOf(shares) {
  const accounts = Math.max(PROBE_NAMES.length + 100, Math.round(shares / SHARES_PER_ACCOUNT));
  return {
    shares,
    accounts,
    groups: Math.max(10, Math.round(accounts / 20)),
    nodes: shares * NODES,
    received: Math.round(shares * RECEIVED),
    messages: Math.round(shares * MESSAGES),
    partners: Math.min(MOST_PARTNERS, Math.max(20, Math.round(shares / 100))),
  };
}

const uidOf = (account) => PROBE_NAMES[account] ?? `person-${account}`;
const gidOf = (group) => `team-${group}`;
const hostOf = (partner) => `partner-${partner}.example`;

const sha256Of = (text) => `\\x${createHash('sha256').update(text).digest('hex')}`;
const hexOf = (text) => `\\x${createHash('md5').update(text).digest('hex')}`;

const NOW = '2026-01-01 12:00:00+00';
const LATER = '2036-01-01 12:00:00+00';
/** The queue has one message of so many. */
const QUEUED_ONE_IN = 10;
/** One received share of so many has to be probed now. */
const DUE_ONE_IN = 50;
/** People have one client to so many. */
const CLIENTS = 4;
const ORDINARY = { permissions: 19, state: 0 };

/** Writes all rows of one organisation. `emit(table, values)` may return a promise to wait for. */
export class Organisation {
  #toReceiver = PROBES.receiver.received;
  #share = 0;
  #node = 0;

  constructor(shares, emit, seed = 20) {
    this.size = sizeOf(shares);
    this.emit = emit;
    this.next = random(seed);
  }

  async write() {
    await this.#people();
    await this.#partners();
    const { accounts, nodes, shares } = this.size;
    const nodesOf = partsOf(nodes - accounts, accounts, this.next, Math.max(1000, Math.round(nodes / 20)));
    const rest = shares - PROBES.lister.shares - PROBES.receiver.received;
    // An account has at least as many nodes as shares.
    const sharesOf = partsOf(
      rest,
      accounts - PROBE_NAMES.length,
      this.next,
      Math.max(200, Math.round(shares / 100)),
    );
    for (let account = 0; account < accounts; account++)
      await this.#account(account, nodesOf[account], sharesOf[account - PROBE_NAMES.length]);
    await this.#receivedShares();
    return { shares: this.#share, nodes: this.#node };
  }

  async #people() {
    const { accounts, groups } = this.size;
    for (let account = 0; account < accounts; account++) {
      const uid = uidOf(account);
      await this.emit('user_account', [uid, `Name ${uid}`, `${uid}@example.org`, 'none']);
      await this.emit('storage', [account + 1, `home::${uid}`, uid, null]);
      // One for each client.
      for (let client = account % CLIENTS; client >= 0; client--)
        await this.emit('app_password', [uid, sha256Of(`${uid} ${client}`), `Client ${client}`, '{files}']);
    }
    for (let group = 0; group < groups; group++) {
      await this.emit('user_group', [gidOf(group)]);
      // The first group contains half of all people.
      const members = group === 0 ? Math.round(accounts / 2) : Math.min(accounts, 3 + skewed(this.next, 200));
      const step = Math.max(1, Math.floor(accounts / members));
      for (let member = 0; member < members; member++)
        await this.emit('group_member', [gidOf(group), uidOf((group + member * step) % accounts)]);
    }
  }

  async #partners() {
    for (let partner = 1; partner <= this.size.partners; partner++)
      await this.emit('peer', [partner, partner, hostOf(partner), 'unknown']);
  }

  async #account(account, nodes, shares) {
    const uid = uidOf(account);
    const wanted = account < PROBE_NAMES.length ? (PROBES[uid].shares ?? 0) : shares;
    const count = Math.max(nodes, wanted);
    const storage = account + 1;
    const root = ++this.#node;
    await this.emit('node', [
      root,
      storage,
      null,
      uid,
      '',
      '',
      'folder',
      'httpd/unix-directory',
      0,
      NOW,
      `e${root}`,
      null,
      null,
    ]);
    const folders = [{ id: root, path: '', depth: 0 }];
    // The shared nodes are spread over all nodes of the account.
    const every = wanted === 0 ? Infinity : Math.max(1, Math.floor(count / wanted));
    for (let number = 1, left = wanted; number <= count; number++) {
      const node = await this.#entry({ uid, storage, folders, number });
      const isLast = count - number < left;
      if (left > 0 && (number % every === 0 || isLast)) {
        left--;
        await this.#sharesOf(uid, account, node);
      }
    }
  }

  async #entry({ uid, storage, folders, number }) {
    const parent = folders[skewed(this.next, folders.length)];
    const isFolder = number % FOLDER_EVERY === 0;
    const name = isFolder ? `Project ${number}` : `Report ${number}.txt`;
    const path = `${parent.path}/${name}`;
    const id = ++this.#node;
    if (isFolder && parent.depth < DEEPEST) folders.push({ id, path, depth: parent.depth + 1 });
    const kind = isFolder
      ? ['folder', 'httpd/unix-directory', 0]
      : ['file', 'text/plain', 1 + skewed(this.next, 10_000_000)];
    await this.emit('node', [
      id,
      storage,
      parent.id,
      uid,
      name,
      path,
      ...kind,
      NOW,
      `e${id}`,
      isFolder ? null : `b/${id}`,
      null,
    ]);
    return { id, name, path };
  }

  async #sharesOf(uid, account, node) {
    if (account >= PROBE_NAMES.length && this.#toReceiver > 0) {
      this.#toReceiver--;
      await this.#recipientShare(0, uid, node, 'receiver');
    }
    const drawn = this.next();
    const kind = uid === 'lister' ? 0 : KINDS.find(([, upTo]) => drawn < upTo)[0];
    if (kind === 0) await this.#recipientShare(0, uid, node, this.#somebody(account));
    else if (kind === 1) await this.#recipientShare(1, uid, node, gidOf(skewed(this.next, this.size.groups)));
    else if (kind === 3) await this.#link(uid, node);
    else await this.#federated(uid, node);
  }

  /** Another account than this one and the probes. */
  #somebody(account) {
    const others = this.size.accounts - PROBE_NAMES.length;
    const other = PROBE_NAMES.length + skewed(this.next, others);
    return uidOf(
      other === account ? PROBE_NAMES.length + ((other - PROBE_NAMES.length + 1) % others) : other,
    );
  }

  #emitShare(type, uid, node, { recipient = null, token = null, peer = null } = {}) {
    const id = ++this.#share;
    const delivered = peer === null ? [null, null] : ['delivered', 'unknown'];
    return this.emit('share', [
      id,
      type,
      node.id,
      uid,
      uid,
      recipient,
      recipient,
      type === 3 ? 1 : ORDINARY.permissions,
      type === 6 || type === 3 ? '' : node.path,
      token && hexOf(token),
      token && hexOf(`sealed ${token}`),
      null,
      NOW,
      peer,
      ...delivered,
    ]);
  }

  async #recipientShare(type, uid, node, recipient) {
    await this.#emitShare(type, uid, node, { recipient });
    if (type === 0)
      await this.emit('share_recipient', [
        this.#share,
        recipient,
        recipient === 'receiver' ? 0 : this.#state(),
        `/${this.#share} ${node.name}`,
      ]);
  }

  /** Most shares are accepted. */
  #state() {
    const part = this.next();
    return part < 0.92 ? 0 : part < 0.96 ? 1 : 2;
  }

  /** The storage of an accepted share. Its file is known from the offer. */
  async #mount(received, recipient) {
    const storage = this.size.accounts + received;
    await this.emit('storage', [storage, `received::${received}`, recipient, received]);
    const id = ++this.#node;
    const file = [`Offer ${received}.txt`, '', 'file', 'text/plain', 0, NOW, `e${id}`, null];
    await this.emit('node', [id, storage, null, recipient, ...file, received]);
  }

  #link(uid, node) {
    return this.#emitShare(3, uid, node, { token: `link ${this.#share}` });
  }

  async #federated(uid, node) {
    const peer = 1 + skewed(this.next, this.size.partners);
    const recipient = `rem${this.#share}@${hostOf(peer)}`;
    await this.#emitShare(6, uid, node, { recipient, token: `offer ${this.#share}`, peer });
  }

  async #receivedShares() {
    const { received, messages, partners, accounts } = this.size;
    for (let number = 1; number <= received; number++) {
      const peer = 1 + skewed(this.next, partners);
      const recipient = uidOf(PROBE_NAMES.length + skewed(this.next, accounts - PROBE_NAMES.length));
      const state = number % 5 === 0 ? 'pending' : 'accepted';
      const owner = `rem@${hostOf(peer)}`;
      await this.emit('received_share', [
        peer,
        `p-${number}`,
        hexOf(`in ${number}`),
        hexOf(`sealed in ${number}`),
        recipient,
        owner,
        owner,
        `Offer ${number}.txt`,
        'file',
        19,
        'ocm',
        state,
        state === 'accepted' ? `/Offer ${number}.txt` : null,
        state === 'accepted' ? (number % DUE_ONE_IN === 1 ? NOW : LATER) : null,
      ]);
      if (state === 'accepted') await this.#mount(number, recipient);
    }
    for (let number = 1; number <= messages; number++) {
      // Partners get the same number of messages, in turn. The share of a message does not matter for its dispatch.
      await this.emit('outbox_message', [
        'share',
        number,
        1 + (number % partners),
        'share-create',
        1,
        `scale-${number}`,
        '{}',
        null,
        NOW,
        LATER,
        number % QUEUED_ONE_IN === 0 ? 'queued' : 'pending',
      ]);
    }
  }
}

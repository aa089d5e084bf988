// Actions of a user at the tested server, through the calls that ownCloud, Nextcloud and Drawbridge have for them.
import { ask } from './http.mjs';
import { NotRun } from './verdict.mjs';

const SHARING = '/ocs/v2.php/apps/files_sharing/api/v1';
const FILES = '/remote.php/webdav';
/** Share types of shares with users at other servers. */
const FEDERATED = '6';
const REMOTE_GROUP = '9';
const OCM = '/ocs/v2.php/apps/ocm/api/v1';
const READ = '1';

export class Account {
  /** Objects created there, to be removed at the end. */
  made = [];
  /** Paths of calls that remove other objects. */
  open = [];

  /** @param {string} credentials `user:password` */
  constructor(url, credentials) {
    this.url = url;
    this.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  /**
   * Stores a new file, or a folder with a file in it, and shares it.
   *
   * @param {{content: string, folder?: boolean, group?: boolean, expireDate?: string, note?: string}} options `group`: the recipient is one
   */
  async share(recipient, { content, folder = false, group = false, ...more }) {
    const name = `ocm-conformance-${Date.now()}-${this.made.length}`;
    const path = folder ? `/${name}` : `/${name}.txt`;
    if (folder) await this.files('MKCOL', path);
    await this.files('PUT', folder ? `${path}/inside.txt` : path, content);
    const shareType = group ? REMOTE_GROUP : FEDERATED;
    const form = { path, shareType, shareWith: recipient, permissions: READ, ...more };
    const answer = await this.ocs('POST', '/shares', form);
    const made = { path, id: answer.data?.id, refused: answer.ok ? undefined : answer.message };
    this.made.push(made);
    return made;
  }

  async unshare({ id }) {
    await this.ocs('DELETE', `/shares/${id}`);
  }

  accept(name) {
    return this.decide('POST', name);
  }

  decline(name) {
    return this.decide('DELETE', name);
  }

  async decide(method, name) {
    const { data } = await this.ocs('GET', '/remote_shares/pending');
    const share = (Array.isArray(data) ? data : []).find((one) => one.name?.endsWith(name));
    if (!share) throw new NotRun(`${name} is not among the shares to be decided on`);
    const answer = await this.ocs(method, `/remote_shares/pending/${share.id}`);
    if (!answer.ok) throw new NotRun(`the account could not decide on ${name}: ${answer.message}`);
  }

  /** Content of a file that the account received. */
  async read(name) {
    const { data } = await this.ocs('GET', '/remote_shares');
    const share = (Array.isArray(data) ? data : []).find((one) => one.name?.endsWith(name));
    if (!share) throw new NotRun(`${name} is not among the accepted shares`);
    return ask(`${this.url}${FILES}${encodeURI(share.mountpoint)}`, { headers: this.headers() });
  }

  async acceptInvitation(invitation) {
    const answer = await this.ocs('POST', '/ocs/v2.php/apps/ocm/api/v1/invitations/accept', { invitation });
    if (!answer.ok) throw new NotRun(`the account could not accept an invitation: ${answer.message}`);
  }

  /** Asks a contact at the host for a share. */
  async askForShare(host, share) {
    const { data } = await this.ocs('GET', `${OCM}/contacts`);
    const contact = (Array.isArray(data) ? data : []).find(({ idp }) => idp === host);
    if (!contact) throw new NotRun('the account has no contact at this runner');
    const form = { contact: String(contact.id), share };
    const answer = await this.ocs('POST', `${OCM}/share-requests`, form);
    if (!answer.ok) throw new NotRun(`the account could not ask for a share: ${answer.message}`);
    this.open.push(`${OCM}/share-requests/${answer.data?.id}`);
  }

  /** Address of a new invitation; undefined if the server gives none. */
  async invitationLink() {
    const { ok, data, message } = await this.ocs('POST', `${OCM}/invitations`, { description: '' });
    if (!ok) throw new NotRun(`the account could not invite: ${message}`);
    this.open.push(`${OCM}/invitations/${data?.id}`);
    return data?.link;
  }

  /** Removes the objects that it created. */
  async tidy() {
    for (const path of this.open.splice(0)) await this.ocs('DELETE', path).catch(() => undefined);
    for (const { path } of this.made.splice(0)) await this.files('DELETE', path).catch(() => undefined);
  }

  files(method, path, body) {
    const length = { 'content-length': String(Buffer.byteLength(body ?? '')) };
    const headers = { ...this.headers(), ...(body === undefined ? {} : length) };
    return ask(`${this.url}${FILES}${encodeURI(path)}`, { method, headers, body });
  }

  async ocs(method, path, form) {
    const body = form && new URLSearchParams(form).toString();
    const url = `${this.url}${path.startsWith('/ocs/') ? path : SHARING + path}?format=json`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = body === undefined ? {} : { ...type, 'content-length': String(Buffer.byteLength(body)) };
    const answer = await ask(url, { method, headers: { ...this.headers(), ...sent }, body });
    const { meta, data } = answer.json?.ocs ?? {};
    const ok = [100, 200].includes(meta?.statuscode);
    return { ok, data, message: meta?.message ?? `HTTP ${answer.status}` };
  }

  headers() {
    return { authorization: this.authorization, 'ocs-apirequest': 'true', accept: 'application/json' };
  }
}

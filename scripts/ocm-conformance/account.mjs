// Actions of a user at the tested server, through the calls that ownCloud, Nextcloud and Drawbridge have for them.
import { ask } from './http.mjs';
import { NotRun } from './verdict.mjs';

const SHARING = '/ocs/v2.php/apps/files_sharing/api/v1';
const FILES = '/remote.php/webdav';
/** Share types of shares with users at other servers. */
const FEDERATED = '6';
const READ = '1';

export class Account {
  /** Objects created there, to be removed at the end. */
  made = [];

  /** @param {string} credentials `user:password` */
  constructor(url, credentials) {
    this.url = url;
    this.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  /** Stores a new file, or a folder with a file in it, and shares it. */
  async share(recipient, { content, folder = false }) {
    const name = `ocm-conformance-${Date.now()}-${this.made.length}`;
    const path = folder ? `/${name}` : `/${name}.txt`;
    if (folder) await this.files('MKCOL', path);
    await this.files('PUT', folder ? `${path}/inside.txt` : path, content);
    const form = { path, shareType: FEDERATED, shareWith: recipient, permissions: READ };
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

  /** Removes the objects that it created. */
  async tidy() {
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

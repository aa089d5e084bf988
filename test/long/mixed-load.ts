import { setTimeout as pause } from 'node:timers/promises';
import type { LoadClient } from './load-client';
import { ShareBook, type Sharing } from './share-book';
import { isFullForm } from '../../libs/testing/src/full-form';

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

/**
 * Users and files that exist before the load begins. Shares made here are ended and made again. The partner has more
 * offers than a run answers, because declined ones do not return.
 */
export const HERE = {
  users: numbered('una', isFullForm ? 6 : 3),
  files: numbered('/plan-', isFullForm ? 40 : 8),
  group: 'staff',
} as const;
export const THERE = {
  users: numbered('bea', isFullForm ? 6 : 3),
  files: numbered('/offer-', isFullForm ? 150 : 60),
} as const;

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const SHARES = '/apps/files_sharing/api/v1/shares';
const DOCUMENTS = 20;
const SLOW_PARTS = numbered('x'.repeat(10_000), 6);
const SLOW_EVERY_MS = 200;
/** Pause between two checks, and between two documents. */
const CHECK_EVERY_MS = isFullForm ? 60 : 120;

/** All actions of users and partners, for as long as the load runs. */
export class MixedLoad {
  readonly local: ShareBook;
  readonly federated: ShareBook;
  readonly inbound: ShareBook;
  /** Contents of documents by name, as far as they are known. */
  private readonly documents = new Map<string, string>();
  private turn = 0;

  constructor(
    private readonly client: LoadClient,
    /** Calls the partner, which has no proxy. */
    private readonly partnersClient: LoadClient,
    here: { readonly host: string },
    there: { readonly host: string },
  ) {
    this.local = new ShareBook('alice', HERE.files.flatMap(localSharings));
    const among = (files: readonly string[], uids: readonly string[], host: string): Sharing[] =>
      files.flatMap((path) =>
        uids.map((uid) => ({ path, shareType: '6' as const, shareWith: `${uid}@${host}` })),
      );
    this.federated = new ShareBook('fred', among(HERE.files, THERE.users, there.host));
    this.inbound = new ShareBook('zoe', among(THERE.files, HERE.users, here.host));
  }

  /** Resolves after `signal` ended it and the last answers have arrived. */
  async run(signal: AbortSignal): Promise<void> {
    const again = async (everyMs: number, step: () => Promise<unknown>): Promise<void> => {
      while (!signal.aborted) {
        await step();
        await pause(everyMs);
      }
    };
    await Promise.all([
      again(CHECK_EVERY_MS, () => this.look('alice')),
      again(CHECK_EVERY_MS, () => this.look('fred')),
      again(100, () => this.local.goOn(this.client)),
      again(150, () => this.federated.goOn(this.client)),
      again(300, () => this.inbound.goOn(this.partnersClient)),
      again(400, () => this.decide(this.client, HERE.users)),
      again(400, () => this.decide(this.partnersClient, THERE.users)),
      again(CHECK_EVERY_MS, () => this.write()),
      again(0, () => this.client.putSlowly('dan', '/remote.php/webdav/slow.txt', SLOW_PARTS, SLOW_EVERY_MS)),
    ]);
  }

  /** Documents whose content is not the written one. */
  async lostDocuments(): Promise<string[]> {
    const lost: string[] = [];
    for (const [name, content] of this.documents)
      if ((await this.read(name))?.body !== content) lost.push(name);
    return lost;
  }

  private async look(uid: string): Promise<void> {
    const sights = [
      () => this.client.ocs('GET', SHARES, { as: uid }),
      () => this.client.ocs('GET', SHARES, { as: uid, query: 'shared_with_me=true' }),
      () => this.client.ocs('GET', '/cloud/capabilities', { as: uid }),
      () => this.client.send({ target: '/status.php' }),
      () => this.client.ocs('GET', '/cloud/user', { as: uid }),
      () => this.client.send({ target: '/ocm-provider/' }),
    ];
    await sights[this.turn++ % sights.length]!();
  }

  /** Accepts the first offer, declines the next, and ignores the third. */
  private async decide(client: LoadClient, uids: readonly string[]): Promise<void> {
    const uid = uids[this.turn++ % uids.length]!;
    const answer = await client.ocs('GET', `${REMOTE_SHARES}/pending`, { as: uid });
    for (const { id } of (answer?.data ?? []) as { id: number }[]) {
      // Users of the partner decline nothing, because fred's book would not notice it.
      const isDeclined = client === this.client && id % 3 === 1;
      if (id % 3 !== 2)
        await client.ocs(isDeclined ? 'DELETE' : 'POST', `${REMOTE_SHARES}/pending/${id}`, { as: uid });
    }
  }

  private async write(): Promise<void> {
    const name = `document-${this.turn++ % DOCUMENTS}.txt`;
    const content = `written in turn ${this.turn}`;
    const target = `/remote.php/webdav/${name}`;
    this.documents.delete(name);
    if (await this.client.dav('dan', { method: 'PUT', target, body: content }, [201, 204]))
      this.documents.set(name, content);
    const known = this.documents.get(name);
    const read = known === undefined ? undefined : await this.read(name);
    if (read && read.body !== known) this.client.wrong.push(`GET ${name}: ${read.body} in place of ${known}`);
    const folder = { method: 'PROPFIND', target: '/remote.php/webdav/', headers: { depth: '1' } };
    await this.client.dav('dan', folder, [207]);
  }

  private read(name: string) {
    return this.client.dav('dan', { method: 'GET', target: `/remote.php/webdav/${name}` }, [200]);
  }
}

/** Shares with each user, with the group, and by a link. */
function localSharings(path: string): Sharing[] {
  return [
    ...HERE.users.map((shareWith) => ({ path, shareType: '0' as const, shareWith })),
    { path, shareType: '1', shareWith: HERE.group },
    { path, shareType: '3', shareWith: '' },
  ];
}

import { randomBytes } from 'node:crypto';
import { createTestDatabase, eventually, type TestDatabase } from '../../libs/testing/src';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

type Entry = Readonly<Record<string, unknown>>;

/** One organisation: some replicas of each app on one database, known under the first one's address. */
class Organisation {
  private replicas: SharingWorld[] = [];
  private readonly key = randomBytes(32).toString('hex');
  private turn = 0;
  private port = '0';

  private constructor(
    readonly database: TestDatabase,
    private readonly size: number,
  ) {}

  static async found(size: number): Promise<Organisation> {
    const organisation = new Organisation(await createTestDatabase({ poolSize: 2 }), size);
    await organisation.start();
    return organisation;
  }

  /** Starts all replicas, at their old addresses. */
  async start(): Promise<void> {
    const first = await this.startOne({ PORT: this.port });
    this.port = new URL(first.gateway.url).port;
    this.replicas = [first];
    while (this.replicas.length < this.size)
      this.replicas.push(await this.startOne({ PUBLIC_URL: first.gateway.url }));
  }

  private startOne(env: Readonly<Record<string, string>>): Promise<SharingWorld> {
    const base = { ...AMONG_FAKES, ENCRYPTION_KEY: this.key, FEDERATION_SYNC_WAIT: '10s' };
    return SharingWorld.start({
      compatibility: 'owncloud10',
      databaseUrl: this.database.url,
      env: { ...base, ...env },
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    this.replicas = [];
  }

  async close(): Promise<void> {
    await this.stop();
    await this.database.drop();
  }

  /** The replicas answer calls in turn. */
  get next(): SharingWorld {
    return this.replicas[this.turn++ % this.replicas.length]!;
  }

  get first(): SharingWorld {
    return this.replicas[0]!;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Makes every waiting retry due now. */
  letTimePass(): Promise<void> {
    return new FederationOutbox(this.database.database).letTimePass();
  }

  async list(as: string, path: string): Promise<readonly Entry[]> {
    return (await this.next.must('GET', path, { as })).data as Entry[];
  }
}

describe.each([1, 2])('two organisations with %i replicas each', (size) => {
  let a: Organisation;
  let b: Organisation;
  beforeAll(async () => {
    [a, b] = await Promise.all([Organisation.found(size), Organisation.found(size)]);
    await a.first.addUser('alice');
    await a.first.addUser('zoe');
    await b.first.addUser('bob');
  }, 300_000);
  afterAll(async () => {
    await Promise.all([a.close(), b.close()]);
  });

  const offer = async (name: string): Promise<Entry> => {
    await a.first.put('alice', `/${name}`);
    return a.next.share('alice', { path: `/${name}`, shareType: '6', shareWith: `bob@${b.host}` });
  };
  const pending = (): Promise<readonly Entry[]> => b.list('bob', `${REMOTE_SHARES}/pending`);
  const accepted = (): Promise<readonly Entry[]> => b.list('bob', REMOTE_SHARES);
  const becomes = (id: unknown, fields: Entry): Promise<Entry> =>
    eventually(JSON.stringify(fields), async () => {
      const record = await a.next.readShare('alice', id);
      return Object.entries(fields).every(([name, value]) => record[name] === value) ? record : undefined;
    });

  it('share, accept, change and end: each side sees the other one’s actions', async () => {
    const { id, delivery_state: state } = await offer('plan.txt');
    expect(state).toBe('delivered');
    const received = await pending();
    expect(received).toMatchObject([{ remote_id: id, name: '/plan.txt', owner: 'alice', user: 'bob' }]);
    await b.next.must('POST', `${REMOTE_SHARES}/pending/${String(received[0]!.id)}`, { as: 'bob' });
    expect(await accepted()).toMatchObject([
      {
        file_id: expect.any(Number),
        type: 'file',
        mimetype: 'text/plain',
        mtime: expect.any(Number),
        permissions: 27,
      },
    ]);
    await becomes(id, { acceptance: 'accepted', acceptance_source: 'notification' });
    await a.next.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { permissions: '1' } });
    await becomes(id, { delivery_state: 'delivered', permissions: 1 });
    expect(await accepted()).toHaveLength(1);
    await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
    await eventually('the end at the recipient', async () => (await accepted()).length === 0);
  });

  it('agree on the last day of a share after its owner moved it', async () => {
    const ends = async (): Promise<unknown> => {
      const sql = 'SELECT expires_at AS "endsAt" FROM received_share WHERE provider_id = $1';
      const [share] = await b.database.database.dataSource.query<{ endsAt: Date | null }[]>(sql, [id]);
      return share!.endsAt?.toISOString().slice(0, 10) ?? null;
    };
    await a.first.put('alice', '/Limited.txt');
    const form = {
      path: '/Limited.txt',
      shareType: '6',
      shareWith: `bob@${b.host}`,
      expireDate: '2040-01-01',
    };
    const { id } = await a.next.share('alice', form);
    expect(await ends()).toBe('2040-01-02');
    for (const [expireDate, told] of [
      ['2041-05-05', '2041-05-06'],
      ['', null],
    ] as const) {
      await a.next.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { expireDate } });
      await eventually(`the end is ${told}`, async () => (await ends()) === told);
    }
    await becomes(id, { delivery_state: 'delivered' });
    await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('show the recipient the note of the owner, and its changes', async () => {
    const shown = async (): Promise<unknown> => (await pending())[0]?.description;
    await a.first.put('alice', '/Noted.txt');
    const form = { path: '/Noted.txt', shareType: '6', shareWith: `bob@${b.host}`, note: 'Für Montag' };
    const { id, note } = await a.next.share('alice', form);
    expect([note, await shown()]).toEqual(['Für Montag', 'Für Montag']);
    for (const changed of ['For Tuesday', '']) {
      await a.next.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { note: changed } });
      await eventually(`the note "${changed}"`, async () => ((await shown()) ?? '') === changed);
    }
    await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
    await eventually('the end', async () => (await pending()).length === 0);
  });

  it('show a change at the owner in the recipient’s root without waiting for the next probe', async () => {
    await a.first.makeFolder('alice', '/Report');
    const shareWith = `bob@${b.host}`;
    const { id } = await a.next.share('alice', { path: '/Report', shareType: '6', shareWith });
    const [offered] = await pending();
    await b.next.must('POST', `${REMOTE_SHARES}/pending/${String(offered!.id)}`, { as: 'bob' });
    await becomes(id, { acceptance: 'accepted' });
    const due = `SELECT look_at > now() + interval '5 minutes' AND etag IS NOT NULL AS "isLater" FROM received_share WHERE provider_id = $1`;
    const isProbed = async (): Promise<boolean> => {
      const [share] = await b.database.database.dataSource.query<{ isLater: boolean }[]>(due, [id]);
      return share!.isLater;
    };
    // A partner that was away for a whole round gets a pause of five minutes.
    await eventually('the first probe', isProbed, 400_000);
    const before = await b.first.etag('bob', '/');
    await a.first.put('alice', '/Report/new.txt');
    await eventually('the new ETag', async () => (await b.first.etag('bob', '/')) !== before);
  }, 600_000);

  it('keep the history of a share in both organisations, until thirty days after its end', async () => {
    const timeline = async (as: string): Promise<Entry[]> => {
      const { data } = await a.next.must('GET', `/apps/files_sharing/api/v1/share_timelines/${String(id)}`, {
        as,
      });
      return data as Entry[];
    };
    await a.first.makeFolder('alice', '/Told');
    await a.first.put('alice', '/Told/read.txt');
    const shareWith = `bob@${b.host}`;
    const { id } = await a.next.share('alice', { path: '/Told', shareType: '6', shareWith });
    const offered = (await pending()).find(({ name }) => name === '/Told');
    const events = async (): Promise<unknown[]> => (await timeline('alice')).map(({ event }) => event);
    await eventually('the recipient saw it', async () => (await events()).includes('seen'));
    await b.next.must('POST', `${REMOTE_SHARES}/pending/${String(offered!.id)}`, { as: 'bob' });
    await becomes(id, { acceptance: 'accepted' });
    await eventually('the owner is notified', async () =>
      (await notices('alice')).includes(`${shareWith} accepted your share "Told"`),
    );
    expect(await b.first.read('bob', '/Told/read.txt')).toBe('content');
    await a.next.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { permissions: '1' } });
    await eventually('the change is delivered', async () =>
      (await timeline('alice')).some(
        ({ event, details }) => event === 'delivered' && (details as Entry).message === 'share-permissions',
      ),
    );
    await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
    await eventually(
      'the end is delivered',
      async () => (await events()).filter((one) => one === 'delivered').length === 3,
    );
    expect(new Set(await events())).toEqual(
      new Set(['created', 'delivered', 'seen', 'accepted', 'first-read', 'changed', 'ended']),
    );
    expect((await timeline('alice'))[0]).toMatchObject({
      event: 'created',
      actor_type: 'user',
      actor: 'alice',
      details: { share_with: shareWith },
    });
    const path = `/apps/files_sharing/api/v1/share_timelines/${String(id)}`;
    expect((await a.next.ocs('GET', path, { as: 'zoe' })).code).toBe(404);
  });

  const notices = async (as: string, member = 'subject'): Promise<unknown[]> => {
    const { data } = await a.next.must('GET', '/apps/notifications/api/v1/notifications', { as });
    return (data as Entry[]).map((notice) => notice[member]);
  };

  it.each([5, 15, 31])(
    'transfer exactly the permissions %i, with the offer and with a change',
    async (bits) => {
      const path = `/folder ${bits}`;
      await a.first.makeFolder('alice', path);
      const shareWith = `bob@${b.host}`;
      const share = { path, shareType: '6', shareWith };
      const { id } = await a.next.share('alice', { ...share, permissions: String(bits) });
      const arrived = async (): Promise<number> => {
        const [row] = await b.database.database.dataSource.query<{ permissions: number }[]>(
          `SELECT permissions FROM received_share WHERE provider_id = $1 AND state = 'pending'`,
          [id],
        );
        return row!.permissions;
      };
      expect(await arrived()).toBe(bits);
      await a.next.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { permissions: '9' } });
      await eventually('the change', async () => (await arrived()) === 9);
      await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
      await eventually('the end at the recipient', async () => (await pending()).length === 0);
    },
  );

  it('a decline ends the share at its owner’s instance, shows the reason to the owner, and gets no answering message', async () => {
    const { id } = await offer('unwanted.txt');
    const [received] = await pending();
    const reason = 'I have it already';
    const path = `${REMOTE_SHARES}/pending/${String(received!.id)}`;
    await b.next.must('DELETE', path, { as: 'bob', form: { reason } });
    await eventually('the end', async () => {
      const { code } = await a.next.ocs('GET', `${SHARES}/${String(id)}`, { as: 'alice' });
      return code === 404;
    });
    expect(await pending()).toEqual([]);
    const life = `/apps/files_sharing/api/v1/share_timelines/${String(id)}`;
    const { data } = await a.next.must('GET', life, { as: 'alice' });
    const last = (data as Entry[]).find(({ event }) => event === 'declined');
    expect(last).toMatchObject({ actor_type: 'partner', actor: b.host, details: { reason } });
    await eventually('the owner is notified', async () =>
      (await notices('alice', 'message')).includes(reason),
    );
  });

  it('removing an account declines the shares that it had received', async () => {
    await b.next.addUser('ben');
    await a.first.put('alice', '/for-ben.txt');
    const form = { path: '/for-ben.txt', shareType: '6', shareWith: `ben@${b.host}` };
    const { id } = await a.next.share('alice', form);
    await b.next.must('DELETE', '/cloud/users/ben');
    await eventually('the end at the owner', async () => {
      const { code } = await a.next.ocs('GET', `${SHARES}/${String(id)}`, { as: 'alice' });
      return code === 404;
    });
  });

  describe('an outage of the other organisation', () => {
    let minutes: Entry;
    beforeAll(async () => {
      await b.stop();
      minutes = await offer('minutes.txt');
      const { id } = await offer('secret.txt');
      await a.next.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
      await becomes(minutes.id, { delivery_state: 'retrying' });
      await b.start();
      await a.letTimePass();
    }, 300_000);

    it('a share that was made during it arrives once', async () => {
      const { id, delivery_state: state } = minutes;
      expect(['pending', 'retrying']).toContain(state);
      await becomes(id, { delivery_state: 'delivered' });
      expect(await pending()).toMatchObject([{ remote_id: id, name: '/minutes.txt' }]);
    });

    it('a share that ended before its delivery never appears at the partner', async () => {
      const after = await offer('after.txt');
      await becomes(after.id, { delivery_state: 'delivered' });
      expect((await pending()).map(({ name }) => name)).not.toContain('/secret.txt');
    });
  });
});
